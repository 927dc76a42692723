import AuthenticatorCore

extension ConformanceChecks {
  /// Checks a user verifier against an access rule that it can meet.
  /// - Parameters:
  ///   - environment: the one the verifier was made with; its uptime must not stand still.
  ///   - answering: told before a prompt that must succeed: see to it that the person does what is asked.
  ///   - ignoring: told before a prompt that must not be answered.
  public static func verifier(
    _ verifier: any UserVerifier, access: KeyAccess, environment: AuthenticatorEnvironment,
    answering: () async throws -> Void, ignoring: () async throws -> Void
  ) async throws -> [ConformanceViolation] {
    let list = ConformanceList()
    list.expect("The states of methods do not change by asking", await verifier.methods() == verifier.methods())
    do {
      list.expect(
        "The enrolled set does not change by asking",
        try await verifier.enrollmentState() == verifier.enrollmentState())
    } catch let error as AuthenticatorError {
      list.expect(
        "An enrolled set that cannot be told throws `enrollmentStateUnreadable` or `lockedOut`",
        [.enrollmentStateUnreadable, .lockedOut].contains(error.code), "it threw \(error.code)")
    }
    let request = try verification(in: environment, level: access.level, timeout: .seconds(60))

    try await answering()
    let ticket = await list.expect(
      "An answered prompt gives a ticket", succeeds: { try await verifier.verify(request, by: access) })
    if let ticket { check(ticket, of: request, access, environment, list) }

    await list.expect("A prompt whose time is over ends as `timedOut`", throws: [.timedOut]) {
      var late = request
      late.deadline = environment.uptime()
      return try await verifier.verify(late, by: access)
    }

    try await ignoring()
    let pending = Task { try await verifier.verify(request, by: access) }
    var isBusy = false
    // The first prompt needs a moment to be shown; until it is, the second one would be the first.
    for _ in 0..<200 where !isBusy {
      try await Task.sleep(for: .milliseconds(5))
      let second = Task { try await verifier.verify(request, by: access) }
      let watch = Task {
        try await Task.sleep(for: .milliseconds(50))
        second.cancel()
      }
      if case .failure(let error) = await second.result, (error as? AuthenticatorError)?.code == .busy { isBusy = true }
      watch.cancel()
    }
    list.expect("A second prompt is refused as `busy` while one is shown", isBusy)
    pending.cancel()
    switch await pending.result {
    case .success: list.expect("A cancelled prompt gives no ticket", false)
    case .failure(let error):
      list.expect(
        "A cancelled prompt ends as `appCanceled` or `CancellationError`",
        error is CancellationError || (error as? AuthenticatorError)?.code == .appCanceled, "it threw \(error)")
    }
    return list.violations
  }

  private static func check(
    _ ticket: VerificationTicket, of request: VerificationRequest, _ access: KeyAccess,
    _ environment: AuthenticatorEnvironment, _ list: ConformanceList
  ) {
    let now = environment.uptime()
    list.expect("A ticket is good for its operation", ticket.isUsable(for: request.operation, at: now))
    list.expect(
      "A ticket is good for no other operation", !ticket.isUsable(for: OperationID(bytes: [1]), at: now))
    list.expect("A ticket reaches the level asked for", ticket.verification.level >= request.level)
    list.expect("A ticket opens only the keys it was asked for", !ticket.admits(KeyTag(rawValue: "other"), at: now))
    list.expect(
      "A ticket is worthless after its operation's time",
      !ticket.isUsable(for: request.operation, at: request.deadline + .seconds(3600)))
    if case .verified(let methods) = access.gate {
      list.expect(
        "The evidence names methods of the rule",
        !ticket.verification.methods.isEmpty && ticket.verification.methods.isSubset(of: methods),
        "\(ticket.verification.methods.map(\.rawValue).sorted())")
    }
  }

  static func verification(
    in environment: AuthenticatorEnvironment, level: VerificationLevel, timeout: Duration
  ) throws -> VerificationRequest {
    VerificationRequest(
      operation: try OperationID(in: environment), level: max(level, .presence),
      owner: KeyOwner(instance: "https://conformance.example", family: .deviceBinding, party: "/", account: [1]),
      prompt: Prompt(reason: "Conformance"), deadline: environment.uptime() + timeout,
      keys: [KeyTag(rawValue: "conformance")])
  }
}
