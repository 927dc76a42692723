import AuthenticatorCoding

/// Asks for a text, with a default.
public final class TextInputCallback: Callback {
  public override class var wireType: String { "TextInputCallback" }

  /// What to show beside the field; server text.
  public var prompt: String { payload.text("prompt") ?? "" }
  /// What the field shows at first.
  public var defaultText: String { payload.text("defaultText") ?? "" }

  /// The answer; nil: not answered, the input goes back as received.
  public var text: String? {
    get { answer()?.stringValue }
    set { if let newValue { answer(.string(newValue)) } else { withdrawAnswers() } }
  }
}
