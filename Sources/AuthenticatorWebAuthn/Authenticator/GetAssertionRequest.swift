public import AuthenticatorCore

/// The input of `getAssertion` (WebAuthn Level 3 section 6.3.3).
public struct GetAssertionRequest: Sendable {
  /// The relying party ID, in the form that is hashed.
  public var relyingPartyID: String
  /// SHA-256 of the client data.
  public var clientDataHash: [UInt8]
  /// Empty: any discoverable credential of the relying party.
  public var allowCredentials: [PublicKeyCredentialDescriptor]
  /// The only credential to be used, because the person has chosen it already; nil: any that is allowed. One that is
  /// not among the candidates is not there.
  public var chosenCredential: CredentialID?
  /// Whether the person must be there.
  public var requireUserPresence: Bool
  /// Whether the person must be verified.
  public var requireUserVerification: Bool
  /// What is asked for beyond the signature.
  public var extensions: AssertionExtensions
  /// A U2F AppID whose credentials are used when the list names none of the relying party; their assertions carry the
  /// AppID's hash.
  public var appID: String?
  /// Whether the person is asked for presence before absence is told, so that the answer's time tells nothing.
  public var concealsAbsence: Bool
  /// The uptime at which the ceremony ends.
  public var deadline: Duration
  /// A ticket of a ceremony that serves several assertions.
  var ticket: VerificationTicket?

  /// See the properties.
  public init(
    relyingPartyID: String, clientDataHash: [UInt8], allowCredentials: [PublicKeyCredentialDescriptor] = [],
    chosenCredential: CredentialID? = nil, requireUserPresence: Bool = true, requireUserVerification: Bool = false,
    extensions: AssertionExtensions = AssertionExtensions(), appID: String? = nil, concealsAbsence: Bool = true,
    deadline: Duration
  ) {
    self.relyingPartyID = relyingPartyID
    self.clientDataHash = clientDataHash
    self.allowCredentials = allowCredentials
    self.chosenCredential = chosenCredential
    self.requireUserPresence = requireUserPresence
    self.requireUserVerification = requireUserVerification
    self.extensions = extensions
    self.appID = appID
    self.concealsAbsence = concealsAbsence
    self.deadline = deadline
  }

  /// The level that the request asks for by itself.
  var level: VerificationLevel { requireUserVerification ? .verified : requireUserPresence ? .presence : .none }
}

/// An assertion.
public struct AssertionResult: Sendable {
  /// The name of the credential that signed.
  public let credentialID: CredentialID
  /// The bytes that were signed, before the client data's hash.
  public let authenticatorData: [UInt8]
  /// In its form on the wire: DER for ECDSA.
  public let signature: [UInt8]
  /// Always there for a discoverable credential; nil for others.
  public let userHandle: [UInt8]?
  /// The credential's record as it was when it was used.
  public let record: KeyRecord
  /// The evidence that the flags state; nil when nothing was asked.
  public let verification: UserVerification?
  /// What the extensions gave.
  public let extensions: AssertionExtensionResults
  /// Whether the credential was found under the AppID.
  public let usedAppID: Bool
}
