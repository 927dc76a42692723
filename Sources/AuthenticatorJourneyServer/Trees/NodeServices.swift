public import AuthenticatorCore

/// What nodes may use of the server.
public struct NodeServices: Sendable {
  /// Clock and randomness.
  public let environment: AuthenticatorEnvironment
  /// Users, devices and sessions.
  public let registry: any JourneyRegistry
  /// Checks passwords, and counts the attempts.
  public let passwords: PasswordAuthority
  /// The `iss` values device nodes accept when they name none themselves.
  public let applicationIDs: [String]
  /// Brings a resume link to the person; nil: journeys that need it fail.
  public let deliver: (@Sendable (ResumeLink) async throws -> Void)?
  /// Judges a key attestation; nil: a binding that must attest is refused.
  public let attestationJudge: AttestationJudge?
  /// Who the server is to browsers and authenticators.
  public let webAuthn: WebAuthnConfiguration
  /// Receives what an operator should know.
  public let log: @Sendable (JourneyServerEvent) -> Void
  /// Gives names that nobody has an identifier all the same, always the same one.
  let pseudonyms: Pseudonyms
  /// Settings and challenges of trusted devices.
  let trustedDevices: TrustedDeviceServices
  /// Settings and requests of UAF.
  let uaf: UAFServices

  /// The universal identifier of the user of this name. For a name nobody has, one that looks alike, so that an answer
  /// does not tell which names exist.
  public func universalID(ofUserNamed name: String, in realm: Realm) async throws -> String {
    realm.universalID(of: try await userID(ofUserNamed: name, in: realm))
  }

  /// The identifier of the user of this name, or for a name nobody has one that looks alike.
  func userID(ofUserNamed name: String, in realm: Realm) async throws -> String {
    try await registry.user(named: name, in: realm)?.id ?? pseudonyms.userID(for: name, in: realm)
  }
}

/// A link that brings a parked journey back, once.
public struct ResumeLink: Hashable, Sendable {
  /// The realm of the journey.
  public var realm: Realm
  /// The tree's name.
  public var journey: String
  /// Whom it is for, when a name was given.
  public var username: String?
  /// The value of the `suspendedId` parameter.
  public var suspendedID: String
  /// The complete link; begins with the server's public address, when that is known.
  public var url: String
  /// When it stops working.
  public var expiresAt: UnixTime
}

/// Judges a key attestation: certificates (DER, the key's own first) and the challenge they must name.
public typealias AttestationJudge =
  @Sendable (_ certificates: [[UInt8]], _ challenge: String, _ publicKeyPoint: [UInt8]) async throws -> Bool
