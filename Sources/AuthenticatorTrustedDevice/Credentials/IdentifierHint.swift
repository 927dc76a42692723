/// What tells two users' credentials apart on the sign-in screen. It is kept here only and never sent.
package enum IdentifierHint {
  /// Without blanks around it, in lower case; nil when nothing is left.
  package static func normalized(_ text: String?) -> String? {
    guard let text = text?.trimmingBlanks(), !text.isEmpty else { return nil }
    return text.lowercased()
  }

  /// Whether a stored hint meets the one that is asked for. Nothing asked for meets everything; something asked for
  /// does not meet a credential without a hint.
  package static func matches(_ stored: String?, asked: String?) -> Bool {
    guard let asked = normalized(asked) else { return true }
    return normalized(stored) == asked
  }
}
