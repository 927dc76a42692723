/// Names that come from a relying party: how much of them is stored, and what of them is shown.
enum DisplayText {
  /// WebAuthn Level 3 section 6.4.1.
  private static let maximumBytes = WebAuthnLimits.nameBytes

  /// The beginning of a text that fits, cut between characters; where a single character is longer than that, between
  /// scalars.
  static func stored(_ text: String) -> String {
    guard text.utf8.count > maximumBytes else { return text }
    var kept = ""
    var size = 0
    for character in text {
      size += character.utf8.count
      if size > maximumBytes { break }
      kept.append(character)
    }
    guard kept.isEmpty else { return kept }
    size = 0
    for scalar in text.unicodeScalars {
      size += UTF8.width(scalar)
      if size > maximumBytes { break }
      kept.unicodeScalars.append(scalar)
    }
    return kept
  }

  /// The text without control characters and without marks that turn the direction of what follows, cut like a stored
  /// one: it cannot break out of its line.
  static func shown(_ text: String) -> String {
    let isPlain = text.utf8.count <= maximumBytes && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    if isPlain { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in stored(text).unicodeScalars where !isTrick(scalar) { scalars.append(scalar) }
    return String(scalars)
  }

  private static func isTrick(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: scalar.properties.generalCategory == .control
    }
  }
}
