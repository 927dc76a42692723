import AuthenticatorCore

/// Verifies the person on a terminal: by the device passcode, which is really checked, or by a sign of presence.
///
/// There is no sensor: a key that only biometrics open answers `verifierUnavailable`. Without a terminal every prompt
/// is `notInteractive`, and without a checker that can check, passcodes are `passcodeNotSet`.
public struct TerminalUserVerifier: UserVerifier {
  /// Wrong entries that end a prompt.
  public static let triesPerPrompt = 3

  private let terminal: PromptTerminal
  private let passcodes: any PasscodeChecker
  private let texts: TerminalTexts
  private let environment: AuthenticatorEnvironment

  /// Prompts on `terminal` and has entries checked by `passcodes`.
  public init(
    terminal: PromptTerminal, passcodes: any PasscodeChecker, texts: TerminalTexts = TerminalTexts(),
    environment: AuthenticatorEnvironment
  ) {
    self.terminal = terminal
    self.passcodes = passcodes
    self.texts = texts
    self.environment = environment
  }

  public func methods() async -> [VerificationMethod: MethodState] {
    [.fingerprint: .noSensor, .face: .noSensor, .passcode: await passcodes.state()]
  }

  /// A terminal has no sensor, so it cannot tell what is enrolled: a key made with a finger is neither confirmed nor
  /// taken for changed here.
  public func enrollmentState() async throws -> EnrollmentState? {
    throw AuthenticatorError(
      .enrollmentStateUnreadable, stage: "terminal", reason: "there is no sensor that could tell what is enrolled")
  }

  public func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    let method: VerificationMethod
    switch access.gate {
    case .open:
      try await askForPresence(request)
      method = .presence
    case .verified(let methods) where methods.contains(.passcode):
      try await askForPasscode(request)
      method = .passcode
    case .verified: throw AuthenticatorError(.verifierUnavailable, stage: "terminal", reason: "there is no sensor")
    case .secret: throw AuthenticatorError(.unsupported, stage: "terminal", reason: "a PIN is the collector's")
    }
    return VerificationTicket(
      verification: UserVerification(
        level: method == .presence ? .presence : .verified, methods: [method], time: environment.now()),
      operation: request.operation, keys: request.keys, expires: request.deadline)
  }

  private func askForPresence(_ request: VerificationRequest) async throws {
    let texts = texts
    try await terminal.prompt(until: request.deadline) { session in
      try session.show(request.prompt)
      _ = try session.readLine(texts.presence)
    }
  }

  private func askForPasscode(_ request: VerificationRequest) async throws {
    switch await passcodes.state() {
    case .ready: break
    case .lockedOut: throw AuthenticatorError(.lockedOut, stage: "terminal")
    case .unavailable: throw AuthenticatorError(.verifierUnavailable, stage: "terminal")
    case .notSet, .notEnrolled, .noSensor: throw AuthenticatorError(.passcodeNotSet, stage: "terminal")
    }
    let texts = texts
    for attempt in 1...Self.triesPerPrompt {
      let passcode = try await terminal.prompt(until: request.deadline) { session in
        if attempt == 1 { try session.show(request.prompt) } else { try session.say(texts.wrong) }
        return try session.readSecret(texts.passcode)
      }
      if try await passcodes.check(passcode) { return }
    }
    throw AuthenticatorError(.userVerificationFailed, stage: "terminal")
  }
}
