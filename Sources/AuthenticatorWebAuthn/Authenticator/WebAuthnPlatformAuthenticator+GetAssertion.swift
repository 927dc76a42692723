internal import AuthenticatorCBOR
internal import AuthenticatorCore
internal import AuthenticatorCrypto

extension WebAuthnPlatformAuthenticator {
  /// Signs in with a credential (WebAuthn Level 3 section 6.3.3, whose steps are numbered below).
  ///
  /// With several candidates the selection delegate decides. The counter is durable before the signature is made. What
  /// the credential replaced is kept until `confirm(_:of:)`; when the request names nothing but that one, it signs in,
  /// and takes its place again.
  ///
  /// - Throws: `invalidRequest`; `keyNotFound` when there is no candidate; `notInteractive` when nothing lets a person
  ///   choose; `constraintNotMet`; what opening the key throws; `timedOut`, `appCanceled`, and what the store throws.
  public func getAssertion(_ request: GetAssertionRequest) async throws -> AssertionResult {
    do { return try await get(request) } catch {
      throw AuthenticatorError.wrapping(error, as: .integrityFailed, stage: "getAssertion")
    }
  }

  private func get(_ request: GetAssertionRequest) async throws -> AssertionResult {
    // 1. Check the parameters.
    try Self.checkInput(
      "getAssertion", relyingPartyID: request.relyingPartyID, clientDataHash: request.clientDataHash)
    try checkGoingOn(until: request.deadline, "getAssertion")
    // 2. and 3. Find the candidates.
    var candidates = try await candidates(request)
    if let chosen = request.chosenCredential { candidates.removeAll { $0.id != chosen } }
    guard let first = candidates.first else {
      if request.concealsAbsence {
        // Like a credential that would be here: whoever asks could tell the two apart otherwise.
        if configuration.counter != .zero { try store.checkWritable() }
        try await concealAbsence(request)
      }
      throw AuthenticatorError(.keyNotFound, stage: "getAssertion")
    }

    // 4. Let the person choose.
    try checkWritable(for: candidates)
    let chosen = candidates.count == 1 ? first : try await choose(among: candidates, until: request.deadline)
    return try await assert(with: chosen, request)
  }

  /// Steps 4 to 9 with one candidate.
  ///
  /// - Parameter operation: the ceremony of the request's ticket; nil: one of its own.
  func assert(
    with candidate: Candidate, _ request: GetAssertionRequest, _ operation: OperationID? = nil
  ) async throws -> AssertionResult {
    let (record, attributes) = (candidate.record, candidate.attributes)
    let authenticator = try await authenticator(of: record.authenticator)
    try checkWritable(for: [candidate])

    // 4. Verify the person; what the key's own gate demands comes on top.
    if request.requireUserVerification, record.access.level < .verified, request.ticket == nil,
      await authenticator.availability() != .available(.verified)
    {
      throw AuthenticatorError(.constraintNotMet, stage: "getAssertion", reason: "the person cannot be verified")
    }
    let key = try await authenticator.authenticate(try signingRequest(record, request, operation))
    // An authenticator that heard no cancellation gets nothing signed.
    try checkGoingOn(until: request.deadline, "getAssertion")
    let flags = try flags(
      key.verification, attributes, requireUserPresence: request.requireUserPresence,
      requireUserVerification: request.requireUserVerification
        || attributes.protection == .userVerificationRequired)

    // 5. Extensions that are signed.
    var results = AssertionExtensionResults()
    var outputs: CBORMap?
    if !request.extensions.isEmpty {
      outputs = try await evaluate(request.extensions, key, candidate, flags, &results)
    }

    // The person agreed to what the server asks for by name.
    if record.state == .retired { try await replacement.bringBack(record) }

    // 6. The counter is durable, or inside a durable reservation, on return.
    let counter = try await key.nextCounter()

    // 7. and 8. Sign.
    let data = try AuthenticatorData(
      relyingPartyIDHash: SHA256.hash(Array(candidate.relyingPartyID.utf8)), flags: flags, signCount: counter,
      extensions: outputs)
    let signature = try await key.sign(data.rawBytes + request.clientDataHash)

    if let largeBlob = request.extensions.largeBlob { await access(largeBlob, of: candidate, &results) }

    // 9. Return.
    return AssertionResult(
      credentialID: candidate.id, authenticatorData: data.rawBytes, signature: signature.derRepresentation,
      userHandle: attributes.flags.contains(.discoverable) ? record.owner.account : nil, record: record,
      verification: key.verification, extensions: results,
      usedAppID: candidate.relyingPartyID != request.relyingPartyID)
  }

