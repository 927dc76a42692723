import AuthenticatorCore
import AuthenticatorCrypto

extension ScriptedUserVerifier: UserVerifier {
  public func methods() async -> [VerificationMethod: MethodState] { stage.withLock { $0.body.methods } }

  public func enrollmentState() async throws -> EnrollmentState? {
    try stage.withLock { try $0.body.enrollmentState() }
  }

  public func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    let method: VerificationMethod
    switch access.gate {
    case .open:
      method = try await show(PromptRecord(.presence, request.prompt), until: request.deadline, PresencePlay())
    case .verified(let methods): method = try await verify(request, by: methods)
    case .secret: throw AuthenticatorError(.unsupported, stage: "scripted", reason: "a PIN is the collector's")
    }
    // The set as it is now, after the touch; what cannot be read is left open and read again by whoever needs it.
    let seen = stage.withLock { stage -> EnrollmentState? in
      do { return try stage.body.enrollmentState() } catch { return nil }
    }
    return VerificationTicket(
      verification: UserVerification(
        level: method == .presence ? .presence : .verified, methods: [method], time: environment.now(),
        enrollmentState: method == .presence ? nil : seen),
      operation: request.operation, keys: request.keys, expires: request.deadline)
  }

  private func verify(
    _ request: VerificationRequest, by methods: Set<VerificationMethod>
  ) async throws -> VerificationMethod {
    let states = stage.withLock { $0.body.methods }.filter { methods.contains($0.key) }
    let takesTouches = states.contains { $0.key.isBiometric && $0.value == .ready }
    let takesPasscode = states[.passcode] == .ready
    guard takesTouches || takesPasscode else { throw AuthenticatorError(refusal(states), stage: "scripted") }
    let record = PromptRecord(takesTouches ? .biometric : .passcode, request.prompt)
    let play = VerificationPlay(
      takesTouches: takesTouches, takesPasscode: takesPasscode,
      hasFallbackButton: takesTouches && request.prompt.fallbackTitle != nil)
    return try await show(record, until: request.deadline, play)
  }

  /// Why no prompt can be shown: of several reasons, the one the person can do most about.
  private func refusal(_ states: [VerificationMethod: MethodState]) -> AuthenticatorError.Code {
    if states.values.contains(.lockedOut) { return .lockedOut }
    if states.values.contains(.notEnrolled) { return .biometryNotEnrolled }
    return states[.passcode] == .notSet ? .passcodeNotSet : .verifierUnavailable
  }
}

extension ScriptedUserVerifier: PINCollector {
  public func collectPIN(_ request: PINRequest) async throws -> SecretBytes {
    try await show(PromptRecord(.pin, request.prompt), until: request.deadline, PINPlay())
  }
}

extension ScriptedUserVerifier: PromptResponder {
  public func choose(_ question: ChoiceQuestion) async throws -> String {
    guard !question.options.isEmpty else {
      throw AuthenticatorError(.invalidRequest, stage: "scripted", reason: "there is nothing to choose from")
    }
    let record = PromptRecord(
      question.kind == .choose ? .choose : .alternative, question.prompt, options: question.options)
    return try await show(record, until: question.deadline, ChoicePlay(options: question.options))
  }

  public func approve(_ question: ApprovalQuestion) async throws -> Bool {
    let record = PromptRecord(
      question.kind == .consent ? .consent : .transaction, question.prompt, content: question.content)
    return try await show(record, until: question.deadline, ApprovalPlay())
  }
}
