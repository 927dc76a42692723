import AuthenticatorCore

/// What names this client towards the server: sent verbatim in `Authorization`, never shown.
struct DeviceToken: Hashable, Sendable {
  /// The value of the field.
  let text: String

  /// Nil: text that no header field can carry, or an empty one.
  init?(_ text: String) {
    guard (1...16_384).contains(text.utf8.count), HTTPToken.isFieldValue(text) else { return nil }
    self.text = text
  }
}

extension DeviceToken: CustomStringConvertible, CustomReflectable {
  var description: String { "DeviceToken(redacted)" }
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// What an answer says about the device token.
enum TokenChange: Hashable, Sendable {
  /// Nothing.
  case unchanged
  /// It is forgotten, and the client with it.
  case cleared
  /// It is another one from now on.
  case replaced(DeviceToken)

  /// Reads the answer's `Authorization` field: absent changes nothing; blank, or the bare word `Bearer`, clears.
  init(_ response: HTTPResponse) {
    guard let field = response.values("Authorization").first else {
      self = .unchanged
      return
    }
    let text = field.trimmingBlanks()
    if text.isEmpty || text.lowercased() == "bearer" {
      self = .cleared
    } else {
      self = DeviceToken(text).map(TokenChange.replaced) ?? .unchanged
    }
  }
}

extension String {
  /// Without white space and line ends around it.
  func trimmingBlanks() -> String {
    let start = drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}
