extension CallbackRegistry {
  /// Every callback class of this package: the plain ones, device binding and device signing, WebAuthn registration and
  /// authentication, enrolling and signing in with a trusted device, UAF.
  public static let complete = complete(webAuthn: nil)

  /// Every callback class of this package, with what the WebAuthn, trusted-device and UAF callbacks work with.
  /// - Parameters:
  ///   - webAuthn: nil: the app gives it to each callback.
  ///   - trustedDevices: nil: the app gives it to each callback.
  ///   - uaf: nil: the app gives it to each callback.
  public static func complete(
    webAuthn: WebAuthnJourneyConfiguration?, trustedDevices: TrustedDeviceJourneyConfiguration? = nil,
    uaf: UAFJourneyConfiguration? = nil
  ) -> CallbackRegistry {
    CallbackRegistry.standard
      .registering(DeviceBindingCallback.self)
      .registering(DeviceSigningVerifierCallback.self)
      .registeringWebAuthn(webAuthn)
      .registeringTrustedDevices(trustedDevices)
      .registeringUAF(uaf)
  }
}
