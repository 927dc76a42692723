import AuthenticatorCore
import AuthenticatorHTTP
import AuthenticatorPublicSuffix
import AuthenticatorWebAuthn
import DeviceAuthenticators

extension Device {
  /// The instance of credentials that were made outside journeys: there is no server, and what keeps relying parties
  /// apart is their IDs.
  static let ownWebAuthnInstance = ""

  /// Makes and uses WebAuthn credentials on this device; the person confirms and chooses as the device lets them.
  func platformAuthenticator(
    over store: any KeyStore, instance: String, attestation: AttestationFiles? = nil
  ) async throws -> WebAuthnPlatformAuthenticator {
    let context = AuthenticatorContext(
      instance: instance, keyStore: store, verifier: person.verifier, environment: person.environment)
    return WebAuthnPlatformAuthenticator(
      wrapping: try await factories.make(options.authenticator ?? .biometricAllowFallback, context),
      factories: factories,
      configuration: try Self.platformConfiguration(attestation, at: person.environment.now()),
      selectionDelegate: PromptedInteraction(responder: person.responder))
  }

  /// How new credentials are made; the files, if any, vouch for them.
  static func platformConfiguration(
    _ attestation: AttestationFiles?, at time: UnixTime
  ) throws -> WebAuthnPlatformConfiguration {
    var configuration = WebAuthnPlatformConfiguration()
    if let (key, aaguid) = try attestation?.load(at: time) {
      configuration.attestation = .certified(key)
      configuration.aaguid = aaguid
    }
    return configuration
  }

  /// How a client behaves for an origin that may use some relying party IDs besides those that are its own by the rules
  /// of the web.
  static func clientConfiguration(
    _ origin: String, _ relyingPartyIDs: Set<String>
  ) throws -> WebAuthnClientConfiguration {
    var configuration = WebAuthnClientConfiguration(publicSuffixes: try SystemPublicSuffixList())
    // What a web page may use follows from its origin, and from nothing else.
    if !relyingPartyIDs.isEmpty, !isWeb(origin) { configuration.nativeOrigins[origin] = relyingPartyIDs }
    return configuration
  }

  private static func isWeb(_ origin: String) -> Bool {
    ["http:", "https:"].contains { origin.lowercased().hasPrefix($0) }
  }

  /// The values of `--rp-id`.
  /// - Throws: a usage failure for what is no relying party ID, and for one that a web origin may not use.
  static func relyingPartyIDs(_ arguments: Arguments, of origin: String) throws -> Set<String> {
    let ids = Set(arguments.all("--rp-id"))
    guard !ids.isEmpty else { return [] }
    let rules = WebAuthnClientConfiguration(publicSuffixes: try SystemPublicSuffixList())
    for id in ids.sorted() {
      guard WebAuthnClientConfiguration.isRelyingPartyID(id) else {
        throw Failure.usage("--rp-id '\(id)' is no domain name: example.com, in lower case")
      }
      guard !isWeb(origin) || rules.permits(id, to: origin) else {
        throw Failure.usage("--rp-id '\(id)' does not belong to the web origin, and is for the origins of apps")
      }
    }
    return ids
  }

  /// A client for ceremonies as the command line describes them.
  func webAuthnClient(
    _ ceremony: CeremonyOptions, over store: any KeyStore, attestation: AttestationFiles? = nil
  ) async throws -> WebAuthnClient {
    var configuration = try Self.clientConfiguration(ceremony.caller.origin, ceremony.relyingPartyIDs)
    if ceremony.asksRelatedOrigins {
      do {
        configuration.transport = try CurlTransport(CurlConfiguration(certificateFile: ceremony.certificateFile))
      } catch let error as AuthenticatorError where error.code == .invalidRequest {
        throw Failure.unusable("inputUnusable", error.reason, stage: error.stage)
      }
    }
    let authenticator = try await platformAuthenticator(
      over: store, instance: ceremony.instance, attestation: attestation)
    // What a crash has left behind is nobody's.
    try await authenticator.discardAbandonedCredentials()
    return WebAuthnClient(authenticator: authenticator, configuration: configuration)
  }
}
