import AuthenticatorCore
import DeviceAuthenticators

/// What can be known of the enrolled set before anybody is asked.
extension SealedAuthenticator {
  /// Refuses what could not be signed afterwards. A set that a locked sensor hides is read when the passcode was given.
  /// - Throws: `enrollmentStateUnreadable` where keys are bound to the enrolled set or assertions report it.
  func checkEnrollmentIsReadable() async throws {
    let behavior = model.behavior
    guard behavior.reportsUserVerificationState || behavior.enrollment != .ignored else { return }
    do {
      if !behavior.reportsUserVerificationState,
        let device = try await devices.make(behavior, context) as? DefaultDeviceAuthenticator
      {
        _ = try await device.biometricDomainState()
      } else {
        _ = try await context.verifier.enrollmentState()
      }
    } catch {
      let error = AuthenticatorError.readingEnrollment(error)
      guard error.code == .lockedOut else { throw error }
    }
  }

  /// Why it cannot be used on this device now; nil: it can.
  func obstacle() async -> AuthenticatorError? {
    guard await information(displaysImages: false) == nil else { return nil }
    do {
      switch try await devices.make(model.behavior, context).availability() {
      case .unavailable(let code) where ![.lockedOut, .biometryNotEnrolled].contains(code), .unknown(let code):
        return AuthenticatorError(code, stage: "uaf.model", reason: "the device cannot verify as it asks to")
      default: break
      }
    } catch {
      return AuthenticatorError.wrapping(error, as: .unsupported, stage: "uaf.model")
    }
    let reason =
      model.requiresHardware
      ? "keyProtection claims more than the key store gives to a new key"
      : "the key store makes no such key; without hardware, software keys must be allowed by name"
    return AuthenticatorError(.hardwareRequired, stage: "uaf.model", reason: reason)
  }

  /// Whether a changed enrolled set has ended a key. Silent.
  func isEnded(_ key: RegisteredKey) async -> Bool {
    guard let device = try? await devices.make(model.behavior, context) else { return false }
    let isEnded = await device.health(of: key.record).state == .changed
    if isEnded { context.environment.emit(.enrollmentChanged(key.record.tag, policy: key.record.access.enrollment)) }
    return isEnded
  }
}
