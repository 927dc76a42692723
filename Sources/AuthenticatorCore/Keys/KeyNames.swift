/// Our local name of a key; unique in its store, never sent to a server by the core.
public struct KeyTag: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }
}

/// What kind of authenticator made a key. Open: an app adds its own; at use, it chooses the authenticator.
public struct AuthenticatorType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  /// Biometrics, and nothing instead of them.
  public static let biometricOnly = AuthenticatorType(rawValue: "biometricOnly")
  /// Biometrics, or the device passcode.
  public static let biometricAllowFallback = AuthenticatorType(rawValue: "biometricAllowFallback")
  /// The device passcode.
  public static let devicePasscode = AuthenticatorType(rawValue: "devicePasscode")
  /// A PIN that belongs to the app.
  public static let applicationPIN = AuthenticatorType(rawValue: "applicationPIN")
  /// Nothing is asked: possession of the device is all that is proved.
  public static let none = AuthenticatorType(rawValue: "none")
}

/// The protocol a key signs for. Open.
public struct ProtocolFamily: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  /// PingAM device binding and signing.
  public static let deviceBinding = ProtocolFamily(rawValue: "device-binding")
  /// WebAuthn.
  public static let webAuthn = ProtocolFamily(rawValue: "webauthn")
  /// FIDO UAF.
  public static let uaf = ProtocolFamily(rawValue: "uaf")
  /// Trusted devices.
  public static let trustedDevice = ProtocolFamily(rawValue: "trusted-device")
}

/// A PIN's realm of validity: one PIN opens one domain, keys name the domain.
public struct SecretDomain: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }
}

/// The name of an extra secret that lives and dies with a key.
public struct SecretName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }
}
