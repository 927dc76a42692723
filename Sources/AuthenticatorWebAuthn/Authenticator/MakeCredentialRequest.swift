public import AuthenticatorCore

/// The input of `makeCredential` (WebAuthn Level 3 section 6.3.2).
public struct MakeCredentialRequest: Sendable {
  /// SHA-256 of the client data.
  public var clientDataHash: [UInt8]
  public var relyingPartyID: String
  public var relyingPartyName: String
  public var user: PublicKeyCredentialUserEntity
  public var requireResidentKey: Bool
  /// False for conditional create only.
  public var requireUserPresence: Bool
  public var requireUserVerification: Bool
  /// In the relying party's order of preference.
  public var parameters: [PublicKeyCredentialParameters]
  public var excludeCredentials: [PublicKeyCredentialDescriptor]
  /// In the relying party's order of preference; empty leaves the choice to the authenticator.
  public var attestationFormats: [AttestationStatementFormat]
  public var extensions: RegistrationExtensions
  /// The uptime at which the ceremony ends.
  public var deadline: Duration
  /// What a CTAP2 client's own verification amounts to; opens keys without a gate only.
  var verification: UserVerification?

  public init(
    clientDataHash: [UInt8], relyingPartyID: String, relyingPartyName: String = "",
    user: PublicKeyCredentialUserEntity, requireResidentKey: Bool = false, requireUserPresence: Bool = true,
    requireUserVerification: Bool = false,
    parameters: [PublicKeyCredentialParameters] = [PublicKeyCredentialParameters(algorithm: .es256)],
    excludeCredentials: [PublicKeyCredentialDescriptor] = [], attestationFormats: [AttestationStatementFormat] = [],
    extensions: RegistrationExtensions = RegistrationExtensions(), deadline: Duration
  ) {
    self.clientDataHash = clientDataHash
    self.relyingPartyID = relyingPartyID
    self.relyingPartyName = relyingPartyName
    self.user = user
    self.requireResidentKey = requireResidentKey
    self.requireUserPresence = requireUserPresence
    self.requireUserVerification = requireUserVerification
    self.parameters = parameters
    self.excludeCredentials = excludeCredentials
    self.attestationFormats = attestationFormats
    self.extensions = extensions
    self.deadline = deadline
  }

  /// The level that the request asks for by itself.
  var level: VerificationLevel { requireUserVerification ? .verified : requireUserPresence ? .presence : .none }
}

/// A new credential.
public struct MakeCredentialResult: Sendable {
  /// The credential, active in its store.
  public let credential: PublicKeyCredentialSource
  public let attestationObject: AttestationObject
  /// The evidence that the flags state; nil when nothing was asked.
  public let verification: UserVerification?
  public let extensions: RegistrationExtensionResults
}
