import AuthenticatorCore
import AuthenticatorCrypto

extension TrustedDeviceClient {
  func signIn(id: String?, hint: String?, reason: String?) async throws -> SignIn {
    try await requireFeature()
    let selection = try await select(id: id, hint: hint, asksServer: true)
    guard let credential = selection.credential else { throw await refuse(selection) }
    return try await SignInCeremony(
      client: self, credential: credential, reason: reason ?? configuration.signInReason
    ).run()
  }

  /// Nothing can sign in. Keys found void or gone are removed here: looking at them was the exact answer.
  private func refuse(_ selection: CredentialSelection) async -> AuthenticatorError {
    var isRemoved = false
    for (credential, condition) in selection.lost {
      let removal: TrustedDeviceEvent.RemovalReason = condition == .void ? .keyInvalidated : .keyMissing
      if await shelf.condemn(credential, removal, keepsForRevocation: configuration.revokesOrphans) { isRemoved = true }
    }
    return isRemoved ? selection.error.afterRemoval() : selection.error
  }

  /// After a sign-in or sign-up of any kind.
  func announce(_ signIn: SignIn) async {
    guard signIn.status == .complete else { return emit(.signInNeedsContinuation(signIn.status)) }
    emit(.signedIn(sessionID: signIn.createdSessionID))
  }
}

/// One sign-in with one credential: challenge, prompt, signature, proof.
struct SignInCeremony {
  let client: TrustedDeviceClient
  let credential: LocalCredential
  let reason: String

  private var environment: AuthenticatorEnvironment { client.context.environment }
  private var strategy: String { client.configuration.strategy.rawValue }

  func run() async throws -> SignIn {
    let authenticator = try await client.configuration.authenticators.signing.make(
      credential.record.authenticator, client.context)
    let (begun, challenge, clock) = try await begin()
    try challenge.check(signer: credential.id, at: clock.now)
    let standing = Standing(client.state)

    let question = ChallengePrompt(
      environment: environment, clock: clock, challenge: challenge, reason: reason,
      limit: client.configuration.promptTimeLimit)
    let signature: Signature
    do {
      signature = try await question.sign(authenticator, credential.record, try OperationID(in: environment))
    } catch let error as AuthenticatorError {
      throw await judged(error)
    }
    // What was under way may have been given up while the person was asked; the old challenge is not sent then.
    guard Standing(client.state) == standing else {
      throw AuthenticatorError(
        .sessionChanged, stage: "signIn", reason: "session or sign-in changed while the person was asked")
    }
    guard !Task.isCancelled else {
      throw AuthenticatorError(.appCanceled, stage: "signIn", underlying: CancellationError())
    }
    let signIn = try await attempt(begun, challenge, signature)
    if signIn.status == .complete {
      await client.knowSession(signIn.createdSessionID)
      await proved()
    }
    await client.announce(signIn)
    if signIn.status == .complete { await client.settleQuietly() }
    return signIn
  }

  private struct Standing: Equatable {
    let identity: ClientState.Identity
    let clientID: String?
    let signInID: String?

    init(_ state: ClientState) {
      identity = state.identity
      let client = state.current.client
      clientID = client?.id
      signInID = client?.signInID
    }
  }

  // MARK: The two requests

  private func begin() async throws -> (SignIn, TrustedDeviceChallenge, ServerClock) {
    let answer: FrontendAnswer
    do {
      answer = try await client.api.send(
        FrontendRequest(
          "POST", "client", "sign_ins",
          form: [
            ("strategy", strategy), ("trusted_device_id", credential.id), ("locale", client.configuration.locale),
          ], retrying: .once))
    } catch let error as AuthenticatorError {
      throw await judged(error)
    }
    let signIn = try SignIn(try answer.object("sign-in"))
    guard let challenge = signIn.firstFactorVerification?.trustedDeviceChallenge else {
      throw AuthenticatorError(.invalidMessage, stage: "signIn", reason: "the server returned no challenge")
    }
    return (signIn, challenge, client.clock(answer))
  }

