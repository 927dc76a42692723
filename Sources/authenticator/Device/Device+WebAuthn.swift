import AuthenticatorCore
import AuthenticatorHTTP
import AuthenticatorPublicSuffix
import AuthenticatorWebAuthn
import DeviceAuthenticators

extension Device {
  /// The instance of all WebAuthn credentials of this tool: what keeps relying parties apart is their IDs.
  static let webAuthnInstance = ""

  /// Makes and uses WebAuthn credentials on this device; the person confirms and chooses as the device lets them.
  func platformAuthenticator(
    over store: any KeyStore, attestation: AttestationFiles? = nil
  ) async throws -> WebAuthnPlatformAuthenticator {
    var configuration = WebAuthnPlatformConfiguration()
    if let (key, aaguid) = try attestation?.load() {
      configuration.attestation = .certified(key)
      configuration.aaguid = aaguid
    }
    let context = AuthenticatorContext(
      instance: Self.webAuthnInstance, keyStore: store, verifier: person.verifier, environment: person.environment)
    return WebAuthnPlatformAuthenticator(
      wrapping: try await factories.make(options.authenticator ?? .biometricAllowFallback, context),
      factories: factories, configuration: configuration,
      selectionDelegate: PromptedInteraction(responder: person.responder))
  }

  /// A client for ceremonies as the command line describes them.
  func webAuthnClient(
    _ ceremony: CeremonyOptions, over store: any KeyStore, attestation: AttestationFiles? = nil
  ) async throws -> WebAuthnClient {
    var configuration = WebAuthnClientConfiguration(publicSuffixes: try SystemPublicSuffixList())
    if !ceremony.relyingPartyIDs.isEmpty {
      configuration.nativeOrigins[ceremony.caller.origin] = ceremony.relyingPartyIDs
    }
    if ceremony.asksRelatedOrigins {
      do {
        configuration.transport = try CurlTransport(CurlConfiguration(certificateFile: ceremony.certificateFile))
      } catch let error as AuthenticatorError where error.code == .invalidRequest {
        throw Failure.unusable("inputUnusable", error.reason, stage: error.stage)
      }
    }
    let authenticator = try await platformAuthenticator(over: store, attestation: attestation)
    // What a crash has left behind is nobody's.
    try await authenticator.discardAbandonedCredentials()
    return WebAuthnClient(authenticator: authenticator, configuration: configuration)
  }
}
