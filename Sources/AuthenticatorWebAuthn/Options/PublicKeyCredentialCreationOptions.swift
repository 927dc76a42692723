public import AuthenticatorCoding

/// What a relying party asks for when a credential is to be made (WebAuthn Level 3 section 5.4).
///
/// Reading is tolerant where the standard is: unknown words and members are kept and mean nothing, padding in base64url
/// is accepted, numbers may be text. Writing is exact.
public struct PublicKeyCredentialCreationOptions: Hashable, Sendable {
  /// Who asks.
  public var relyingParty: PublicKeyCredentialRpEntity
  /// Whose credential it becomes.
  public var user: PublicKeyCredentialUserEntity
  /// At least 16 unpredictable bytes.
  public var challenge: [UInt8]
  /// In the relying party's order, entries of unknown type or algorithm included; empty stands for the standard's
  /// defaults, which `effectiveParameters` applies.
  public var parameters: [PublicKeyCredentialParameters]
  /// In milliseconds, as asked for.
  public var timeout: Int?
  /// Credentials of the account; an authenticator that holds one makes no other.
  public var excludeCredentials: [PublicKeyCredentialDescriptor]
  /// What the authenticator has to be able to do.
  public var authenticatorSelection: AuthenticatorSelectionCriteria
  /// Where the person is likely to have the authenticator, in order of likelihood.
  public var hints: [PublicKeyCredentialHint]
  /// How much the relying party wants to learn about the authenticator, as received.
  public var attestation: AttestationConveyancePreference?
  /// Formats of statements in order of preference.
  public var attestationFormats: [AttestationStatementFormat]
  /// Client extension inputs as they stand in JSON.
  public var extensions: JSONObject

  /// See the properties.
  public init(
    relyingParty: PublicKeyCredentialRpEntity, user: PublicKeyCredentialUserEntity, challenge: [UInt8],
    parameters: [PublicKeyCredentialParameters], timeout: Int? = nil,
    excludeCredentials: [PublicKeyCredentialDescriptor] = [],
    authenticatorSelection: AuthenticatorSelectionCriteria = AuthenticatorSelectionCriteria(),
    hints: [PublicKeyCredentialHint] = [], attestation: AttestationConveyancePreference? = nil,
    attestationFormats: [AttestationStatementFormat] = [], extensions: JSONObject = [:]
  ) {
    self.relyingParty = relyingParty
    self.user = user
    self.challenge = challenge
    self.parameters = parameters
    self.timeout = timeout
    self.excludeCredentials = excludeCredentials
    self.authenticatorSelection = authenticatorSelection
    self.hints = hints
    self.attestation = attestation
    self.attestationFormats = attestationFormats
    self.extensions = extensions
  }

  /// The parameters to choose from: those of a known type, or ES256 and RS256 when none were given. Empty when all that
  /// were given are of unknown types, which is a NotSupportedError.
  public var effectiveParameters: [PublicKeyCredentialParameters] {
    parameters.isEmpty
      ? [PublicKeyCredentialParameters(algorithm: .es256), PublicKeyCredentialParameters(algorithm: .rs256)]
      : parameters.filter { $0.type.ifKnown != nil }
  }

  /// `attestation`, or `none`.
  public var effectiveAttestation: AttestationConveyancePreference { attestation?.ifKnown ?? .none }

  // MARK: - JSON

  /// Reads a `PublicKeyCredentialCreationOptionsJSON` (WebAuthn Level 3 section 5.1.8); also one that stands in a
  /// member `publicKey`, as servers often wrap it. Lists may have 1,024 entries.
  public init(json: JSONValue) throws(WebAuthnJSONError) {
    let members = try PublicKeyCredentialRequestOptions.unwrapped(json)
    relyingParty = try PublicKeyCredentialRpEntity(try members.members("rp"))
    user = try PublicKeyCredentialUserEntity(try members.members("user"))
    challenge = try members.bytes("challenge", toleratingPadding: true)
    guard let list = try members.optionalList("pubKeyCredParams") else {
      throw members.error(.missing, "pubKeyCredParams")
    }
    parameters = []
    for entry in list { parameters.append(try PublicKeyCredentialParameters(entry)) }
    timeout = try PublicKeyCredentialRequestOptions.timeout(members)
    excludeCredentials = []
    for entry in try members.optionalList("excludeCredentials") ?? [] {
      excludeCredentials.append(try PublicKeyCredentialDescriptor(entry))
    }
    let selection = try members.optionalMembers("authenticatorSelection")
    authenticatorSelection = AuthenticatorSelectionCriteria()
    if let selection { authenticatorSelection = try AuthenticatorSelectionCriteria(selection) }
    hints = try members.texts("hints").map(PublicKeyCredentialHint.init(rawValue:))
    attestation = try members.optionalText("attestation").map(AttestationConveyancePreference.init(rawValue:))
    attestationFormats = try members.texts("attestationFormats").map(AttestationStatementFormat.init(rawValue:))
    extensions = try members.optionalObject("extensions") ?? [:]
  }

  /// The options as a `PublicKeyCredentialCreationOptionsJSON`; members with their default value are left out.
  public var json: JSONValue {
    var object: JSONObject = [
      "rp": relyingParty.json, "user": user.json, "challenge": .string(Base64URL.encode(challenge)),
      "pubKeyCredParams": .array(parameters.map(\.json)),
    ]
    if let timeout { object["timeout"] = .integer(Int64(timeout)) }
    if !excludeCredentials.isEmpty { object["excludeCredentials"] = .array(excludeCredentials.map(\.json)) }
    if authenticatorSelection != AuthenticatorSelectionCriteria() {
      object["authenticatorSelection"] = authenticatorSelection.json
    }
    if !hints.isEmpty { object["hints"] = .array(hints.map { .string($0.rawValue) }) }
    if let attestation { object["attestation"] = .string(attestation.rawValue) }
    if !attestationFormats.isEmpty {
      object["attestationFormats"] = .array(attestationFormats.map { .string($0.rawValue) })
    }
    if !extensions.isEmpty { object["extensions"] = .object(extensions) }
    return .object(object)
  }
}
