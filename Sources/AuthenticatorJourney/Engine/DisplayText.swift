/// Server text on its way to a prompt: without what could fake another text, and of a bounded length.
package enum DisplayText {
  /// The text without control and formatting characters (line breaks excepted), cut at a character boundary.
  package static func cleaned(_ text: some StringProtocol, maximumBytes: Int) -> String {
    // Most texts are plain ASCII: nothing to hide, and every byte is a boundary.
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
      return text.utf8.count <= maximumBytes
        ? String(text) : String(decoding: text.utf8.prefix(maximumBytes), as: UTF8.self)
    }
    var result = ""
    for character in text {
      if character.unicodeScalars.contains(where: isHidden) { continue }
      guard result.utf8.count + character.utf8.count <= maximumBytes else { break }
      result.append(character)
    }
    return result
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control: scalar != "\n"
    // Direction overrides and invisible characters; the joiners that scripts and emoji need stay.
    case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
    case .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
    default: false
    }
  }
}
