internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// What the Frontend API and the journey nodes share.
struct TrustedDeviceServices: Sendable {
  let settings: TrustedDeviceSettings
  /// The realm whose users the Frontend API signs in.
  let realm: Realm
  /// The app identifiers that may enroll.
  let appIdentifiers: Set<String>
  let registry: any JourneyRegistry
  let environment: AuthenticatorEnvironment
  let seal: Seal
  let challenges: SealedChallenges

  /// Throws `AuthenticatorError` (`invalidRequest`) for settings that name a realm which is not served.
  init(configuration: JourneyServerConfiguration, registry: any JourneyRegistry) async throws {
    settings = configuration.trustedDevices
    guard let realm = settings.realm ?? configuration.realms.first, configuration.realms.contains(realm) else {
      throw AuthenticatorError(.invalidRequest, stage: "server", reason: "the trusted devices' realm is not served")
    }
    self.realm = realm
    self.registry = registry
    environment = configuration.environment
    appIdentifiers = Set(settings.appIdentifiers ?? configuration.applicationIDs)
    seal = try await Seal(registry: registry, environment: environment)
    challenges = SealedChallenges(seal: seal, random: environment.random)
  }

  /// A new name.
  func makeID(_ kind: ResourceID.Kind) throws -> String {
    ResourceID(kind, random: try environment.random(ResourceID.byteCount)).text
  }

  var enrollmentRules: EnrollmentRules {
    EnrollmentRules(
      quota: settings.quota, refusesEnrolledAgain: settings.enrolledAgain == .refuse,
      replacesOtherUsers: settings.replaceScope == .installation)
  }

  /// What a device calls its installation, in the form it is kept.
  static func installationDigest(_ text: String) -> String { Base64URL.encode(SHA256.hash(Array(text.utf8))) }
}
