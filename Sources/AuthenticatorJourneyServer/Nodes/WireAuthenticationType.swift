/// How the device must verify its user before it signs, in PingAM's words.
public enum WireAuthenticationType: String, Hashable, Sendable, CaseIterable {
  case biometricOnly = "BIOMETRIC_ONLY"
  case biometricAllowFallback = "BIOMETRIC_ALLOW_FALLBACK"
  case applicationPIN = "APPLICATION_PIN"
  case none = "NONE"
}

/// The texts of a device's prompt.
public struct DevicePrompt: Hashable, Sendable {
  public var title: String
  public var subtitle: String
  public var description: String

  public init(
    title: String = "Authentication required", subtitle: String = "Cryptography device binding",
    description: String = "Please complete with biometric to proceed"
  ) {
    self.title = title
    self.subtitle = subtitle
    self.description = description
  }
}
