import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto

/// What a relying party expects of a registration, and how strict it is about attestation.
public struct RegistrationExpectation: Sendable {
  /// What is demanded of the statement; its own form and signature are always verified.
  public enum AttestationRequirement: String, Sendable {
    /// Any statement, trusted or not.
    case none
    /// None, self attestation, or one that a trust anchor vouches for.
    case indirect
    /// Self attestation or one that a trust anchor vouches for.
    case direct
    /// As `direct`.
    case enterprise
  }

  /// What is expected of any ceremony.
  public var ceremony: CeremonyExpectation
  /// The algorithms that were offered, by their COSE numbers; empty accepts every one that is known here.
  public var algorithms: Set<Int>
  /// What is demanded of the statement.
  public var attestation: AttestationRequirement
  /// Whether the ceremony was conditional: then nobody needs to have been present.
  public var isConditional: Bool
  /// The certificates that vouch for attestation; nil: none does.
  public var trustAnchors: TrustAnchors?
  /// Whether every issuer of an attestation's certificates must have a revocation list among those of the anchors.
  /// Otherwise the lists that are there count.
  public var requiresRevocationLists = false
  /// Which lists of an Android key's properties count.
  public var androidKeyRule: AndroidKeyRule
  /// What FIDO's metadata must say about the model; nil: it is not asked. A statement must then prove the model, by the
  /// roots in its entry: those of `trustAnchors` count for unknown models only, if such are accepted.
  public var modelPolicy: ModelPolicy?
  /// The account the credential is for, to be kept in its record.
  public var userHandle: [UInt8]?
  /// Credential IDs that are taken, of any account. A registry that checks uniqueness while storing can leave it empty.
  public var registeredCredentialIDs: Set<[UInt8]>

  /// See the properties.
  public init(
    ceremony: CeremonyExpectation, algorithms: Set<Int> = [], attestation: AttestationRequirement = .none,
    isConditional: Bool = false, trustAnchors: TrustAnchors? = nil,
    androidKeyRule: AndroidKeyRule = .softwareOrTrustedEnvironment, modelPolicy: ModelPolicy? = nil,
    userHandle: [UInt8]? = nil, registeredCredentialIDs: Set<[UInt8]> = []
  ) {
    self.ceremony = ceremony
    self.algorithms = algorithms
    self.attestation = attestation
    self.isConditional = isConditional
    self.trustAnchors = trustAnchors
    self.androidKeyRule = androidKeyRule
    self.modelPolicy = modelPolicy
    self.userHandle = userHandle
    self.registeredCredentialIDs = registeredCredentialIDs
  }

  /// Reads an expectation: `challenge`, `origins`, `rpId`, and optionally `userVerification`, `algorithms`,
  /// `attestation`, `trustAnchors` and `revocationLists` (PEM texts), `enforceRevocationCheck`, `crossOrigin`,
  /// `topOrigins`, `mediation`, `userHandle`, `registeredCredentials`, `androidKeyInHardware`.
  ///
  /// Throws `ExpectationError`, which names the member.
  public init(json: JSONValue) throws(ExpectationError) {
    let members = try ExpectationMembers(json)
    self.init(ceremony: try CeremonyExpectation(members))
    algorithms = Set(try members.integers("algorithms"))
    // An empty list would accept every algorithm, which nobody means who writes one.
    guard !algorithms.isEmpty || members.isAbsent("algorithms") else { throw members.error("algorithms") }
    if let text = try members.optionalText("attestation") {
      // The standard reads an unknown word as `none`; one who writes an expectation has misspelled it.
      guard let requirement = AttestationRequirement(rawValue: text) else { throw members.error("attestation") }
      attestation = requirement
    }
    isConditional = try members.mediation() == .conditional
    userHandle = try members.optionalUserHandle()
    registeredCredentialIDs = try members.credentialIDs("registeredCredentials")
    if try members.optionalBool("androidKeyInHardware") == true { androidKeyRule = .trustedEnvironment }
    requiresRevocationLists = try members.optionalBool("enforceRevocationCheck") ?? false
    let certificates = try members.inPEM("trustAnchors", X509Certificate.certificates)
    let lists = try members.inPEM("revocationLists", RevocationList.lists)
    // An anchor that OpenSSL cannot read is as malformed as one that this package cannot.
    if !certificates.isEmpty || !lists.isEmpty {
      do throws(CryptoError) { trustAnchors = try TrustAnchors(certificates, revocationLists: lists) } catch {
        throw members.error("trustAnchors")
      }
    }
  }
}

