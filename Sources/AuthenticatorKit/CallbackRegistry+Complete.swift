extension CallbackRegistry {
  /// Every callback class of this package: the plain ones, device binding and device signing, WebAuthn registration and
  /// authentication.
  public static let complete = complete(webAuthn: nil)

  /// Every callback class of this package, with what the WebAuthn callbacks work with.
  /// - Parameter webAuthn: nil: the app gives it to each callback.
  public static func complete(webAuthn: WebAuthnJourneyConfiguration?) -> CallbackRegistry {
    CallbackRegistry.standard
      .registering(DeviceBindingCallback.self)
      .registering(DeviceSigningVerifierCallback.self)
      .registeringWebAuthn(webAuthn)
  }
}
