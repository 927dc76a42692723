import AuthenticatorTrustedDevice

extension LoginSession {
  /// A client for the trusted devices of the journey's server.
  func trustedDeviceClient(_ holder: KeyHolder) throws -> TrustedDeviceClient {
    var configuration = try TrustedDeviceConfiguration(server: journey.configuration.instance)
    configuration.authenticators = device.trustedDevices
    configuration.installationMarkers = device.installationMarkers
    configuration.requestTimeout = journey.configuration.requestTimeout
    if let limit = options.timeout { configuration.promptTimeLimit = limit }
    return TrustedDeviceClient(
      configuration, transport: transport, keyStore: holder.store, verifier: device.person.verifier,
      environment: device.person.environment, onEvent: TrustedDeviceEventText.reporter(on: console))
  }
}
