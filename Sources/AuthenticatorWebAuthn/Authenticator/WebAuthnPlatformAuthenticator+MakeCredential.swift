internal import AuthenticatorCBOR
internal import AuthenticatorCore
internal import AuthenticatorCrypto

extension WebAuthnPlatformAuthenticator {
  /// Makes a credential (WebAuthn Level 3 section 6.3.2, whose steps are numbered below).
  ///
  /// The credential is active when this returns: no server ever confirms. A discoverable credential replaces the one of
  /// the same relying party and user handle, which is kept, absent to every ceremony that does not name it, until
  /// `confirm(_:of:)`; `withdraw(_:)` brings it back. So is one that another ceremony made meanwhile. Whatever fails or
  /// is cancelled before the return leaves nothing behind.
  ///
  /// - Throws: `invalidRequest`, `unsupportedAlgorithm`, `credentialExcluded` (after the person agreed),
  ///   `constraintNotMet`, what verifying the person throws, `timedOut`, `appCanceled`, and what the store throws.
  public func makeCredential(_ request: MakeCredentialRequest) async throws -> MakeCredentialResult {
    do { return try await make(request) } catch {
      throw AuthenticatorError.wrapping(error, as: .keyGenerationFailed, stage: "makeCredential")
    }
  }

  private func make(_ request: MakeCredentialRequest) async throws -> MakeCredentialResult {
    // 1. Check the parameters. The user handle's length is checked by its type.
    let rpID = request.relyingPartyID
    try Self.checkInput("makeCredential", relyingPartyID: rpID, clientDataHash: request.clientDataHash)
    try checkGoingOn(until: request.deadline, "makeCredential")

    // 2. Is there a supported pair of type and algorithm?
    let operation = try OperationID(in: environment)
    var key = try await keyRequest(request)
    key.createdAt = environment.now()

    // 3. Is one of the excluded credentials here?
    if try await holdsExcluded(request) {
      // In the background nobody can be asked, and only a relying party where somebody has just signed in asks there.
      if request.level > .none {
        try await agree(to: describe(.excluded, request), operation, request.deadline, owner: key.owner)
      }
      throw AuthenticatorError(.credentialExcluded, stage: "makeCredential")
    }

    // 4. Can a discoverable credential be kept?
    if request.requireResidentKey, !configuration.supportsDiscoverableCredentials {
      throw AuthenticatorError(.constraintNotMet, stage: "makeCredential", reason: "no discoverable credentials")
    }

    // What cannot be kept is worth no prompt.
    try store.checkWritable()

    // 5. and 6. Can the person be verified? Do they agree?
    let ticket = try await consent(to: request, operation, key)

    try checkGoingOn(until: request.deadline, "makeCredential")

    // 7. to 10. Make the key, staged, then prove it; anything that fails takes it back.
    if let slot = key.slot { await settle(slot: slot) }
    key.externalID = try environment.random(32)
    key.journal = Self.journal(until: request.deadline, in: environment)
    let registration = RegistrationRequest(
      key: key, operation: operation, prompt: configuration.makePrompt(describe(.create, request)),
      deadline: request.deadline, ticket: ticket)
    let staged: StagedKey
    do { staged = try await wrapped.register(registration) } catch {
      // The key may have been made although its making was reported as failed.
      await discardStaged(registration.key)
      throw error
    }
    let result: MakeCredentialResult
    do { result = try await complete(staged, request, registration) } catch {
      await takeBack(staged)
      throw error
    }
    // What cannot be cleaned now waits for the next time.
    do { try await replacement.dropSurplusFormers(of: staged.record) } catch {}
    return result
  }

