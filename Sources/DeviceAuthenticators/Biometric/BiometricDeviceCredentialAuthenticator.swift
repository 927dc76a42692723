import AuthenticatorCore

/// Biometrics or the device's own passcode: the policy `BIOMETRIC_ALLOW_FALLBACK`.
///
/// How a key opens is chosen when it is made, by what is enrolled then: any biometric or the passcode; the passcode
/// alone when no biometrics are enrolled. The enrolled set is stored with the key and compared at every use: when it
/// changed, or no biometrics are left, that key is deleted and `deviceNotRegistered` is thrown, so that the device is
/// bound again. A key without a stored set (made without biometrics, or by a version that stored none) skips the
/// comparison. With a locked sensor the passcode alone suffices and unlocks it.
open class BiometricDeviceCredentialAuthenticator: BiometricAuthenticator {
  open override func type() -> AuthenticatorType { .biometricAllowFallback }

  /// Any biometric or the passcode; the passcode alone when no biometrics are enrolled.
  /// - Throws: `passcodeNotSet` when there is neither; `verifierUnavailable` when the sensor cannot be asked.
  open override func keyAccess(for request: KeyRequest) async throws -> KeyAccess {
    let states = await context.verifier.methods()
    var methods: Set<VerificationMethod> = [.passcode]
    if states.hasEnrolledBiometrics {
      methods.formUnion(VerificationMethod.biometrics)
    } else if states.biometric.contains(.unavailable) {
      throw AuthenticatorError(.verifierUnavailable, stage: "register", reason: "what is enrolled cannot be told")
    } else if ![.ready, .lockedOut].contains(states[.passcode]) {
      throw AuthenticatorError(.passcodeNotSet, stage: "register")
    }
    return KeyAccess(
      gate: .verified(methods), enrollment: config.enrollment ?? .compared,
      requiresHardware: !config.allowsSoftwareKeys)
  }

  /// Deletes the keys of both biometric types, of this instance and in this store only.
  open override func deleteKeys() async throws {
    try await deleteKeys(ofTypes: [.biometricOnly, .biometricAllowFallback])
  }

  /// Deletes the keys of both biometric types of one owner.
  open override func deleteKeys(of owner: KeyOwner) async throws {
    try await deleteKeys(ofTypes: [.biometricOnly, .biometricAllowFallback], owner: owner)
  }
}

/// The authenticator by the name of its policy.
public typealias BiometricAllowFallbackAuthenticator = BiometricDeviceCredentialAuthenticator
