import AuthenticatorCore
import AuthenticatorCrypto

extension TrustedDeviceClient {
  /// Everything is decided before a key is made or a request sent: who is signed in, whether the server wants it, who
  /// the app is, what the device can do.
  func enroll(
    deviceName: String?, hint: String?, reason: String?, policy: TrustedDevicePolicy?
  ) async throws -> TrustedDevice {
    try await state.load()
    let session = try await signedInSession()
    try await started()
    try await requireFeature()
    guard !scope.party.isEmpty else {
      throw AuthenticatorError(.unsupported, stage: "enroll", reason: "the environment has no app identifier")
    }
    guard let userID = session.user?.id else {
      throw AuthenticatorError(.signedOut, stage: "enroll", reason: "the session has no user")
    }
    let support = support(policy ?? configuration.defaultPolicy)
    let authenticator = try await support.authenticator()
    // An enrollment that an earlier run did not live to see may be this very one.
    await settleQuietly()
    let name = deviceName ?? context.environment.deviceName
    guard (hint?.utf8.count ?? 0) <= 1024, name.utf8.count <= 1024 else {
      throw AuthenticatorError(.invalidRequest, stage: "enroll", reason: "the name or the hint is too long")
    }
    let enrollment = Enrollment(
      client: self, session: session, userID: userID, support: support,
      attributes: CredentialAttributes(
        policy: support.policy, hint: hint, platform: configuration.platform.rawValue, name: name.isEmpty ? nil : name),
      reason: reason ?? configuration.enrollmentReason)
    return try await enrollment.run(authenticator)
  }
}

/// One enrollment, for the session and user it was begun with.
struct Enrollment {
  let client: TrustedDeviceClient
  let session: FrontendSession
  let userID: String
  let support: PolicySupport
  let attributes: CredentialAttributes
  let reason: String

  private var environment: AuthenticatorEnvironment { client.context.environment }
  private var configuration: TrustedDeviceConfiguration { client.configuration }

  /// 1 key, 2 challenge, 3 prompt and signature, 4 proof, 5 record, 6 the credentials it replaces.
  func run(_ authenticator: any DeviceAuthenticator) async throws -> TrustedDevice {
    let operation = try OperationID(in: environment)
    let key = try await makeKey(authenticator, operation)
    let sent: Sent
    do {
      try support.check(key.record.access)
      sent = try await prove(authenticator, key, operation)
    } catch {
      // Nothing has reached the server but a challenge that nobody will answer.
      await discard(key.record.tag)
      throw error
    }
    let device: TrustedDevice
    do {
      device = try await attempt(sent.form)
    } catch {
      return try await settle(key.record.tag, sent.mark, after: error)
    }
    return try await accept(key.record, device, sent)
  }

  /// What has left for the server.
  private struct Sent {
    var mark: AttemptMark
    let form: [(name: String, value: String?)]
    /// The keys whose place it takes.
    let known: Set<KeyTag>
  }

  // MARK: 1 to 3

  private func makeKey(_ authenticator: any DeviceAuthenticator, _ operation: OperationID) async throws -> StagedKey {
    let limit = configuration.promptTimeLimit
    // Longer than this process can need: prompts and requests end before.
    let longest = limit * 2 + configuration.requestTimeout * 4 + .seconds(60)
    return try await client.shelf.stage(
      attributes, userID: userID, with: authenticator, operation, Prompt(reason: reason),
      deadline: environment.uptime() + limit,
      journal: EnrollmentJournal(deadline: environment.now().advanced(by: longest)))
  }

