extension WebAuthnJourneyConfiguration {
  /// WebAuthn for one journey client: credentials that open by biometrics or the device passcode, this machine's public
  /// suffix list, and the journey server's origin.
  ///
  /// Whoever wants several credentials to choose from without a delegate sets `selection` to a `PromptedInteraction`.
  /// - Parameters:
  ///   - verifier: checks the person. If it can also collect PINs, credentials may be kept by an application PIN.
  ///   - authenticatorType: what makes new credentials.
  ///   - allowsSoftwareKeys: whether biometric and passcode authenticators may make keys without hardware. Without
  ///     it they are not supported on a machine that has no hardware keys.
  /// - Throws: `unsupported` when the machine has no public suffix list.
  public init(
    for journey: Journey, keyStore: any KeyStore, verifier: any UserVerifier, environment: AuthenticatorEnvironment,
    authenticatorType: AuthenticatorType = .biometricAllowFallback, allowsSoftwareKeys: Bool = false
  ) throws {
    let binding = DeviceBindingConfiguration(
      for: journey, keyStore: keyStore, verifier: verifier, environment: environment,
      allowsSoftwareKeys: allowsSoftwareKeys)
    self.init(
      context: binding.context, factories: binding.factories, authenticatorType: authenticatorType,
      client: WebAuthnClientConfiguration(publicSuffixes: try SystemPublicSuffixList()))
  }
}
