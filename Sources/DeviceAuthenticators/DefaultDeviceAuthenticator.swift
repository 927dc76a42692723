import AuthenticatorCore

/// The authenticator that apps subclass: it stages keys, opens them, compares the enrolled set, and keeps deadlines.
///
/// A type of its own takes four overrides: `type()`, `keyAccess(for:)`, `availability()` and, for a new way of
/// verifying the person, `verify(_:by:)`. Everything else works unchanged under every protocol:
///
/// ```swift
/// final class BadgeAuthenticator: DefaultDeviceAuthenticator {
///   override func type() -> AuthenticatorType { AuthenticatorType(rawValue: "badge") }
///   override func keyAccess(for request: KeyRequest) async throws -> KeyAccess {
///     KeyAccess(gate: .verified([VerificationMethod(rawValue: "badge")]))
///   }
///   override func availability() async -> AuthenticatorAvailability { .available(.verified) }
///   override func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
///     try await withDeadline(request.deadline) { try await reader.waitForBadge(request) }
///   }
/// }
/// ```
///
/// Overrides run on the caller's actor and may throw errors of their own; each is wrapped once as `AuthenticatorError`.
/// Not `Sendable`: make one for each ceremony, by a factory of `AuthenticatorFactories`. Check a subclass with
/// `ConformanceChecks.authenticator` of `AuthenticatorTestSupport`.
open class DefaultDeviceAuthenticator: DeviceAuthenticator {
  public let context: AuthenticatorContext

  /// An authenticator for one ceremony, or for as long as the app keeps it.
  public init(context: AuthenticatorContext) { self.context = context }

  /// What the records of its keys say. Constant for a class: at use, it chooses this class again.
  open func type() -> AuthenticatorType { AuthenticatorType(rawValue: "default") }

  /// The access rule of a new key: written into it once, obeyed for its life.
  ///
  /// Silent. The base class has none, which is why `register(_:)` refuses until a subclass says how a key opens.
  /// - Throws: `unsupported` here; overrides throw what keeps the device from opening such a key
  ///   (`biometryNotEnrolled`, `passcodeNotSet`, `verifierUnavailable`).
  open func keyAccess(for request: KeyRequest) async throws -> KeyAccess {
    throw AuthenticatorError(.unsupported, stage: "register", reason: "\(type()) has no access rule for keys")
  }

  /// What it could do now, concluded from its access rule and the states of the verifier's methods. Silent.
  open func availability() async -> AuthenticatorAvailability {
    do {
      let access = try await keyAccess(for: probe)
      guard case .verified(let methods) = access.gate else { return .available(access.level) }
      return await context.verifier.methods().availability(of: methods, reaching: access.level)
    } catch {
      return .unavailable(AuthenticatorError.wrapping(error, as: .unsupported, stage: "availability").code)
    }
  }

  /// Whether it may be used for a new key: it is available, and the store can make a key under its rule. Silent.
  ///
  /// The rule of the shipped biometric and passcode authenticators demands hardware, so that this is false where
  /// only software keys can be made, unless their configuration allows them by name.
  /// - Parameter attestation: not looked at; whoever wants an attestation asks the key for it.
  open func isSupported(attestation: Attestation) async -> Bool {
    guard case .available(let level) = await availability() else { return false }
    do {
      let access = try await keyAccess(for: probe)
      guard level >= access.level else { return false }
      return await context.keyStore.prospectiveProtection(for: probe, access: access) != nil
    } catch {
      return false
    }
  }

  /// Verifies the person without a key, as this authenticator would for a new one; a level below `verified` asks
  /// for presence only, `none` for nothing.
  /// - Throws: what `verify(_:by:)` throws; `timedOut`; `appCanceled` when the task is cancelled.
  open func verify(_ request: VerificationRequest) async throws -> VerificationTicket {
    try check(owner: request.owner)
    guard request.level == .verified else { return try await verified(request, by: KeyAccess(gate: .open)) }
    let access = try await keyAccess(for: KeyRequest(owner: request.owner, algorithms: []))
    return try await verified(request, by: access)
  }

