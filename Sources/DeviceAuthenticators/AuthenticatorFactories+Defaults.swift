import AuthenticatorCore

extension AuthenticatorFactories {
  /// Factories of the five shipped authenticators, each made afresh from its configuration.
  /// - Parameter applicationPIN: nil leaves that type out, since it needs a place where PINs are entered; making one
  ///   is then `unsupported`.
  public static func defaults(
    biometricOnly: BiometricAuthenticatorConfig = BiometricAuthenticatorConfig(),
    biometricAllowFallback: BiometricAuthenticatorConfig = BiometricAuthenticatorConfig(),
    devicePasscode: DevicePasscodeConfig = DevicePasscodeConfig(),
    applicationPIN: ApplicationPINConfig? = nil
  ) -> AuthenticatorFactories {
    var factories = AuthenticatorFactories([
      .biometricOnly: { BiometricOnlyAuthenticator(config: biometricOnly, context: $0) },
      .biometricAllowFallback: {
        BiometricDeviceCredentialAuthenticator(config: biometricAllowFallback, context: $0)
      },
      .devicePasscode: { DevicePasscodeAuthenticator(config: devicePasscode, context: $0) },
      .none: { NoneAuthenticator(context: $0) },
    ])
    if let applicationPIN {
      factories.register(.applicationPIN) { ApplicationPINAuthenticator(config: applicationPIN, context: $0) }
    }
    return factories
  }
}
