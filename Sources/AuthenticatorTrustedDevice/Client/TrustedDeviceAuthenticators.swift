import AuthenticatorCore
import DeviceAuthenticators

/// Which authenticator enrolls under which policy, and which uses the key afterwards.
public struct TrustedDeviceAuthenticators: Sendable {
  /// Makes the authenticator that makes a key under a policy.
  public typealias Enrolling =
    @Sendable (TrustedDevicePolicy, AuthenticatorContext) async throws -> any DeviceAuthenticator

  /// Makes the authenticator of an enrollment. An app's own subclass may take the place of the shipped ones; its keys
  /// must open by biometrics, or by biometrics and the device passcode, as the policy says, or enrolling is refused.
  public var enrolling: Enrolling
  /// Makes the authenticator of a key, by the type in its record.
  public var signing: AuthenticatorFactories

  /// The shipped authenticators: biometric only for the two biometric policies, biometric or device credential for the
  /// third. A changed set of enrolled biometrics voids the keys of the first policy and none of the others'.
  /// - Parameters:
  ///   - config: button titles, the delegate that hands verifications over, and whether software keys will do. Its
  ///     `enrollment` is not looked at: the policy decides that.
  ///   - signing: further factories, for keys of the app's own types.
  public init(
    _ config: BiometricAuthenticatorConfig = BiometricAuthenticatorConfig(),
    signing: AuthenticatorFactories? = nil
  ) {
    enrolling = { policy, context in
      var config = config
      config.enrollment = policy == .biometryCurrentSet ? .currentSet : .ignored
      switch policy {
      case .biometryCurrentSet, .biometryAny: return BiometricOnlyAuthenticator(config: config, context: context)
      case .biometryOrDevicePasscode:
        return BiometricDeviceCredentialAuthenticator(config: config, context: context)
      default:
        throw AuthenticatorError(.unsupported, stage: "enroll", reason: "the policy is not known")
      }
    }
    self.signing = signing ?? .defaults(biometricOnly: config, biometricAllowFallback: config)
  }
}
