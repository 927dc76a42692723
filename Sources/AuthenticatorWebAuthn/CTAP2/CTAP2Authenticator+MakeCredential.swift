internal import AuthenticatorCBOR
internal import AuthenticatorCore

extension CTAP2Authenticator {
  /// CTAP 2.1 section 6.1.2; the comments give its step numbers.
  func makeCredential(_ parameters: CTAP2Parameters) async throws -> CBORMap {
    let hash = try parameters.required(try parameters.bytes(1))
    guard hash.count == 32 else { throw CTAP2Status.invalidParameter }
    let relyingParty = try parameters.required(try parameters.members(2))
    let id = try relyingParty.required(try relyingParty.text("id"))
    let user = try user(try parameters.required(try parameters.members(3)))
    let options = try parameters.members(7)

    // 1. and 2. A token, or the probe for one.
    let isProbed = try await probe(parameters)
    guard !isProbed else { throw CTAP2Status.pinInvalid }

    // 3. Algorithms. Every entry must have the right form, also after the first supported one.
    let algorithms = try algorithms(try parameters.required(try parameters.list(4, limit: 256)))

    // 4. to 8. Options. A token makes the option `uv` moot.
    let hasToken = parameters.value(8) != nil
    let requireResidentKey = try options?.flag("rk") ?? false
    guard try options?.flag("up") ?? true else { throw CTAP2Status.invalidOption }
    let isVerificationAsked = try options?.flag("uv") ?? false && !hasToken
    let canVerify = await canVerify()
    guard !isVerificationAsked || canVerify else { throw CTAP2Status.invalidOption }

    // 9. There is no enterprise attestation here.
    guard parameters.value(10) == nil else { throw CTAP2Status.invalidParameter }

    // 10. and 11. A protected device makes discoverable credentials for a verified person only.
    var verification: UserVerification?
    if hasToken {
      verification = try useToken(parameters, hash, protocolKey: 9, codeKey: 8, .makeCredential, id)
    } else if requireResidentKey, !isVerificationAsked, try await pin.isSet() {
      throw CTAP2Status.pinUvAuthTokenRequired
    }

    var request = MakeCredentialRequest(
      clientDataHash: hash, relyingPartyID: id, relyingPartyName: try relyingParty.text("name") ?? "", user: user,
      requireResidentKey: requireResidentKey, requireUserVerification: isVerificationAsked || verification != nil,
      parameters: algorithms, excludeCredentials: try parameters.descriptors(5),
      attestationFormats: try formats(parameters),
      extensions: try registrationExtensions(try parameters.members(6)), deadline: deadline)
    request.verification = verification

    // 12. to 20. The rest is the platform authenticator's: the exclude list after a touch, the credential, its proof.
    let result = try await authenticator.makeCredential(request)
    let answer: CBORMap = [
      1: .text(result.attestationObject.format.rawValue),
      2: .bytes(result.attestationObject.authenticatorData.rawBytes), 3: result.attestationObject.statement,
    ]
    // A chain of certificates may be longer than an answer: then nobody will know the credential.
    guard CBORValue.map(answer).encoded().count < Self.maximumMessageBytes else {
      try await authenticator.withdraw(result.credential)
      throw CTAP2Status.other
    }
    return answer
  }

  // MARK: - Parameters that both ceremonies have

  /// A code of no length asks for a touch and tells whether a PIN is set.
  /// - Throws: `pinNotSet` when none is; a set one is told by returning true.
  func probe(_ parameters: CTAP2Parameters, codeKey: CBORValue = 8) async throws -> Bool {
    guard try parameters.bytes(codeKey)?.isEmpty == true else { return false }
    try await touch()
    guard try await pin.isSet() else { throw CTAP2Status.pinNotSet }
    return true
  }

  func useToken(
    _ parameters: CTAP2Parameters, _ clientDataHash: [UInt8], protocolKey: CBORValue, codeKey: CBORValue,
    _ permission: PINUVAuthToken.Permissions, _ relyingPartyID: String, isSpent: Bool = true
  ) throws -> UserVerification {
    let version = try version(parameters, key: protocolKey)
    let code = try parameters.required(try parameters.bytes(codeKey))
    return try pin.useToken(
      version, code: code, over: clientDataHash, for: permission, relyingPartyID: relyingPartyID,
      isSpent: isSpent)
  }

  // MARK: - Parameters of a new credential

  private func user(_ members: CTAP2Parameters) throws(CTAP2Status) -> PublicKeyCredentialUserEntity {
    let id = try members.required(try members.bytes("id"))
    guard
      let user = PublicKeyCredentialUserEntity(
        id: id, name: try members.text("name") ?? "", displayName: try members.text("displayName") ?? "")
    else { throw .invalidLength }
    return user
  }

  private func algorithms(_ entries: [CBORValue]) throws -> [PublicKeyCredentialParameters] {
    var parameters: [PublicKeyCredentialParameters] = []
    for value in entries {
      let entry = try CTAP2Parameters(value)
      let type = try entry.required(try entry.text("type"))
      let algorithm = try entry.required(try entry.integer("alg"))
      parameters.append(
        PublicKeyCredentialParameters(
          type: PublicKeyCredentialType(rawValue: type), algorithm: COSEAlgorithmIdentifier(rawValue: algorithm)))
    }
    guard parameters.contains(where: authenticator.configuration.supports) else {
      throw CTAP2Status.unsupportedAlgorithm
    }
    return parameters
  }

  private func formats(_ parameters: CTAP2Parameters) throws(CTAP2Status) -> [AttestationStatementFormat] {
    try (parameters.list(11, limit: 32) ?? []).compactMap(\.textValue)
      .map(AttestationStatementFormat.init(rawValue:))
  }

  private func registrationExtensions(_ members: CTAP2Parameters?) throws(CTAP2Status) -> RegistrationExtensions {
    var extensions = RegistrationExtensions()
    guard let members else { return extensions }
    if let level = try members.integer("credProtect") {
      guard let policy = CredentialProtectionPolicy(rawValue: level) else { throw .invalidOption }
      extensions.protection = policy
    }
    extensions.requestsHMACSecret = try members.flag("hmac-secret") ?? false
    extensions.requestsMinimumPINLength = try members.flag("minPinLength") ?? false
    extensions.blob = try members.bytes("credBlob")
    extensions.requestsVerificationMethods = try members.flag("uvm") ?? false
    return extensions
  }
}
