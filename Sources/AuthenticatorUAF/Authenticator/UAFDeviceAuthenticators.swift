import AuthenticatorCore
import DeviceAuthenticators

/// What makes and opens the keys of the built-in authenticators.
public struct UAFDeviceAuthenticators: Sendable {
  /// For the biometric behaviors; what happens on a changed set is the behavior's and not looked at here.
  public var biometric: BiometricAuthenticatorConfig
  /// For the passcode.
  public var devicePasscode: DevicePasscodeConfig
  /// For the PIN of the app; nil: there is no such authenticator.
  public var applicationPIN: ApplicationPINConfig?
  /// For behaviors of your own, and in place of the package's classes.
  public var custom: AuthenticatorFactories

  /// The package's authenticators, demanding hardware keys unless their configurations say otherwise.
  public init(
    biometric: BiometricAuthenticatorConfig = BiometricAuthenticatorConfig(),
    devicePasscode: DevicePasscodeConfig = DevicePasscodeConfig(), applicationPIN: ApplicationPINConfig? = nil,
    custom: AuthenticatorFactories = AuthenticatorFactories()
  ) {
    self.biometric = biometric
    self.devicePasscode = devicePasscode
    self.applicationPIN = applicationPIN
    self.custom = custom
  }

  func make(_ behavior: UAFBehavior, _ context: AuthenticatorContext) async throws -> any DeviceAuthenticator {
    let type = behavior.authenticator
    if custom.hasFactory(for: type) { return try await custom.make(type, context) }
    switch type {
    case .biometricOnly: return BiometricOnlyAuthenticator(config: biometric(for: behavior), context: context)
    case .biometricAllowFallback:
      return BiometricDeviceCredentialAuthenticator(config: biometric(for: behavior), context: context)
    case .devicePasscode: return DevicePasscodeAuthenticator(config: devicePasscode, context: context)
    case .none: return NoneAuthenticator(context: context)
    default:
      if type == .applicationPIN, let applicationPIN {
        return ApplicationPINAuthenticator(config: applicationPIN, context: context)
      }
      throw AuthenticatorError(
        .unsupported, stage: "factory", reason: "no factory for authenticator type \(type)")
    }
  }

  private func biometric(for behavior: UAFBehavior) -> BiometricAuthenticatorConfig {
    var biometric = biometric
    biometric.enrollment = behavior.enrollment
    // The button comes with an operation's extras alone.
    biometric.fallbackTitle = nil
    return biometric
  }

  /// Whether keys of a behavior must be in hardware by what is configured here.
  func needHardware(for behavior: UAFBehavior) -> Bool {
    switch behavior.authenticator {
    case .biometricOnly, .biometricAllowFallback: !biometric.allowsSoftwareKeys
    case .devicePasscode: !devicePasscode.allowsSoftwareKeys
    case .applicationPIN: applicationPIN?.requiresHardware ?? false
    default: false
    }
  }
}
