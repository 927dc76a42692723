import AuthenticatorCore

/// Biometrics and nothing else: the policy `BIOMETRIC_ONLY`.
///
/// Its keys are void as soon as the enrolled set changes (`keyInvalidated`), unless configured otherwise. Where the
/// key's provider does not see to that itself, the stored set is compared before the prompt and with what the prompt
/// saw. A locked sensor asks for the passcode to unlock it, then for the biometric.
open class BiometricOnlyAuthenticator: BiometricAuthenticator {
  open override func type() -> AuthenticatorType { .biometricOnly }

  /// Any enrolled biometric; nothing else.
  /// - Throws: `biometryNotEnrolled`; `verifierUnavailable` without a sensor.
  open override func keyAccess(for request: KeyRequest) async throws -> KeyAccess {
    let states = await context.verifier.methods()
    guard states.hasEnrolledBiometrics else {
      throw AuthenticatorError(
        states.biometric.contains(.notEnrolled) ? .biometryNotEnrolled : .verifierUnavailable, stage: "register")
    }
    return KeyAccess(
      gate: .verified(VerificationMethod.biometrics), enrollment: config.enrollment ?? .currentSet,
      requiresHardware: !config.allowsSoftwareKeys)
  }
}
