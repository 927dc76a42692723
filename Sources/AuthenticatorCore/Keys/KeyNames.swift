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

  public static let biometricOnly = AuthenticatorType(rawValue: "biometricOnly")
  public static let biometricAllowFallback = AuthenticatorType(rawValue: "biometricAllowFallback")
  public static let devicePasscode = AuthenticatorType(rawValue: "devicePasscode")
  public static let applicationPIN = AuthenticatorType(rawValue: "applicationPIN")
  public static let none = AuthenticatorType(rawValue: "none")
}

/// The protocol a key signs for. Open.
public struct ProtocolFamily: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  public static let deviceBinding = ProtocolFamily(rawValue: "device-binding")
  public static let webAuthn = ProtocolFamily(rawValue: "webauthn")
  public static let uaf = ProtocolFamily(rawValue: "uaf")
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
