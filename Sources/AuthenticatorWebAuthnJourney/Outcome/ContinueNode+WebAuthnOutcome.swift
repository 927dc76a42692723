import AuthenticatorJourney

extension ContinueNode {
  /// The answer in the hidden field `webAuthnOutcome`. Nil: there is no such field, or nothing was written into it, and
  /// it goes back as received.
  ///
  /// `register` and `authenticate` write it when they are given the node; otherwise an app does, and `next()` needs
  /// nothing more. Setting does nothing on a node without the field.
  public var webAuthnOutcome: WebAuthnOutcome? {
    get { webAuthnField?.value.map(WebAuthnOutcome.init(rawValue:)) }
    set { webAuthnField?.value = newValue?.rawValue }
  }

  var webAuthnField: HiddenValueCallback? { hiddenValue(id: StepForm.outcomeID) }
}
