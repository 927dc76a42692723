import AuthenticatorCore

/// How the device-passcode authenticator behaves.
public struct DevicePasscodeConfig: Sendable {
  /// Whether keys may be made without hardware protection.
  public var allowsSoftwareKeys: Bool
  /// The cancel button, for prompts that do not bring one.
  public var cancelTitle: String?

  /// Demands hardware keys, unless said otherwise.
  public init(allowsSoftwareKeys: Bool = false, cancelTitle: String? = nil) {
    self.allowsSoftwareKeys = allowsSoftwareKeys
    self.cancelTitle = cancelTitle
  }
}

/// The device's own passcode, whatever is enrolled. Biometric changes mean nothing to its keys.
open class DevicePasscodeAuthenticator: DefaultDeviceAuthenticator {
  /// May change between operations; what concerns a key is fixed when it is made.
  public var config: DevicePasscodeConfig

  /// An authenticator for one ceremony, or for as long as the app keeps it.
  public init(config: DevicePasscodeConfig = DevicePasscodeConfig(), context: AuthenticatorContext) {
    self.config = config
    super.init(context: context)
  }

  open override func type() -> AuthenticatorType { .devicePasscode }

  /// The passcode.
  /// - Throws: `passcodeNotSet` when there is none, or nothing that could check it.
  open override func keyAccess(for request: KeyRequest) async throws -> KeyAccess {
    switch await context.verifier.methods()[.passcode] {
    case .ready, .lockedOut:
      return KeyAccess(gate: .verified([.passcode]), requiresHardware: !config.allowsSoftwareKeys)
    case .unavailable: throw AuthenticatorError(.verifierUnavailable, stage: "register")
    case .notSet, .notEnrolled, .noSensor, nil: throw AuthenticatorError(.passcodeNotSet, stage: "register")
    }
  }

  open override func verify(
    _ request: VerificationRequest, by access: KeyAccess
  ) async throws -> VerificationTicket {
    var request = request
    request.prompt.cancelTitle = request.prompt.cancelTitle ?? config.cancelTitle
    return try await super.verify(request, by: access)
  }
}
