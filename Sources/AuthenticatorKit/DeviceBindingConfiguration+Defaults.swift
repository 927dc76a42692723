extension DeviceBindingConfiguration {
  /// Binding and signing for one journey client, with the five shipped authenticators behind their own words.
  /// - Parameters:
  ///   - verifier: checks the person. If it can also collect PINs and ask for a choice, it does both.
  ///   - allowsSoftwareKeys: whether biometric and passcode authenticators may make keys without hardware. Without
  ///     it they are not supported on a machine that has no hardware keys.
  public init(
    for journey: Journey, keyStore: any KeyStore, verifier: any UserVerifier, environment: AuthenticatorEnvironment,
    allowsSoftwareKeys: Bool = false
  ) {
    let biometric = BiometricAuthenticatorConfig(allowsSoftwareKeys: allowsSoftwareKeys)
    self.init(
      context: AuthenticatorContext(
        instance: journey.configuration.instance, keyStore: keyStore, verifier: verifier, environment: environment),
      factories: .defaults(
        biometricOnly: biometric, biometricAllowFallback: biometric,
        devicePasscode: DevicePasscodeConfig(allowsSoftwareKeys: allowsSoftwareKeys),
        applicationPIN: (verifier as? any PINCollector).map { ApplicationPINConfig(pinCollector: $0) }),
      keySelector: (verifier as? any PromptResponder).map {
        PromptingKeySelector($0, prompt: Prompt(reason: "Who is signing in?"), environment: environment)
      })
  }
}
