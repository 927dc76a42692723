/// Text of a client that is shown to people or kept for them.
enum DisplayText {
  /// The text without control, format and other characters that nobody sees.
  static func visible(_ text: String) -> String {
    let visible = text.unicodeScalars.filter { !$0.properties.generalCategory.isControl }
    return String(String.UnicodeScalarView(visible))
  }

  /// A device's name: visible, at most 128 characters and 1,024 bytes; `standard` when nothing is left of it.
  static func deviceName(_ name: String?, otherwise standard: String) -> String {
    let text = String(visible(name ?? "").prefix(128))
    return text.isEmpty || text.utf8.count > 1024 ? standard : text
  }
}

extension Unicode.GeneralCategory {
  fileprivate var isControl: Bool {
    switch self {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
    default: false
    }
  }
}
