import AuthenticatorCore

/// What the biometric authenticators have in common: button titles, contexts handed over by the app, and a locked
/// sensor. Subclass `BiometricOnlyAuthenticator` or `BiometricDeviceCredentialAuthenticator`, or this one for a rule
/// of your own.
open class BiometricAuthenticator: DefaultDeviceAuthenticator {
  /// May change between operations; what concerns a key is fixed when it is made.
  public var config: BiometricAuthenticatorConfig

  /// An authenticator for one ceremony, or for as long as the app keeps it.
  public init(config: BiometricAuthenticatorConfig = BiometricAuthenticatorConfig(), context: AuthenticatorContext) {
    self.config = config
    super.init(context: context)
  }

  /// Uses the context that the app hands over, or shows the prompt with the configured titles. Where biometrics
  /// alone open the key and the sensor is locked, the passcode is asked for first, which unlocks it.
  /// - Throws: `lockedOut` for a locked sensor without passcode; `fallbackRequested` when the person pressed the
  ///   app's own button; otherwise as in `DefaultDeviceAuthenticator`.
  open override func verify(
    _ request: VerificationRequest, by access: KeyAccess
  ) async throws -> VerificationTicket {
    guard case .verified(let methods) = access.gate else { return try await super.verify(request, by: access) }
    if config.fallbackTitle?.isEmpty == true {
      throw AuthenticatorError(.invalidRequest, stage: "verify", reason: "the fallback title is empty")
    }
    var request = request
    request.prompt.fallbackTitle = request.prompt.fallbackTitle ?? config.fallbackTitle
    request.prompt.cancelTitle = request.prompt.cancelTitle ?? config.cancelTitle
    if let ticket = try await handedOver(for: request, by: access, admitting: methods) { return ticket }
    if access.isBiometricOnly { try await unlockSensor(for: request) }
    return try await super.verify(request, by: access)
  }

  /// A locked sensor counts as available when the passcode can unlock it. Silent.
  open override func availability() async -> AuthenticatorAvailability {
    let availability = await super.availability()
    guard availability == .unavailable(.lockedOut) else { return availability }
    let states = await context.verifier.methods()
    return states[.passcode] == .ready ? .available(.verified) : availability
  }

  private func handedOver(
    for request: VerificationRequest, by access: KeyAccess, admitting methods: Set<VerificationMethod>
  ) async throws -> VerificationTicket? {
    guard let delegate = config.contextDelegate else { return nil }
    let handedOver = try await withDeadline(request.deadline) { await delegate.biometricContext() }
    let environment = context.environment
    guard let handedOver, await isEnrollmentKnown(by: handedOver, for: request, access),
      handedOver.use(admitting: methods, at: environment.uptime(), validity: config.contextValidity)
    else { return nil }
    return VerificationTicket(
      verification: UserVerification(
        level: .verified, methods: [handedOver.method], time: environment.now(), isReused: true,
        enrollmentState: handedOver.enrollmentState),
      authorization: handedOver.platformContext.map { .platform($0) } ?? .none,
      operation: request.operation, keys: request.keys, expires: request.deadline)
  }

  /// Whether the enrolled set can be had for a key that is made, that biometrics alone open, or that a change of the
  /// set means something to. A locked sensor hides it until the passcode was given: a context that does not bring it
  /// replaces no prompt then.
  private func isEnrollmentKnown(
    by handedOver: BiometricContext, for request: VerificationRequest, _ access: KeyAccess
  ) async -> Bool {
    let isNeeded = request.isRegistration || access.isBiometricOnly || access.enrollment != .ignored
    guard isNeeded, handedOver.enrollmentState == nil else { return true }
    return await !context.verifier.methods().areBiometricsLocked
  }

  /// Asks for the passcode when the sensor is locked; a right one unlocks it.
  private func unlockSensor(for request: VerificationRequest) async throws {
    let states = await context.verifier.methods()
    guard states.areBiometricsLocked else { return }
    guard states[.passcode] == .ready else { throw AuthenticatorError(.lockedOut, stage: "verify") }
    context.environment.emit(.lockedOut)
    // Good for no key: what it verified is only that the sensor may be used again.
    var unlocking = request
    unlocking.keys = []
    _ = try await super.verify(unlocking, by: KeyAccess(gate: .verified([.passcode])))
  }
}
