import AuthenticatorCore

extension AuthenticatorError {
  /// What an error means that came while the enrolled set was read: `lockedOut` and `appCanceled` stay what they are,
  /// anything else is `enrollmentStateUnreadable`.
  package static func readingEnrollment(_ error: any Error) -> AuthenticatorError {
    let error = wrapping(error, as: .enrollmentStateUnreadable, stage: "enrollment")
    switch error.code {
    case .lockedOut, .appCanceled, .enrollmentStateUnreadable: return error
    default: return AuthenticatorError(.enrollmentStateUnreadable, stage: "enrollment", underlying: error)
    }
  }
}

/// The enrolled set, compared as each key's own rule says.
extension DefaultDeviceAuthenticator {
  /// The enrolled set as `biometricDomainState()` tells it.
  /// - Throws: `lockedOut`, or `enrollmentStateUnreadable` for whatever else goes wrong.
  func currentEnrollment() async throws -> EnrollmentState? {
    do {
      return try await biometricDomainState().map(EnrollmentState.init)
    } catch {
      throw AuthenticatorError.readingEnrollment(error)
    }
  }

  /// Compares the set with the one the key was made under. What a change does to the key is written down before this
  /// throws, so that the key stays closed when the former set comes back.
  /// - Parameters:
  ///   - seen: the set as the verification saw it; nil: it is read now.
  ///   - before: before the prompt; a set that a locked sensor hides is compared after the passcode unlocked it.
  func compareEnrollment(of record: KeyRecord, seen: EnrollmentState? = nil, before: Bool = false) async throws {
    let policy = record.access.enrollment
    guard policy != .ignored, let stored = record.enrollmentState else { return }
    var current = seen
    if current == nil {
      do {
        current = try await currentEnrollment()
      } catch let error as AuthenticatorError where before && error.code == .lockedOut {
        return
      }
    }
    guard current != stored else { return }
    context.environment.emit(.enrollmentChanged(record.tag, policy: policy))
    guard policy == .compared else {
      try await context.keyStore.invalidate(record.tag)
      throw AuthenticatorError(.keyInvalidated, stage: "enrollment")
    }
    try await context.keyStore.delete(record.tag)
    throw AuthenticatorError(.deviceNotRegistered, stage: "enrollment")
  }

  /// `.changed` when the set differs and the key minds; nil when nothing speaks against it.
  func enrollmentHealth(of record: KeyRecord) async throws -> KeyHealth? {
    guard record.access.enrollment != .ignored, let stored = record.enrollmentState else { return nil }
    return try await currentEnrollment() == stored ? nil : .changed
  }

  func gateHealth(of gate: KeyAccess.Gate) async throws -> KeyHealth {
    switch gate {
    case .open: return .usable
    case .secret(let domain):
      guard try await context.keyStore.isSet(domain) else { return .gone }
      let attempts = try await context.keyStore.attempts(of: domain)
      return attempts.remaining > 0 && attempts.retryAfter == nil ? .usable : .lockedOut
    case .verified(let methods):
      let states = await context.verifier.methods().filter { methods.contains($0.key) }.values
      if states.contains(.ready) { return .usable }
      if states.contains(.lockedOut) { return .lockedOut }
      guard states.isEmpty else { return .unknown }
      // A way of verifying that only the subclass knows.
      switch await availability() {
      case .available: return .usable
      case .unavailable(.lockedOut): return .lockedOut
      case .unavailable, .unknown: return .unknown
      }
    }
  }
}
