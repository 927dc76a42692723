internal import AuthenticatorCBOR
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// The assertions a client may still ask for after a `getAssertion` that found several credentials.
struct RemainingAssertions {
  var candidates: [Candidate]
  var request: GetAssertionRequest
  var operation: OperationID
  /// The uptime at which they are forgotten.
  var deadline: Duration
}

extension CTAP2Authenticator {
  /// How long a client may take from one assertion to the next.
  private static let patience = Duration.seconds(30)

  /// CTAP 2.1 section 6.2.2.
  func getAssertion(_ parameters: CTAP2Parameters) async throws -> CBORMap {
    let id = try parameters.required(try parameters.text(1))
    let hash = try parameters.required(try parameters.bytes(2))
    guard hash.count == 32 else { throw CTAP2Status.invalidParameter }
    let options = try parameters.members(5)
    let isProbed = try await probe(parameters, codeKey: 6)
    guard !isProbed else { throw CTAP2Status.pinInvalid }

    let hasToken = parameters.value(6) != nil
    guard options?.value("rk") == nil else { throw CTAP2Status.unsupportedOption }
    let requireUserPresence = try options?.flag("up") ?? true
    let isVerificationAsked = try options?.flag("uv") ?? false && !hasToken
    if isVerificationAsked, await !canVerify() { throw CTAP2Status.invalidOption }
    var verification: UserVerification?
    if hasToken {
      verification = try useToken(
        parameters, hash, protocolKey: 7, codeKey: 6, .getAssertion, id, isSpent: requireUserPresence)
    }

    let allowed = try parameters.descriptors(3)
    if let list = try parameters.list(3, limit: Self.maximumListCount), !list.isEmpty, allowed.isEmpty {
      throw CTAP2Status.noCredentials
    }
    var request = GetAssertionRequest(
      relyingPartyID: id, clientDataHash: hash, allowCredentials: allowed, requireUserPresence: requireUserPresence,
      requireUserVerification: isVerificationAsked || verification != nil,
      extensions: try assertionExtensions(try parameters.members(4), requireUserPresence), concealsAbsence: false,
      deadline: deadline)
    try WebAuthnPlatformAuthenticator.checkInput("getAssertion", relyingPartyID: id, clientDataHash: hash)
    let candidates = try await authenticator.candidates(request)
    guard let first = candidates.first else { throw CTAP2Status.noCredentials }
    let operation = try OperationID(in: environment)
    if !requireUserPresence, !isVerificationAsked {
      // Nobody takes part, so nothing may say that somebody was verified.
      request.requireUserVerification = false
      return try await answerInSilence(first, request, operation)
    }
    if candidates.count == 1 || !allowed.isEmpty {
      request.ticket = try await ticket(for: [first], request, operation, verification)
      return try await answer(first, request, operation)
    }
    if authenticator.selectionDelegate != nil {
      let chosen = try await authenticator.choose(among: candidates, until: request.deadline)
      request.ticket = try await ticket(for: [chosen], request, operation, verification)
      return try await answer(chosen, request, operation, isSelected: true)
    }
    // Nothing to choose with: the client gets them all, the latest first, on one verification.
    let ordered = Array(candidates.sorted { $0.record.createdAt < $1.record.createdAt }.reversed())
    request.ticket = try await ticket(for: ordered, request, operation, verification)
    let answer = try await answer(ordered[0], request, operation, count: ordered.count)
    remaining = RemainingAssertions(
      candidates: Array(ordered.dropFirst()), request: request, operation: operation,
      deadline: environment.uptime() + Self.patience)
    return answer
  }

  /// CTAP 2.1 section 6.3.
  func getNextAssertion(_ earlier: RemainingAssertions?) async throws -> CBORMap {
    guard var earlier, let next = earlier.candidates.first, environment.uptime() < earlier.deadline else {
      throw CTAP2Status.notAllowed
    }
    earlier.candidates.removeFirst()
    var request = earlier.request
    request.deadline = deadline
    let answer = try await answer(next, request, earlier.operation)
    earlier.deadline = environment.uptime() + Self.patience
    remaining = earlier.candidates.isEmpty ? nil : earlier
    return answer
  }