  /// Without a candidate, whoever asks learns it no sooner than a refusal.
  private func concealAbsence(_ request: GetAssertionRequest) async throws {
    let ceremony = CeremonyDescription(kind: .absent, relyingPartyID: request.relyingPartyID)
    do {
      try await agree(
        to: ceremony, try OperationID(in: environment), request.deadline,
        owner: owner(request.relyingPartyID, account: nil))
    } catch let error as AuthenticatorError where [.appCanceled, .timedOut].contains(error.code) {
      throw error
    } catch {
      // However the prompt ended, the answer is that there is no credential.
    }
  }

  /// Where nobody will be asked, there is no ceremony to name and nothing to show.
  private func signingRequest(
    _ record: KeyRecord, _ request: GetAssertionRequest, _ operation: OperationID?
  ) throws -> SigningRequest {
    guard max(request.level, record.access.level) > .none else {
      return SigningRequest(
        record: record, operation: OperationID(bytes: []), prompt: Prompt(reason: ""), deadline: request.deadline)
    }
    let details = try CredentialDetails(record)
    let ceremony = CeremonyDescription(
      kind: .get, relyingPartyID: record.owner.party, relyingPartyName: details.relyingPartyName,
      userName: details.userName, userDisplayName: details.userDisplayName)
    return SigningRequest(
      record: record, operation: try operation ?? OperationID(in: environment), level: request.level,
      prompt: configuration.makePrompt(ceremony), deadline: request.deadline, ticket: request.ticket)
  }

  // MARK: - Extensions

  private func evaluate(
    _ extensions: AssertionExtensions, _ key: SigningKey, _ candidate: Candidate, _ flags: AuthenticatorDataFlags,
    _ results: inout AssertionExtensionResults
  ) async throws -> CBORMap? {
    var outputs = CBORMap()
    if let evaluation = extensions.hmacSecret, candidate.attributes.flags.contains(.hmacSecret),
      let salts = evaluation.salts(for: candidate.id)
    {
      let isVerified = flags.contains(.userVerified)
      if let seal = evaluation.seal {
        let secrets = try await HMACSecret.evaluate(salts, with: key, isVerified: isVerified)
        outputs["hmac-secret"] = .bytes(try seal(secrets.joined))
      } else if isVerified {
        results.hmacSecret = try await HMACSecret.evaluate(salts, with: key, isVerified: true)
      }
    }
    if extensions.requestsBlob {
      results.blob = candidate.attributes.blob
      outputs["credBlob"] = .bytes(candidate.attributes.blob)
    }
    if extensions.requestsVerificationMethods {
      let entries = UserVerificationMethodEntry.entries(
        key.verification, protection: candidate.record.protection)
      results.verificationMethods = entries
      outputs["uvm"] = .array(entries.map(\.cborValue))
    }
    return outputs.isEmpty ? nil : outputs
  }

  /// Reads or writes the large blob, after the signature. What fails here is an output that is missing, no failed
  /// assertion (WebAuthn Level 3 section 10.1.5).
  private func access(
    _ largeBlob: AssertionExtensions.LargeBlob, of candidate: Candidate, _ results: inout AssertionExtensionResults
  ) async {
    let hasRoom = candidate.attributes.flags.contains(.largeBlob)
    let name = ItemName(owner: candidate.record.tag, name: "largeBlob")
    switch largeBlob {
    case .read:
      guard hasRoom else { return }
      do { results.largeBlob = try await store.item(name) } catch { results.largeBlob = nil }
    case .write(let content):
      guard hasRoom, content.count <= configuration.maximumLargeBlobBytes else {
        results.isLargeBlobWritten = false
        return
      }
      do {
        try await store.setItem(name, to: content)
        results.isLargeBlobWritten = true
      } catch {
        results.isLargeBlobWritten = false
      }
    }
  }
}