  /// Steps 10 to 13, and the commit that makes the credential real.
  private func complete(
    _ staged: StagedKey, _ request: MakeCredentialRequest, _ registration: RegistrationRequest
  ) async throws -> MakeCredentialResult {
    // An authenticator that heard no cancellation is not asked for more.
    try checkGoingOn(until: request.deadline, "makeCredential")
    let record = staged.record
    guard let id = record.externalID.flatMap(CredentialID.init),
      let algorithm = request.parameters.first(where: {
        configuration.supports($0) && $0.algorithm.signatureAlgorithm == record.algorithm
      })?.algorithm
    else { throw AuthenticatorError(.unsupportedAlgorithm, stage: "makeCredential") }
    let format = chooseFormat(request)
    let attributes = try CredentialAttributes(record)
    let wantsSecret = request.extensions.hmacSecret != nil && attributes.flags.contains(.hmacSecret)
    let ticket = staged.ticket ?? registration.ticket

    // The key is opened only if it has something to do; its evidence, or that of the consent, is what the flags state.
    var signingKey: SigningKey?
    if format == .selfSigned || wantsSecret {
      signingKey = try await wrapped.authenticate(
        SigningRequest(
          record: record, operation: registration.operation, level: request.level, prompt: registration.prompt,
          deadline: request.deadline, ticket: ticket))
    }
    let evidence = signingKey == nil ? ticket?.verification : signingKey?.verification
    let flags = try flags(
      evidence, attributes, requireUserPresence: request.requireUserPresence,
      requireUserVerification: request.requireUserVerification)

    // 10. Extensions.
    var results = RegistrationExtensionResults()
    results.hasHMACSecret = attributes.flags.contains(.hmacSecret)
    results.hasLargeBlob = attributes.flags.contains(.largeBlob)
    if wantsSecret, let signingKey, flags.contains(.userVerified), let salts = request.extensions.hmacSecret?.salts {
      results.hmacSecret = try await HMACSecret.evaluate(salts, with: signingKey, isVerified: true)
    }
    if request.extensions.requestsVerificationMethods {
      results.verificationMethods = UserVerificationMethodEntry.entries(evidence, protection: record.protection)
    }

    // 11. The counter starts at zero: its first value belongs to the first assertion. 12. and 13. Attest.
    let data = try AuthenticatorData(
      relyingPartyIDHash: SHA256.hash(Array(request.relyingPartyID.utf8)), flags: flags, signCount: 0,
      attestedCredentialData: AttestedCredentialData(
        aaguid: configuration.aaguid, credentialID: id,
        credentialPublicKey: try COSEKey(record.publicKey, algorithm: algorithm)),
      extensions: configuration.signedOutputs(
        request.extensions, attributes: attributes, relyingPartyID: request.relyingPartyID,
        verificationMethods: results.verificationMethods))
    let object = try await attest(
      data, request.clientDataHash, format: format, algorithm: algorithm, record: record, key: signingKey)

    try checkGoingOn(until: request.deadline, "makeCredential")
    // Whom it replaces, the commit alone decides: another ceremony may have taken the place since it was looked at.
    let details = CredentialDetails(
      isReplacing: record.slot != nil, relyingPartyName: request.relyingPartyName, userName: request.user.name,
      userDisplayName: request.user.displayName)
    let committed = try await staged.commit(details: details.encoded)
    return MakeCredentialResult(
      credential: try PublicKeyCredentialSource(committed), attestationObject: object, verification: evidence,
      extensions: results)
  }

  // MARK: - Parts of the steps

  /// Step 2: the key that is wanted, with the algorithms in the relying party's order.
  private func keyRequest(_ request: MakeCredentialRequest) async throws -> KeyRequest {
    var algorithms: [SignatureAlgorithm] = []
    for parameter in request.parameters where configuration.supports(parameter) {
      if let algorithm = parameter.algorithm.signatureAlgorithm, !algorithms.contains(algorithm) {
        algorithms.append(algorithm)
      }
    }
    guard !algorithms.isEmpty else { throw AuthenticatorError(.unsupportedAlgorithm, stage: "makeCredential") }
    let isDiscoverable = request.requireResidentKey && configuration.supportsDiscoverableCredentials
    let extensions = request.extensions
    var flags: CredentialAttributes.Flags = []
    if isDiscoverable { flags.insert(.discoverable) }
    if configuration.isBackupEligible { flags.insert(.backupEligible) }
    if extensions.requestsHMACSecret { flags.insert(.hmacSecret) }
    if extensions.requestsLargeBlob { flags.insert(.largeBlob) }
    let blob =
      configuration.accepts(blob: extensions.blob, isDiscoverable: isDiscoverable) ? extensions.blob ?? [] : []
    let attributes = CredentialAttributes(
      flags: flags, protection: configuration.protection(for: extensions), blob: blob)
    let key = KeyRequest(
      owner: owner(request.relyingPartyID, account: request.user.id), algorithms: algorithms,
      slot: isDiscoverable ? Self.slot(request.relyingPartyID, request.user.id) : nil,
      attributes: attributes.encoded, counter: configuration.counter,
      secrets: extensions.requestsHMACSecret ? HMACSecret.secrets : [:])
    // What no provider can make at all is refused before the person is asked.
    guard await store.prospectiveProtection(for: key, access: KeyAccess(gate: .open)) != nil else {
      throw AuthenticatorError(.unsupportedAlgorithm, stage: "makeCredential")
    }
    return key
  }