  /// One ticket for all candidates; nil where each key has to ask for itself.
  private func ticket(
    for candidates: [Candidate], _ request: GetAssertionRequest, _ operation: OperationID,
    _ verification: UserVerification?
  ) async throws -> VerificationTicket? {
    // A key that a gate guards, or that only its own authenticator can open, is not opened by what was verified here.
    let isShared = candidates.allSatisfy { candidate in
      guard case .secret = candidate.record.access.gate else {
        return candidate.record.authenticator == authenticator.wrapped.type()
      }
      return false
    }
    let gate = candidates.map(\.record.access.level).max() ?? .none
    guard isShared, verification != nil || candidates.count > 1 else { return nil }
    let tags = Set(candidates.map(\.record.tag))
    var level: VerificationLevel = request.requireUserPresence ? .presence : .none
    if request.requireUserVerification, verification == nil { level = .verified }
    level = max(level, gate)
    let source = candidates.count == 1 ? try candidates.first.map { try PublicKeyCredentialSource($0.record) } : nil
    let ceremony =
      source.map { CeremonyDescription(.get, $0) }
      ?? CeremonyDescription(kind: .get, relyingPartyID: request.relyingPartyID)
    try authenticator.checkWritable(for: candidates)
    let seen = try await authenticator.wrapped.verify(
      VerificationRequest(
        operation: operation, level: level, owner: authenticator.owner(request.relyingPartyID, account: nil),
        prompt: authenticator.configuration.makePrompt(ceremony), deadline: request.deadline, keys: tags))
    guard let verification, seen.verification.level < .verified else { return seen }
    return seen.joined(with: verification, operation: operation, keys: tags, expires: request.deadline)
  }

  /// How a client finds out which credential it can use. A key that opens to a person only signs nothing for that: the
  /// answer names the credential and has an empty signature.
  private func answerInSilence(
    _ candidate: Candidate, _ request: GetAssertionRequest, _ operation: OperationID
  ) async throws -> CBORMap {
    if candidate.record.access.level == .none, candidate.attributes.protection < .userVerificationRequired {
      return try await answer(candidate, request, operation)
    }
    let flags = try authenticator.flags(
      nil, candidate.attributes, requireUserPresence: false, requireUserVerification: false)
    let data = try AuthenticatorData(
      relyingPartyIDHash: SHA256.hash(Array(candidate.relyingPartyID.utf8)), flags: flags, signCount: 0)
    return [
      1: ["id": .bytes(candidate.id.bytes), "type": "public-key"], 2: .bytes(data.rawBytes), 3: .bytes([]),
    ]
  }

  private func answer(
    _ candidate: Candidate, _ request: GetAssertionRequest, _ operation: OperationID, count: Int = 1,
    isSelected: Bool = false
  ) async throws -> CBORMap {
    let result = try await authenticator.assert(with: candidate, request, operation)
    var answer: CBORMap = [
      1: ["id": .bytes(result.credentialID.bytes), "type": "public-key"], 2: .bytes(result.authenticatorData),
      3: .bytes(result.signature),
    ]
    if let handle = result.userHandle {
      var user: CBORMap = ["id": .bytes(handle)]
      // Names tell who somebody is: only to one who was verified, and only where there is something to tell apart.
      if request.allowCredentials.isEmpty, result.verification?.level == .verified {
        let source = try PublicKeyCredentialSource(candidate.record)
        if !source.userName.isEmpty { user["name"] = .text(source.userName) }
        if !source.userDisplayName.isEmpty { user["displayName"] = .text(source.userDisplayName) }
      }
      answer[4] = .map(user)
    }
    if count > 1 { answer[5] = .integer(count) }
    if isSelected { answer[6] = true }
    return answer
  }

  // MARK: - Extensions

  private func assertionExtensions(
    _ members: CTAP2Parameters?, _ requireUserPresence: Bool
  ) throws -> AssertionExtensions {
    var extensions = AssertionExtensions()
    guard let members else { return extensions }
    extensions.requestsBlob = try members.flag("credBlob") ?? false
    extensions.requestsVerificationMethods = try members.flag("uvm") ?? false
    if let input = try members.members("hmac-secret") {
      guard requireUserPresence else { throw CTAP2Status.unsupportedOption }
      extensions.hmacSecret = try hmacSecret(input)
    }
    return extensions
  }

  /// CTAP 2.1 section 12.5: salts come and secrets go encrypted under what both sides agreed on.
  private func hmacSecret(_ input: CTAP2Parameters) throws -> HMACSecretEvaluation {
    guard let version = PINUVAuthProtocol(rawValue: try input.integer(4) ?? 1) else {
      throw CTAP2Status.invalidParameter
    }
    let peer = try input.required(input.value(1))
    let encrypted = try input.required(try input.bytes(2))
    let code = try input.required(try input.bytes(3))
    let secret = try pin.sharedSecret(version, peer)
    guard version.verify(code, over: encrypted, key: secret.authenticationKey) else {
      throw CTAP2Status.pinAuthInvalid
    }
    let salts = try version.decrypt(encrypted, with: secret).withUnsafeBytes { Array($0) }
    guard salts.count == 32 || salts.count == 64,
      let pair = HMACSecretSalts(
        first: Array(salts[..<32]), second: salts.count == 64 ? Array(salts[32...]) : nil)
    else { throw CTAP2Status.invalidParameter }
    let random = environment.random
    return HMACSecretEvaluation(salts: pair) { try version.encrypt($0, with: secret, random: random) }
  }
}
