import AuthenticatorJourney

extension CallbackRegistry {
  /// Adds the two WebAuthn callbacks, which are recognized by content. Metadata and scripts of any other kind, and
  /// actions that this package does not know, stay what they are.
  /// - Parameter configuration: with what the callbacks work; nil: the app gives it to each of them.
  public mutating func registerWebAuthn(_ configuration: WebAuthnJourneyConfiguration? = nil) {
    let factory: Factory = { payload in
      let callback: WebAuthnCallback
      switch StepForm.recognize(payload)?.ceremony {
      case .registration: callback = try WebAuthnRegistrationCallback(payload)
      case .authentication: callback = try WebAuthnAuthenticationCallback(payload)
      case nil: return nil
      }
      callback.configuration = configuration
      return callback
    }
    specialize(MetadataCallback.wireType, using: factory)
    specialize(TextOutputCallback.wireType, using: factory)
  }

  /// A copy with the two WebAuthn callbacks.
  public func registeringWebAuthn(_ configuration: WebAuthnJourneyConfiguration? = nil) -> CallbackRegistry {
    var copy = self
    copy.registerWebAuthn(configuration)
    return copy
  }
}