  /// Shows one prompt that meets an access rule, the one override that a new way of verifying needs.
  ///
  /// The ticket must reach `request.level`, and be bound to `request.operation` and `request.keys`. Prompts run in
  /// `withDeadline(_:_:)`, which ends them. The base class asks the context's verifier; the app's fallback button is
  /// offered where biometrics alone open the key, and never while a key is being made.
  /// - Throws: the codes under "Ended by someone" and "Verifying the person".
  open func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    if case .secret = access.gate {
      throw AuthenticatorError(.unsupported, stage: "verify", reason: "\(type()) collects no PIN")
    }
    var request = request
    if request.isRegistration || !access.isBiometricOnly { request.prompt.fallbackTitle = nil }
    let verifier = context.verifier
    return try await withDeadline(request.deadline) { [request] in try await verifier.verify(request, by: access) }
  }

  /// Makes a staged key under `keyAccess(for:)`.
  ///
  /// Nothing is left behind when it throws. Asks the person only when the key is sealed by a PIN, or when a locked
  /// sensor hides the enrolled set, and the request has no ticket for it.
  /// - Throws: `unsupported` in the base class; what `keyAccess(for:)`, `verify(_:by:)` and `KeyStore.stage` throw;
  ///   `enrollmentStateUnreadable`; `timedOut`; `invalidRequest` for an owner of another instance.
  open func register(_ request: RegistrationRequest) async throws -> StagedKey {
    try check(owner: request.key.owner)
    let access = try await wrapping("register", as: .accessControlFailed) { try await keyAccess(for: request.key) }
    try check(deadline: request.deadline, stage: "register")
    let (ticket, enrollment) = try await prepareRegistration(request, access: access)
    let record = try await context.keyStore.stage(
      request.key, as: type(), access: access, enrollmentState: enrollment, ticket: ticket)
    return StagedKey(record: record, ticket: ticket, store: context.keyStore)
  }

  /// Opens a key for one use: compares the enrolled set, verifies the person at the stricter of the asked level and
  /// the key's own, and compares again with what that verification saw.
  /// - Throws: `invalidRequest` for a record of another type or instance; `keyInvalidated` or `deviceNotRegistered`
  ///   (the key is deleted then) for a changed set; `enrollmentStateUnreadable`, which deletes nothing; what
  ///   `verify(_:by:)` throws; `timedOut`; `appCanceled` when the task is cancelled; `storageFailed` when a change
  ///   could not be written down, and the next use tries again.
  open func authenticate(_ request: SigningRequest) async throws -> SigningKey {
    let record = request.record
    try check(owner: record.owner)
    guard record.authenticator == type() else {
      throw AuthenticatorError(.invalidRequest, stage: "authenticate", reason: "the key is of another authenticator")
    }
    try check(deadline: request.deadline, stage: "authenticate")
    guard !record.isInvalidated else { throw AuthenticatorError(.keyInvalidated, stage: "authenticate") }
    let level = max(request.level, record.access.level)
    guard level > .none else { return SigningKey(record: record, ticket: nil, store: context.keyStore) }
    try await compareEnrollment(of: record, before: true)
    let ticket = try await ticket(for: request, level: level)
    try await compareEnrollment(of: record, seen: ticket.verification.enrollmentState)
    return SigningKey(record: record, ticket: ticket, store: context.keyStore)
  }

  /// The digest of the enrolled set, nil when nothing is enrolled: `UserVerifier.enrollmentState()` as bytes. Silent.
  ///
  /// Keys store it when they are made, and it is read again whenever one is used.
  /// - Throws: `lockedOut` while a locked sensor hides it; `enrollmentStateUnreadable`.
  open func biometricDomainState() async throws -> [UInt8]? {
    try await context.verifier.enrollmentState()?.digest
  }

  /// What would become of `authenticate(_:)`. Silent; what cannot be told is `.unknown`.
  open func health(of record: KeyRecord) async -> KeyHealthReport {
    KeyHealthReport(await state(of: record), protection: record.protection)
  }

  private func state(of record: KeyRecord) async -> KeyHealth {
    guard record.authenticator == type(), record.owner.instance == context.instance else { return .unknown }
    do {
      guard try await context.keyStore.presence(of: record.tag) else { return .gone }
      // The caller's copy may be older than what the last use found.
      guard let current = try await context.keyStore.record(record.tag) else { return .gone }
      if current.isInvalidated { return .changed }
      if let health = try await enrollmentHealth(of: record) { return health }
      return try await gateHealth(of: record.access.gate)
    } catch {
      switch AuthenticatorError.wrapping(error, as: .storageFailed, stage: "health").code {
      case .lockedOut: return .lockedOut
      case .integrityFailed: return .damaged
      case .keyNotFound: return .gone
      default: return .unknown
      }
    }
  }

  /// Deletes this type's keys of this instance, in every state, for every protocol and account, in this store only.
  /// - Throws: `storageFailed`; the keys that could be deleted are gone then.
  open func deleteKeys() async throws {
    try await deleteKeys(ofTypes: [type()])
  }

  /// Deletes this type's keys of one owner.
  /// - Throws: as `deleteKeys()`; `invalidRequest` for an owner of another instance.
  open func deleteKeys(of owner: KeyOwner) async throws {
    try await deleteKeys(ofTypes: [type()], owner: owner)
  }
}
