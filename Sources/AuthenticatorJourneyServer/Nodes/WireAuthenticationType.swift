/// How the device must verify its user before it signs, in PingAM's words.
public enum WireAuthenticationType: String, Hashable, Sendable, CaseIterable {
  /// Biometrics, and nothing instead of them.
  case biometricOnly = "BIOMETRIC_ONLY"
  /// Biometrics, or the device passcode.
  case biometricAllowFallback = "BIOMETRIC_ALLOW_FALLBACK"
  /// A PIN that belongs to the app.
  case applicationPIN = "APPLICATION_PIN"
  /// Possession of the device.
  case none = "NONE"
}

/// The texts of a device's prompt.
public struct DevicePrompt: Hashable, Sendable {
  /// The heading.
  public var title: String
  /// The line under it.
  public var subtitle: String
  /// The reason.
  public var description: String

  /// Makes the texts.
  public init(
    title: String = "Authentication required", subtitle: String = "Cryptography device binding",
    description: String = "Please complete with biometric to proceed"
  ) {
    self.title = title
    self.subtitle = subtitle
    self.description = description
  }
}