  /// Step 3: whether a credential of the list is here, belongs to this relying party and may be seen.
  private func holdsExcluded(_ request: MakeCredentialRequest) async throws -> Bool {
    for descriptor in request.excludeCredentials where descriptor.type == .publicKey {
      var named: [KeyRecord] = []
      for id in [request.relyingPartyID] + (request.excludedAppID.map { [$0] } ?? []) {
        named += try await records(of: id, named: descriptor.id) + waiting(of: id, named: descriptor.id)
      }
      for record in named {
        let protection = try CredentialAttributes(record).protection
        if protection.admits(isListed: true, isVerified: request.requireUserVerification) { return true }
      }
    }
    return false
  }

  /// Steps 5 and 6. A key that opens by verification asks for it now, so that one prompt serves both.
  private func consent(
    to request: MakeCredentialRequest, _ operation: OperationID, _ key: KeyRequest
  ) async throws -> VerificationTicket? {
    let owner = key.owner
    let reachable = try await reachableLevel()
    if request.requireUserVerification, reachable < .verified, request.verification?.level != .verified {
      throw AuthenticatorError(.constraintNotMet, stage: "makeCredential", reason: "the person cannot be verified")
    }
    try await checkProtection(owner)
    var ceremony = describe(.create, request)
    ceremony.createdAt = key.createdAt
    if request.level > .none { try await askDelegate(ceremony, request.deadline) }
    guard request.level > .none else { return nil }
    var level = request.level
    if reachable == .verified { level = .verified } else if request.verification != nil { level = .presence }
    let ticket = try await wrapped.verify(
      VerificationRequest(
        operation: operation, level: level, owner: owner, prompt: configuration.makePrompt(ceremony),
        deadline: request.deadline, isRegistration: true))
    guard let verification = request.verification, ticket.verification.level < .verified else { return ticket }
    return ticket.joined(with: verification, operation: operation, expires: request.deadline)
  }

  /// What the device authenticator would refuse to make is not worth a prompt. It answers for ES256, so where the store
  /// makes no such key at all, its answer says nothing and is not asked for.
  /// - Throws: `constraintNotMet`.
  private func checkProtection(_ owner: KeyOwner) async throws {
    let probe = KeyRequest(owner: owner, algorithms: [.es256])
    guard await store.prospectiveProtection(for: probe, access: KeyAccess(gate: .open)) != nil,
      await !wrapped.isSupported(attestation: .none)
    else { return }
    throw AuthenticatorError(
      .constraintNotMet, stage: "makeCredential", reason: "no key can be made here that is protected as it has to be")
  }

  /// What the wrapped authenticator can do now.
  /// - Throws: why it can do nothing.
  func reachableLevel() async throws -> VerificationLevel {
    switch await wrapped.availability() {
    case .available(let level): return level
    case .unavailable(let code), .unknown(let code): throw AuthenticatorError(code, stage: "availability")
    }
  }

  private func describe(_ kind: CeremonyDescription.Kind, _ request: MakeCredentialRequest) -> CeremonyDescription {
    CeremonyDescription(
      kind: kind, relyingPartyID: request.relyingPartyID, relyingPartyName: request.relyingPartyName,
      userName: request.user.name, userDisplayName: request.user.displayName)
  }
}

extension WebAuthnPlatformConfiguration {
  func supports(_ parameter: PublicKeyCredentialParameters) -> Bool {
    parameter.type == .publicKey && algorithms.contains(parameter.algorithm)
  }
}

extension VerificationTicket {
  /// A ticket for keys without a gate, which states this presence and a CTAP2 client's verification together.
  func joined(
    with other: UserVerification, operation: OperationID, keys: Set<KeyTag>? = nil, expires: Duration
  ) -> VerificationTicket {
    var verification = self.verification
    verification.level = max(verification.level, other.level)
    verification.methods.formUnion(other.methods)
    return VerificationTicket(verification: verification, operation: operation, keys: keys, expires: expires)
  }
}
