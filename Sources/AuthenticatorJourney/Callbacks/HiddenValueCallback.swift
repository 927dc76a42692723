import AuthenticatorCoding

/// A field that only the app fills (the outcome of a WebAuthn ceremony, risk signals, an error word).
///
/// The server presets the input with the field's id, so an untouched field answers its own id; that is expected.
public final class HiddenValueCallback: Callback {
  public override class var wireType: String { "HiddenValueCallback" }

  /// Which field it is: `webAuthnOutcome`, `clientError`, …
  public var id: String { payload.text("id") ?? "" }
  /// The value the server set; not the answer.
  public var defaultValue: String { payload.text("value") ?? "" }

  /// The answer; nil: not answered, the input goes back as received.
  public var value: String? {
    get { answer()?.stringValue }
    set { if let newValue { answer(.string(newValue)) } else { withdrawAnswers() } }
  }

  /// Nobody is asked for it.
  public override var awaitsAnswer: Bool { false }
}
