import AuthenticatorCoding

/// Asks for a user name.
public final class NameCallback: Callback {
  public override class var wireType: String { "NameCallback" }

  /// What to show beside the field; server text.
  public var prompt: String { payload.text("prompt") ?? "" }

  /// The answer; nil: not answered, the input goes back as received.
  public var name: String? {
    get { answer()?.stringValue }
    set { if let newValue { answer(.string(newValue)) } else { withdrawAnswers() } }
  }
}
