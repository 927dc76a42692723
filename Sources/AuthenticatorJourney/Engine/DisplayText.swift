/// Server text on its way to a prompt: without what could fake another text, and of a bounded length.
package enum DisplayText {
  /// The text without control and formatting characters (line breaks excepted), cut at a character boundary.
  package static func cleaned(_ text: some StringProtocol, maximumBytes: Int) -> String {
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
