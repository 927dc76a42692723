import AuthenticatorCoding

/// Asks for a password. The answer is forgotten here as soon as it was posted, whatever became of it; memory
/// that the text and the request have passed through is not overwritten.
public final class PasswordCallback: Callback {
  public override class var wireType: String { "PasswordCallback" }

  /// What to show beside the field; server text.
  public var prompt: String { payload.text("prompt") ?? "" }

  /// The answer; nil: not answered, the input goes back as received.
  public var password: String? {
    get { answer()?.stringValue }
    set { if let newValue { answer(.string(newValue)) } else { withdrawAnswers() } }
  }

  public override func forgetSecrets() { if isAnswered { answer("") } }
}
