extension TrustedDeviceJourneyConfiguration {
  /// Trusted devices in the journeys of one client, with the shipped authenticators.
  /// - Parameters:
  ///   - verifier: checks the person.
  ///   - allowsSoftwareKeys: whether keys may be made without hardware. Without it, enrolling is refused on a machine
  ///     that has no hardware keys.
  public init(
    for journey: Journey, keyStore: any KeyStore, verifier: any UserVerifier, environment: AuthenticatorEnvironment,
    allowsSoftwareKeys: Bool = false
  ) {
    self.init(
      context: AuthenticatorContext(
        instance: journey.configuration.instance, keyStore: keyStore, verifier: verifier, environment: environment),
      authenticators: TrustedDeviceAuthenticators(
        BiometricAuthenticatorConfig(allowsSoftwareKeys: allowsSoftwareKeys)))
  }
}
