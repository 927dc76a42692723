import AuthenticatorCore

/// How the application-PIN authenticator behaves.
public struct ApplicationPINConfig: Sendable {
  /// Where PINs are entered.
  public var pinCollector: any PINCollector
  /// The limits of a new PIN; to be shown, and checked by the collector as the person types (`PINPolicy.admits(_:)`).
  public var policy: PINPolicy
  /// How many wrong PINs end one operation; at least 1. The store's own limit holds across operations.
  public var triesPerPrompt: Int
  /// What holds unless another number is given.
  public static let standardTriesPerPrompt = 3
  /// Whether keys need hardware protection beside the PIN.
  public var requiresHardware: Bool
  /// The cancel button, for prompts that do not bring one.
  public var cancelTitle: String?

  /// Asks this collector, with the usual limits unless others are given.
  public init(
    pinCollector: any PINCollector, policy: PINPolicy = PINPolicy(), triesPerPrompt: Int = standardTriesPerPrompt,
    requiresHardware: Bool = false, cancelTitle: String? = nil
  ) {
    self.pinCollector = pinCollector
    self.policy = policy
    self.triesPerPrompt = triesPerPrompt
    self.requiresHardware = requiresHardware
    self.cancelTitle = cancelTitle
  }
}
