import AuthenticatorCore

/// Why a key cannot be used now: what an availability says of it in general, and what a sign-in throws in particular.
package struct Obstacle: Hashable, Sendable {
  package let reason: TrustedDeviceAvailability.UnavailableReason
  package let code: AuthenticatorError.Code
  /// In words, where the code says too little; else empty.
  package let text: String

  init(
    _ reason: TrustedDeviceAvailability.UnavailableReason, _ code: AuthenticatorError.Code, _ text: String = ""
  ) {
    self.reason = reason
    self.code = code
    self.text = text
  }

  package var error: AuthenticatorError {
    AuthenticatorError(
      code, stage: "signIn", reason: text, underlying: TrustedDeviceFailure(unavailableReason: reason))
  }
}

extension CredentialShelf {
  /// What keeps the person from opening a key: told apart as it is when a device is enrolled.
  func obstacle(to access: KeyAccess) async -> Obstacle {
    let reason = TrustedDeviceAvailability.UnavailableReason.biometricAuthenticationUnavailable
    if case .verified(let methods) = access.gate {
      let states = await context.verifier.methods().filter { methods.contains($0.key) }.values
      if !states.contains(.ready) {
        if states.contains(.notEnrolled) { return Obstacle(reason, .biometryNotEnrolled) }
        guard !states.contains(.unavailable) else { return Obstacle(reason, .verifierUnavailable) }
        return Obstacle(reason, .verifierUnavailable, "there is no usable biometric sensor")
      }
    }
    guard access.enrollment != .ignored else { return Obstacle(reason, .verifierUnavailable) }
    do {
      _ = try await context.verifier.enrollmentState()
    } catch {
      return Obstacle(
        reason, AuthenticatorError.wrapping(error, as: .enrollmentStateUnreadable, stage: "signIn").code)
    }
    return Obstacle(reason, .verifierUnavailable)
  }
}