  private func prove(
    _ authenticator: any DeviceAuthenticator, _ key: StagedKey, _ operation: OperationID
  ) async throws -> Sent {
    var form: [(name: String, value: String?)] = [
      ("platform", attributes.platform), ("app_identifier", client.scope.party), ("name", attributes.name),
      ("algorithm", TrustedDevice.Algorithm.es256.rawValue),
      ("public_key_jwk", try ProofText.jwk(key.record.publicKey)),
    ]
    let answer = try await client.api.send(
      FrontendRequest(
        "POST", "me", configuration.urlFamily.rawValue, "prepare", form: form, sessionID: session.id, retrying: .once))
    let challenge = try TrustedDeviceChallenge(try answer.object("challenge"))
    let clock = client.clock(answer)
    try challenge.check(signer: nil, at: clock.now)
    try checkIdentity()

    let question = ChallengePrompt(
      environment: environment, clock: clock, challenge: challenge, reason: reason, limit: configuration.promptTimeLimit
    )
    let signature = try await question.sign(authenticator, key.record, operation, ticket: key.ticket)
    try checkIdentity()
    form += [("client_data", challenge.clientData), ("signature", try ProofText.text(signature))]

    let known = try await client.shelf.holders(userID: userID)
    // From here on the server may know the key, whatever happens to this process.
    let mark = AttemptMark(
      from: answer.date ?? challenge.expiresAt.advanced(by: .seconds(-3600)), until: challenge.expiresAt)
    try await client.shelf.mark(key.record.tag, mark)
    return Sent(mark: mark, form: form, known: known)
  }

  /// - Throws: `sessionChanged` when another session or user is current, or none; `appCanceled`.
  private func checkIdentity() throws {
    let expected = ClientState.Identity(sessionID: session.id, userID: userID, isSignedIn: true)
    guard client.state.identity == expected else {
      throw AuthenticatorError(
        .sessionChanged, stage: "enroll", reason: "session or user changed while the person was asked")
    }
    guard !Task.isCancelled else {
      throw AuthenticatorError(.appCanceled, stage: "enroll", underlying: CancellationError())
    }
  }

  // MARK: 4

  private func attempt(_ form: [(name: String, value: String?)]) async throws -> TrustedDevice {
    let answer = try await client.api.send(
      FrontendRequest(
        "POST", "me", configuration.urlFamily.rawValue, "attempt", form: form, sessionID: session.id, retrying: .never))
    return try TrustedDevice(try answer.object("trusted device"))
  }

  /// After an attempt that brought no credential: a refusal, or an answer that never came.
  private func settle(_ tag: KeyTag, _ mark: AttemptMark, after error: any Error) async throws -> TrustedDevice {
    let error = AuthenticatorError.wrapping(error, as: .transportFailed, stage: "enroll")
    // These two also come back when the proof arrived twice, the first time in time.
    let isSecond = error.code == .challengeNotFound || error.code == .alreadyEnrolled
    let isDefinite = error.frontendError?.isDefinite ?? error.isSafeToRetry
    guard !isDefinite || isSecond else {
      await discard(tag)
      throw error
    }
    // The proof is never sent twice; the list tells whether it arrived. If even that cannot be had, the staged key and
    // its mark stay for the next time somebody is signed in.
    await leave(tag, mark)
    guard !Task.isCancelled, error.code != .appCanceled else { throw error }
    switch await client.recover(tag, sessionID: session.id, userID: userID) {
    case .enrolled(let device): return device
    case .absent where isSecond:
      await discard(tag)
      throw error
    case .absent, .unknown: throw error
    }
  }

  /// Notes that this process will not settle the enrollment.
  private func leave(_ tag: KeyTag, _ mark: AttemptMark) async {
    var mark = mark
    mark.isLeft = true
    do { try await client.shelf.mark(tag, mark) } catch {
      // It is left alone until its time is over.
      client.emit(.postponed(.saving, code: CredentialShelf.code(of: error)))
    }
  }

  // MARK: 5 and 6

