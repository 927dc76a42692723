import AuthenticatorCore
import AuthenticatorCrypto

extension ApplicationPINAuthenticator {
  /// The keys, in any state, that a domain's PIN opens.
  func keys(of domain: SecretDomain, owner: KeyOwner) async throws -> [KeyRecord] {
    let query = KeyQuery(
      instance: owner.instance, party: owner.party, account: owner.account,
      states: Set(KeyRecord.State.allCases))
    return try await context.keyStore.records(matching: query).filter { $0.access.gate == .secret(domain) }
  }

  /// Whether no key needs the PIN. A row that cannot be read may, and nothing is concluded from what cannot be read.
  private func isLeftBehind(_ domain: SecretDomain, owner: KeyOwner) async throws -> Bool {
    guard try await keys(of: domain, owner: owner).isEmpty else { return false }
    return try await context.keyStore.damagedTags().isEmpty
  }

  /// Opens the domain of a new key: under a new PIN when it has none, when the one it has was left behind by a
  /// binding that never came to be, or when it is locked for good, which only a new enrollment ends.
  func authorizeRegistration(
    in domain: SecretDomain, request: VerificationRequest
  ) async throws -> KeyAuthorization {
    let store = context.keyStore
    let isSet = try await store.isSet(domain)
    if isSet, try await !isLeftBehind(domain, owner: request.owner),
      try await store.attempts(of: domain).remaining > 0
    {
      return try await openDomain(domain, prompt: request.prompt, deadline: request.deadline).authorization
    }
    let pin = try await collect(.create(config.policy), prompt: request.prompt, deadline: request.deadline)
    try PINText.check(pin, against: config.policy)
    if isSet {
      // Keys under a PIN that is locked for good can never be opened again.
      for record in try await keys(of: domain, owner: request.owner) { try await store.delete(record.tag) }
      try await store.remove(domain)
    }
    return try await store.create(domain, secret: pin)
  }

  /// Asks for the PIN until it is right, the tries of one operation are used up, or a delay begins.
  func openDomain(
    _ domain: SecretDomain, prompt: Prompt, deadline: Duration
  ) async throws -> (pin: SecretBytes, authorization: KeyAuthorization) {
    guard try await context.keyStore.isSet(domain) else {
      throw AuthenticatorError(.keyNotFound, stage: "pin", reason: "no PIN is set")
    }
    let state = try await context.keyStore.attempts(of: domain)
    guard state.remaining > 0, state.retryAfter == nil else {
      throw AuthenticatorError(
        .lockedOut, stage: "pin", retryAfter: state.remaining > 0 ? state.retryAfter : nil,
        attemptsRemaining: state.remaining)
    }
    var remaining: Int? = state.remaining
    var triesLeft = max(config.triesPerPrompt, 1)
    while true {
      let pin = try await collect(.enter(attemptsRemaining: remaining), prompt: prompt, deadline: deadline)
      do {
        return (pin, try await context.keyStore.unlock(domain, with: pin))
      } catch let error as AuthenticatorError where error.code == .userVerificationFailed {
        triesLeft -= 1
        remaining = error.attemptsRemaining
        guard triesLeft > 0, error.retryAfter == nil, remaining != 0 else { throw error }
      }
    }
  }

  /// One entry, normalized.
  func collect(_ purpose: PINRequest.Purpose, prompt: Prompt, deadline: Duration) async throws -> SecretBytes {
    var prompt = prompt
    prompt.fallbackTitle = nil
    prompt.cancelTitle = prompt.cancelTitle ?? config.cancelTitle
    let request = PINRequest(purpose: purpose, prompt: prompt, deadline: deadline)
    let collector = config.pinCollector
    return try PINText.normalized(
      try await withDeadline(deadline) { try await collector.collectPIN(request) })
  }

  /// Takes back the PIN of a first key that could not be made.
  func forget(_ domain: SecretDomain, owner: KeyOwner) async {
    do {
      guard try await context.keyStore.isSet(domain), try await isLeftBehind(domain, owner: owner) else { return }
      try await context.keyStore.remove(domain)
    } catch {
      // What made the registration fail is what the caller must learn. The next one finds the PIN without a key and
      // replaces it.
    }
  }
}

extension KeyAccess.Gate {
  /// The domain whose PIN opens the key.
  var domain: SecretDomain? {
    guard case .secret(let domain) = self else { return nil }
    return domain
  }
}
