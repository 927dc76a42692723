import AuthenticatorCore

/// Whether a policy can be met here, and by which authenticators. Whatever the policy, biometrics must be usable while
/// a device is enrolled: a passcode alone would be all that ever guarded the account.
package struct PolicySupport {
  private let context: AuthenticatorContext
  private let authenticators: TrustedDeviceAuthenticators
  package let policy: TrustedDevicePolicy

  package init(
    context: AuthenticatorContext, authenticators: TrustedDeviceAuthenticators, policy: TrustedDevicePolicy
  ) {
    self.context = context
    self.authenticators = authenticators
    self.policy = policy
  }

  /// The stricter of two policies: the device may go beyond what is asked of it, never below.
  /// - Throws: `policyUnsupported` for one that is not known.
  package static func stricter(
    of first: TrustedDevicePolicy, _ second: TrustedDevicePolicy
  ) throws -> TrustedDevicePolicy {
    let ascending: [TrustedDevicePolicy] = [.biometryOrDevicePasscode, .biometryAny, .biometryCurrentSet]
    guard let left = ascending.firstIndex(of: first), let right = ascending.firstIndex(of: second) else {
      throw AuthenticatorError(.policyUnsupported, stage: "enroll", reason: "the policy is not known")
    }
    return ascending[max(left, right)]
  }

  /// An authenticator that can make a key under the policy now.
  /// - Throws: the obstacle: `unsupported`, `verifierUnavailable`, `biometryNotEnrolled`, `lockedOut`,
  ///   `passcodeNotSet`, `hardwareRequired`.
  package func authenticator() async throws -> any DeviceAuthenticator {
    guard TrustedDevicePolicy.known.contains(policy) else {
      throw AuthenticatorError(.policyUnsupported, stage: "enroll", reason: "the policy is not known")
    }
    let authenticator: any DeviceAuthenticator
    do {
      authenticator = try await authenticators.enrolling(policy, context)
    } catch {
      throw AuthenticatorError.wrapping(error, as: .unsupported, stage: "enroll")
    }
    try Self.check(authenticator.type())
    try await checkBiometrics()
    switch await authenticator.availability() {
    case .available: break
    case .unavailable(let code), .unknown(let code): throw AuthenticatorError(code, stage: "enroll")
    }
    guard await authenticator.isSupported(attestation: .none) else {
      throw AuthenticatorError(
        .hardwareRequired, stage: "enroll", reason: "no hardware keeps keys here, and software keys are not allowed")
    }
    return authenticator
  }

  /// The shipped types that can never do, by name; others are judged by the key they make.
  private static func check(_ type: AuthenticatorType) throws {
    switch type {
    case .devicePasscode: throw unsupported("a passcode alone cannot guard a trusted device")
    case .applicationPIN: throw unsupported("a PIN cannot guard a trusted device")
    case .none: throw unsupported("a trusted device's key must be guarded")
    default: break
    }
  }

  /// - Throws: `unsupported` for a key that opens otherwise than the policy says.
  package func check(_ access: KeyAccess) throws {
    guard case .verified(let methods) = access.gate else { throw Self.unsupported("the key is not guarded as asked") }
    let biometrics = methods.filter(\.isBiometric)
    let others = methods.subtracting(biometrics)
    let isRight =
      !biometrics.isEmpty && others.isSubset(of: policy == .biometryOrDevicePasscode ? [.passcode] : [])
      && (policy != .biometryCurrentSet || access.enrollment == .currentSet)
    guard isRight else { throw Self.unsupported("the key is not guarded as asked") }
  }

  private static func unsupported(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.unsupported, stage: "enroll", reason: reason)
  }

  private func checkBiometrics() async throws {
    let states = await context.verifier.methods()
    let biometric = states.filter { $0.key.isBiometric }.values
    if biometric.contains(.ready) { return }
    if biometric.contains(.lockedOut) { throw AuthenticatorError(.lockedOut, stage: "enroll") }
    if biometric.contains(.notEnrolled) { throw AuthenticatorError(.biometryNotEnrolled, stage: "enroll") }
    throw AuthenticatorError(.verifierUnavailable, stage: "enroll", reason: "there is no usable biometric sensor")
  }

  /// The reason behind an obstacle.
  func reason(for error: AuthenticatorError) async -> TrustedDeviceAvailability.UnavailableReason {
    switch error.code {
    case .lockedOut: return .biometricAuthenticationLockedOut
    case .biometryNotEnrolled: return .biometricsNotEnrolled
    case .passcodeNotSet: return .devicePasscodeNotSet
    case .hardwareRequired: return .secureKeyStorageUnavailable
    case .unsupported, .policyUnsupported: return .unsupportedPlatform
    default:
      // Without anything that could ever verify somebody, nothing that the person does will help.
      let states = await context.verifier.methods().values
      return states.allSatisfy { $0 == .noSensor || $0 == .notSet }
        ? .unsupportedPlatform : .biometricAuthenticationUnavailable
    }
  }
}

extension TrustedDeviceClient {
  func support(_ policy: TrustedDevicePolicy) -> PolicySupport {
    PolicySupport(context: context, authenticators: configuration.authenticators, policy: policy)
  }

  func enrollmentAvailability(policy: TrustedDevicePolicy) async -> TrustedDeviceAvailability {
    guard !scope.party.isEmpty else { return .unavailable(.unsupportedPlatform) }
    let support = support(policy)
    do {
      _ = try await support.authenticator()
      return .available
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .unsupported, stage: "enroll")
      return .unavailable(await support.reason(for: error))
    }
  }
}
