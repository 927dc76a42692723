public import AuthenticatorCore

/// The input of `makeCredential` (WebAuthn Level 3 section 6.3.2).
public struct MakeCredentialRequest: Sendable {
  /// SHA-256 of the client data.
  public var clientDataHash: [UInt8]
  /// The relying party ID, in the form that is hashed.
  public var relyingPartyID: String
  /// The relying party's own word for itself; may be empty.
  public var relyingPartyName: String
  /// The account.
  public var user: PublicKeyCredentialUserEntity
  /// Whether the credential must be found without being named.
  public var requireResidentKey: Bool
  /// False for conditional create only.
  public var requireUserPresence: Bool
  /// Whether the person must be verified.
  public var requireUserVerification: Bool
  /// In the relying party's order of preference.
  public var parameters: [PublicKeyCredentialParameters]
  /// Credentials of the account; none is made where one of them is.
  public var excludeCredentials: [PublicKeyCredentialDescriptor]
  /// The U2F AppID under which excluded credentials may be held, too (`appidExclude`); nil: none.
  public var excludedAppID: String?
  /// In the relying party's order of preference; empty leaves the choice to the authenticator.
  public var attestationFormats: [AttestationStatementFormat]
  /// What is asked for beyond the key.
  public var extensions: RegistrationExtensions
  /// The uptime at which the ceremony ends.
  public var deadline: Duration
  /// What a CTAP2 client's own verification amounts to; opens keys without a gate only.
  var verification: UserVerification?

  /// See the properties.
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
  /// What vouches for the credential, with its authenticator data.
  public let attestationObject: AttestationObject
  /// The evidence that the flags state; nil when nothing was asked.
  public let verification: UserVerification?
  /// What the extensions gave.
  public let extensions: RegistrationExtensionResults
}