  private func attempt(
    _ begun: SignIn, _ challenge: TrustedDeviceChallenge, _ signature: Signature
  ) async throws -> SignIn {
    let sessions = Set(client.state.current.client?.sessions.map(\.id) ?? [])
    let form: [(name: String, value: String?)] = [
      ("strategy", strategy), ("trusted_device_id", credential.id), ("client_data", challenge.clientData),
      ("signature", try ProofText.text(signature)), ("algorithm", challenge.algorithm.rawValue),
    ]
    do {
      let answer = try await client.api.send(
        FrontendRequest(
          "POST", "client", "sign_ins", begun.id, "attempt_first_factor", form: form, retrying: .never))
      return try SignIn(try answer.object("sign-in"))
    } catch let error as AuthenticatorError {
      if let signIn = await arrived(begun, since: sessions, after: error) { return signIn }
      throw await judged(error)
    }
  }

  /// After an attempt without an answer: the proof is never sent twice, but a session that it made shows in the client.
  private func arrived(_ begun: SignIn, since sessions: Set<String>, after error: AuthenticatorError) async -> SignIn? {
    // These two also come back when the proof arrived twice, the first time in time.
    let isSecond = error.code == .challengeNotFound || error.code == .alreadySignedIn
    let isUnknown = error.frontendError.map { !$0.isDefinite } ?? !error.isSafeToRetry
    guard isUnknown || isSecond, error.code != .appCanceled, !Task.isCancelled else { return nil }
    do {
      try await client.api.refreshClient()
    } catch {
      client.emit(.postponed(.refresh, code: CredentialShelf.code(of: error)))
      return nil
    }
    let made = client.state.current.client?.sessions.first {
      $0.isSignedIn && $0.user?.id == credential.userID && !sessions.contains($0.id)
    }
    return made.map { SignIn(id: begun.id, status: .complete, createdSessionID: $0.id) }
  }

  // MARK: What an answer means for the credential

  /// Removes the credential when the error proves that it is worthless; the error says so then.
  private func judged(_ error: AuthenticatorError) async -> AuthenticatorError {
    switch error.code {
    case .credentialGone:
      return await client.shelf.removeOrPostpone(credential, .missingOnServer) ? error.afterRemoval() : error
    case .keyInvalidated, .keyNotFound:
      let isGone = await client.shelf.condemn(
        credential, error.code == .keyInvalidated ? .keyInvalidated : .keyMissing,
        keepsForRevocation: client.configuration.revokesOrphans)
      return isGone ? error.afterRemoval() : error
    case .deviceNotRegistered:
      // The authenticator has deleted it already, by the key's own rule.
      client.emit(.removed(id: credential.id, reason: .keyInvalidated))
      await client.noteOrphan(credential)
      return error.afterRemoval()
    case .signatureRefused where credential.details.isUnproven:
      // It was recovered from the list alone, and wrongly: the server's credential is another device's.
      return await client.shelf.takeBack(credential) == nil ? error.afterRemoval() : error
    default: return error
    }
  }

  /// The server took the signature: a recovered credential is the right one.
  private func proved() async {
    guard credential.details.isUnproven else { return }
    do {
      try await client.shelf.prove(credential)
      await client.shelf.removeReplaced(
        by: credential.record, userID: credential.userID, in: client.configuration.replaceScope)
    } catch {
      // It stays unproven: the next signature proves it again.
      client.emit(.postponed(.saving, code: CredentialShelf.code(of: error)))
    }
  }
}

extension TrustedDeviceClient {
  /// Remembers to revoke the server's credential of a key that is gone without a row to remember it by.
  func noteOrphan(_ credential: LocalCredential) async {
    guard configuration.revokesOrphans, !credential.details.isUnproven else { return }
    _ = await shelf.queueRevocation(of: credential)
  }
}
