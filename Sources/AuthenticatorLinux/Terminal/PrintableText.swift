/// Text from outside, made fit for a terminal: what could move the cursor, change colors or turn the reading
/// direction is shown as a replacement character, and lines are cut.
enum PrintableText {
  static let maximumCharacters = 2000

  static func of(_ text: String) -> String {
    String(
      String.UnicodeScalarView(text.prefix(maximumCharacters).unicodeScalars.map { isHarmless($0) ? $0 : "\u{FFFD}" }))
  }

  /// The same, on one line.
  static func line(_ text: String) -> String {
    String(String.UnicodeScalarView(of(text).unicodeScalars.map { $0 == "\n" ? "\u{FFFD}" : $0 }))
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
      // Joiners shape letters and emoji.
      scalar == "\n" || scalar == "\u{200C}" || scalar == "\u{200D}"
    default: true
    }
  }
}
