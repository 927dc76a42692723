/// How the key of a trusted device opens, chosen at enrollment and kept for the key's life. Open.
public struct TrustedDevicePolicy: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The stored and printed form.
  public let rawValue: String
  /// Takes a word; an unknown one is kept, and refused when a key is to be made under it.
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  /// Biometrics, and only the set enrolled now: the key is void as soon as a finger or face is added or removed.
  /// Recommended for high value, since nobody who learns the passcode can add a finger and sign in.
  public static let biometryCurrentSet = TrustedDevicePolicy(rawValue: "biometry_current_set")
  /// Biometrics, whatever is enrolled at use.
  public static let biometryAny = TrustedDevicePolicy(rawValue: "biometry_any")
  /// Biometrics, or the device passcode instead; the default.
  public static let biometryOrDevicePasscode = TrustedDevicePolicy(rawValue: "biometry_or_device_passcode")

  /// The three policies keys can be made under.
  public static let known: [TrustedDevicePolicy] = [.biometryCurrentSet, .biometryAny, .biometryOrDevicePasscode]
}
