/// Whether this installation could sign in with a trusted device now.
public enum TrustedDeviceAvailability: Hashable, Sendable {
  /// It could.
  case available
  /// It could not, and why.
  case unavailable(UnavailableReason)

  /// Why not. Open: an unknown word is kept.
  public struct UnavailableReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stable word.
    public let rawValue: String
    /// Takes a word.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The server's settings were never loaded.
    public static let environmentUnavailable = Self(rawValue: "environmentUnavailable")
    /// The server has its interface for native apps switched off.
    public static let nativeAPIDisabled = Self(rawValue: "nativeAPIDisabled")
    /// The server has trusted devices switched off.
    public static let featureDisabled = Self(rawValue: "featureDisabled")
    /// This device has no way of verifying the person at all.
    public static let unsupportedPlatform = Self(rawValue: "unsupportedPlatform")
    /// A credential is here, and what would open its key is not: no sensor, nothing enrolled, no daemon.
    public static let biometricAuthenticationUnavailable = Self(rawValue: "biometricAuthenticationUnavailable")
    /// No credential of this app, identifier and hint is here.
    public static let noLocalCredential = Self(rawValue: "noLocalCredential")
    /// A credential is here, and its key is gone or void.
    public static let localKeyMissing = Self(rawValue: "localKeyMissing")
    /// The server does not know the credential.
    public static let serverCredentialMissing = Self(rawValue: "serverCredentialMissing")
    /// The server has revoked the credential.
    public static let serverCredentialRevoked = Self(rawValue: "serverCredentialRevoked")

    // MARK: Beyond the vendor's nine
    /// The sensor is locked and no passcode is there to unlock it.
    public static let biometricAuthenticationLockedOut = Self(rawValue: "biometricAuthenticationLockedOut")
    /// There is a sensor, and nothing is enrolled. Only of enrolling.
    public static let biometricsNotEnrolled = Self(rawValue: "biometricsNotEnrolled")
    /// No passcode is set, or nothing can check one. Only of enrolling.
    public static let devicePasscodeNotSet = Self(rawValue: "devicePasscodeNotSet")
    /// No hardware keeps keys here, and software keys were not allowed. Only of enrolling.
    public static let secureKeyStorageUnavailable = Self(rawValue: "secureKeyStorageUnavailable")

    /// Every reason declared here.
    public static let known: [Self] = [
      .environmentUnavailable, .nativeAPIDisabled, .featureDisabled, .unsupportedPlatform,
      .biometricAuthenticationUnavailable, .noLocalCredential, .localKeyMissing, .serverCredentialMissing,
      .serverCredentialRevoked, .biometricAuthenticationLockedOut, .biometricsNotEnrolled, .devicePasscodeNotSet,
      .secureKeyStorageUnavailable,
    ]
  }

  /// Whether it could.
  public var isAvailable: Bool { self == .available }

  /// Why not; nil when it could.
  public var unavailableReason: UnavailableReason? {
    guard case .unavailable(let reason) = self else { return nil }
    return reason
  }
}