  private func accept(_ record: KeyRecord, _ device: TrustedDevice, _ sent: Sent) async throws -> TrustedDevice {
    guard device.status == .active, try await isFree(device.id, for: record) else {
      await discard(record.tag)
      throw AuthenticatorError(
        .invalidMessage, stage: "enroll", reason: "the server named a credential that cannot be this one")
    }
    try await checkPlace(of: record, device, sent)
    do {
      try await client.shelf.commit(
        record, as: device.id, CredentialDetails(createdAt: device.createdAt, updatedAt: device.updatedAt))
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .storageFailed, stage: "enroll")
      await client.undo(record, device.id, sessionID: session.id, userID: userID)
      throw error
    }
    client.emit(.enrolled(id: device.id, isRecovered: false))
    await client.shelf.removeReplaced(by: record, userID: userID, in: configuration.replaceScope)
    return device
  }

  /// Another process may have enrolled this installation while the answer was under way: the server's list decides
  /// which of both stands.
  /// - Throws: `overtaken` when it is the other; nothing of this enrollment is left then. What the list cannot be had
  ///   for: the key stays and is settled by it later.
  private func checkPlace(of record: KeyRecord, _ device: TrustedDevice, _ sent: Sent) async throws {
    let rivals: [LocalCredential]
    do {
      rivals = try await client.shelf.rivals(of: record, userID: userID, since: sent.known)
      let isHere = try await [.staged, .active].contains(client.shelf.store.record(record.tag)?.state)
      if rivals.isEmpty, isHere { return }
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .storageFailed, stage: "enroll")
      await client.undo(record, device.id, sessionID: session.id, userID: userID)
      throw error
    }
    let listed: [TrustedDevice]
    do { listed = try await client.fetchList(sessionID: session.id) } catch {
      var mark = sent.mark
      mark.id = device.id
      await leave(record.tag, mark)
      throw error
    }
    let isListed = listed.contains { $0.id == device.id && $0.status == .active }
    if isListed, !rivals.contains(where: { $0.overtakes(record, as: device, among: listed) }) { return }
    if isListed {
      await client.undo(record, device.id, sessionID: session.id, userID: userID)
    } else {
      await discard(record.tag)
    }
    throw CredentialShelf.overtaken("another process has enrolled this installation meanwhile, which stands")
  }

  /// A server that takes up an old name for a new key has given up the old key; another user's name is never taken.
  private func isFree(_ id: String, for record: KeyRecord) async throws -> Bool {
    do {
      let holders = try await client.shelf.store.records(matching: client.scope.query(id: id, states: .everyState))
      for holder in holders where holder.tag != record.tag {
        guard holder.owner.account == record.owner.account else { return false }
        let (store, tag) = (client.shelf.store, holder.tag)
        try await Turnstile.shielded { try await store.delete(tag) }
      }
      return true
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .storageFailed, stage: "enroll")
      await client.undo(record, id, sessionID: session.id, userID: userID)
      throw error
    }
  }

  private func discard(_ tag: KeyTag) async { await client.shelf.discard(tag) }
}

extension TrustedDeviceClient {
  /// The server has accepted and the record cannot be kept: the server's half is undone, then this one.
  func undo(_ record: KeyRecord, _ id: String, sessionID: String, userID: String) async {
    do {
      _ = try await revokeOnServer(id, sessionID: sessionID)
      emit(.orphanRevoked(id: id))
    } catch {
      emit(.postponed(.revocation, code: CredentialShelf.code(of: error)))
      let work = PendingWork(shelf.store, scope: scope)
      do {
        try await Turnstile.shielded { try await work.add(.revocation(id: id, userID: userID)) }
      } catch {
        // Neither half can be undone: the staged key and its mark stay, and the list will tell.
        return emit(.postponed(.settlement, code: CredentialShelf.code(of: error)))
      }
    }
    let (store, tag) = (shelf.store, record.tag)
    do {
      // A commit that failed may have taken effect after all.
      try await Turnstile.shielded { try await store.delete(tag) }
    } catch {
      emit(.postponed(.removal, code: CredentialShelf.code(of: error)))
      await shelf.listForRemoval(tag)
    }
  }
}
