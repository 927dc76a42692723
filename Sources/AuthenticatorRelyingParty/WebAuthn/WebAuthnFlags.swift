import AuthenticatorCoding

/// The flags an authenticator signed (WebAuthn Level 3 section 6.1).
public struct WebAuthnFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// UP: somebody was there.
  public static let userPresent = WebAuthnFlags(rawValue: 1 << 0)
  /// UV: the person was verified.
  public static let userVerified = WebAuthnFlags(rawValue: 1 << 2)
  /// BE: the credential may be backed up.
  public static let backupEligible = WebAuthnFlags(rawValue: 1 << 3)
  /// BS: the credential is backed up.
  public static let backedUp = WebAuthnFlags(rawValue: 1 << 4)
  /// AT: attested credential data follows.
  public static let attestedCredentialData = WebAuthnFlags(rawValue: 1 << 6)
  /// ED: extension outputs follow.
  public static let extensionData = WebAuthnFlags(rawValue: 1 << 7)

  /// The flags by their short names, as truth values.
  public var json: JSONObject {
    [
      "UP": .bool(contains(.userPresent)), "UV": .bool(contains(.userVerified)),
      "BE": .bool(contains(.backupEligible)), "BS": .bool(contains(.backedUp)),
      "AT": .bool(contains(.attestedCredentialData)), "ED": .bool(contains(.extensionData)),
    ]
  }
}
