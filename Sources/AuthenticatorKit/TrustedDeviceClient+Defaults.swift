extension TrustedDeviceClient {
  /// A client with the shipped authenticators that, unless it is given another transport, sends with libcurl.
  /// - Parameters:
  ///   - publishableKey: names the server.
  ///   - proxyURL: the app's own proxy in front of it.
  ///   - keyStore: keeps the keys and everything else that outlives the process.
  ///   - verifier: checks the person.
  ///   - environment: its `appIdentifier` is what credentials are enrolled for.
  ///   - allowsSoftwareKeys: whether keys may be made without hardware. Without it, enrolling is refused on a machine
  ///     that has no hardware keys.
  ///   - onEvent: called for every event, must not block.
  /// - Throws: `invalidRequest`, naming the setting; `transportFailed` when libcurl cannot start.
  public convenience init(
    publishableKey: String, proxyURL: String? = nil, keyStore: any KeyStore, verifier: any UserVerifier,
    environment: AuthenticatorEnvironment, transport: (any HTTPTransport)? = nil, allowsSoftwareKeys: Bool = false,
    onEvent: @escaping @Sendable (TrustedDeviceEvent) -> Void = { _ in }
  ) throws {
    var configuration = try TrustedDeviceConfiguration(publishableKey: publishableKey, proxyURL: proxyURL)
    configuration.authenticators = TrustedDeviceAuthenticators(
      BiometricAuthenticatorConfig(allowsSoftwareKeys: allowsSoftwareKeys))
    self.init(
      configuration, transport: try transport ?? CurlTransport(), keyStore: keyStore, verifier: verifier,
      environment: environment, onEvent: onEvent)
  }

  /// The same for a server that is named by its address, as the embedded one is.
  /// - Throws: `invalidRequest`, naming the setting; `transportFailed` when libcurl cannot start.
  public convenience init(
    server: String, keyStore: any KeyStore, verifier: any UserVerifier, environment: AuthenticatorEnvironment,
    transport: (any HTTPTransport)? = nil, allowsSoftwareKeys: Bool = false,
    onEvent: @escaping @Sendable (TrustedDeviceEvent) -> Void = { _ in }
  ) throws {
    var configuration = try TrustedDeviceConfiguration(server: server)
    configuration.authenticators = TrustedDeviceAuthenticators(
      BiometricAuthenticatorConfig(allowsSoftwareKeys: allowsSoftwareKeys))
    self.init(
      configuration, transport: try transport ?? CurlTransport(), keyStore: keyStore, verifier: verifier,
      environment: environment, onEvent: onEvent)
  }
}