/// What a verified registration amounts to.
public struct RegistrationVerdict: Sendable {
  /// The record to store; its ID must not be taken, which only the registry can decide.
  public let credential: WebAuthnCredentialRecord
  /// What the authenticator signed about the ceremony.
  public let flags: WebAuthnFlags
  /// The authenticator's extension outputs, whether or not they were asked for; nil when there are none.
  public let authenticatorExtensions: CBORMap?
  /// The client's extension outputs as received.
  public let clientExtensionResults: JSONObject
  /// The statement's certificates, the attestation key's own first; empty for none and self attestation.
  public let attestationCertificates: [X509Certificate]

  /// `{"verified": true, "credential": …, "flags": …}`.
  public var json: JSONValue {
    ["verified": true, "credential": credential.json, "flags": .object(flags.json)]
  }
}

// MARK: - Verification

extension RegistrationExpectation {
  /// Verifies a registration, step by step (WebAuthn Level 3 section 7.1).
  /// - Parameter time: The time at which certificates must be valid, in seconds since 1970-01-01T00:00:00Z.
  ///
  /// Throws the error of the first step that fails.
  public func verify(
    _ response: ReceivedRegistration, at time: Int64
  ) throws(WebAuthnVerificationError) -> RegistrationVerdict {
    guard (1...1023).contains(response.id.count) else {
      throw WebAuthnVerificationError(.credentialIDMismatch, "a credential ID has 1 to 1,023 bytes")
    }
    try ceremony.check(clientData: response.clientDataJSON, type: "webauthn.create")

    let object = try ReceivedAttestationObject(response.attestationObject)
    let data = try ReceivedAuthenticatorData(object.authenticatorData)
    try ceremony.checkRelyingPartyID(data)
    try ceremony.checkFlags(data.flags, requiresUserPresence: !isConditional)
    guard let attested = data.attested else {
      throw WebAuthnVerificationError(.attestedCredentialDataMissing, "the registration has no credential")
    }

    let publicKey = try offeredKey(attested)
    let subject = AttestationSubject(
      authenticatorData: data, aaguid: attested.aaguid, credentialID: attested.id, publicKey: publicKey,
      clientDataHash: SHA256.hash(response.clientDataJSON))
    let proof = try AttestationProof(
      format: object.format, statement: object.statement, about: subject, androidKeyRule: androidKeyRule)
    let isTrusted = try self.isTrusted(proof, ofModel: attested.aaguid, at: time)

    guard attested.id == response.id else {
      throw WebAuthnVerificationError(.credentialIDMismatch, "the response and the attested credential differ")
    }
    guard !registeredCredentialIDs.contains(attested.id) else {
      throw WebAuthnVerificationError(.credentialAlreadyRegistered, "the credential ID is taken")
    }
    return RegistrationVerdict(
      credential: WebAuthnCredentialRecord(
        id: attested.id, publicKey: publicKey, signCount: data.signCount,
        backupEligible: data.flags.contains(.backupEligible), backedUp: data.flags.contains(.backedUp),
        aaguid: attested.aaguid, userHandle: userHandle,
        isUserVerificationInitialized: data.flags.contains(.userVerified), transports: response.transports,
        attestation: AttestationSummary(format: object.format, type: proof.kind, isTrusted: isTrusted)),
      flags: data.flags, authenticatorExtensions: data.extensions,
      clientExtensionResults: response.clientExtensionResults, attestationCertificates: proof.certificates)
  }

  private func offeredKey(
    _ attested: ReceivedAuthenticatorData.AttestedCredential
  ) throws(WebAuthnVerificationError) -> WebAuthnPublicKey {
    if let algorithm = WebAuthnPublicKey.algorithm(of: attested.key), !algorithms.isEmpty,
      !algorithms.contains(algorithm)
    {
      throw WebAuthnVerificationError(.algorithmNotAllowed, "the algorithm was not offered")
    }
    return try WebAuthnPublicKey(attested.key, coseBytes: attested.keyBytes)
  }
}
