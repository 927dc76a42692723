import AuthenticatorCore

/// What overrides are built from.
extension DefaultDeviceAuthenticator {
  /// Runs a prompt until `deadline`, an uptime.
  ///
  /// The prompt's task is cancelled when time is up or the caller's own task is cancelled; the answer is given then
  /// even if the prompt ignores that.
  /// - Throws: `timedOut`; `appCanceled`; what `prompt` throws, foreign errors as `verifierUnavailable`.
  public final func withDeadline<Value: Sendable>(
    _ deadline: Duration, _ prompt: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await DeadlineRace.run(until: deadline, in: context.environment, stage: "verify") {
      do {
        return try await prompt()
      } catch {
        throw AuthenticatorError.wrapping(error, as: .verifierUnavailable, stage: "verify")
      }
    }
  }

  /// Shows one prompt, checks that its ticket reaches what was asked, and reports it as an event.
  /// - Throws: `invalidRequest` for an empty fallback title; `timedOut` when time is up already;
  ///   `verificationInsufficient` when an override verified too little; what `verify(_:by:)` throws.
  public final func verified(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    if request.prompt.fallbackTitle?.isEmpty == true {
      throw AuthenticatorError(.invalidRequest, stage: "verify", reason: "the fallback title is empty")
    }
    try check(deadline: request.deadline, stage: "verify")
    let level = max(request.level, access.level)
    guard level > .none else { return nothingAsked(request) }
    var request = request
    request.level = level
    do {
      let ticket = try await verify(request, by: access)
      guard ticket.verification.level >= level else {
        throw AuthenticatorError(.verificationInsufficient, stage: "verify")
      }
      let seen = ticket.verification
      context.environment.emit(.verified(level: seen.level, methods: seen.methods, isReused: seen.isReused))
      return ticket
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .verifierUnavailable, stage: "verify")
      context.environment.emit(error.code == .lockedOut ? .lockedOut : .verificationFailed(code: error.code))
      throw error
    }
  }

  private func nothingAsked(_ request: VerificationRequest) -> VerificationTicket {
    VerificationTicket(
      verification: UserVerification(level: .none, methods: [], time: context.environment.now()),
      operation: request.operation, keys: request.keys, expires: request.deadline)
  }

  /// Deletes the keys of some types, of this instance; with `owner`, that owner's only. Goes on after a failure and
  /// throws the first one at the end.
  public final func deleteKeys(ofTypes types: Set<AuthenticatorType>, owner: KeyOwner? = nil) async throws {
    if let owner { try check(owner: owner) }
    let everyState = Set(KeyRecord.State.allCases)
    let query = KeyQuery(
      instance: context.instance, family: owner?.family, party: owner?.party, account: owner?.account,
      states: everyState)
    var failure: (any Error)?
    for record in try await context.keyStore.records(matching: query) where types.contains(record.authenticator) {
      // A query without account admits every account; an owner without account means just that.
      if let owner, record.owner != owner { continue }
      do {
        try await context.keyStore.delete(record.tag)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }
}

extension DefaultDeviceAuthenticator {
  /// A request that stands for any key, to find out what could be made.
  var probe: KeyRequest {
    KeyRequest(
      owner: KeyOwner(
        instance: context.instance, family: ProtocolFamily(rawValue: ""), party: "", account: nil),
      algorithms: [.es256])
  }

  func check(owner: KeyOwner) throws {
    guard owner.instance == context.instance else {
      throw AuthenticatorError(.invalidRequest, stage: "authenticate", reason: "the owner is of another instance")
    }
  }

  func check(deadline: Duration, stage: String) throws {
    if Task.isCancelled { throw AuthenticatorError(.appCanceled, stage: stage, underlying: CancellationError()) }
    guard context.environment.uptime() < deadline else { throw AuthenticatorError(.timedOut, stage: stage) }
  }

  func wrapping<Value>(
    _ stage: String, as code: AuthenticatorError.Code, _ body: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await body()
    } catch {
      throw AuthenticatorError.wrapping(error, as: code, stage: stage)
    }
  }

  /// The request's ticket if it opens this key in this operation, else that of a new prompt.
  func ticket(for request: SigningRequest, level: VerificationLevel) async throws -> VerificationTicket {
    let record = request.record
    let uptime = context.environment.uptime()
    if let ticket = request.ticket, ticket.isUsable(for: request.operation, at: uptime),
      ticket.admits(record.tag, at: uptime), ticket.verification.level >= level, ticket.opens(record.access.gate)
    {
      return ticket
    }
    let verification = VerificationRequest(
      operation: request.operation, level: level, owner: record.owner, prompt: request.prompt,
      deadline: request.deadline, keys: [record.tag], isRegistration: record.state == .staged)
    return try await verified(verification, by: record.access)
  }

  /// What staging needs: a ticket if the key is sealed by it, and the enrolled set if biometrics open the key.
  func prepareRegistration(
    _ request: RegistrationRequest, access: KeyAccess
  ) async throws -> (ticket: VerificationTicket?, enrollment: EnrollmentState?) {
    let uptime = context.environment.uptime()
    var ticket = request.ticket.flatMap { ticket in
      ticket.isUsable(for: request.operation, at: uptime) && ticket.opens(access.gate) ? ticket : nil
    }
    if case .secret = access.gate, ticket == nil { ticket = try await ask(for: request, access: access) }
    guard access.admitsBiometrics else { return (ticket, nil) }
    if let seen = ticket?.verification.enrollmentState { return (ticket, seen) }
    do {
      return (ticket, try await currentEnrollment())
    } catch let error as AuthenticatorError where error.code == .lockedOut && ticket == nil {
      // The passcode is due anyway when the sensor is locked: it is asked for now, so that the set can be stored.
      let ticket = try await ask(for: request, access: access)
      if let seen = ticket.verification.enrollmentState { return (ticket, seen) }
      return (ticket, try await currentEnrollment())
    }
  }

  private func ask(for request: RegistrationRequest, access: KeyAccess) async throws -> VerificationTicket {
    let verification = VerificationRequest(
      operation: request.operation, level: access.level, owner: request.key.owner, prompt: request.prompt,
      deadline: request.deadline, isRegistration: true)
    return try await verified(verification, by: access)
  }
}
