/// The flag byte of authenticator data (WebAuthn Level 3 section 6.1).
public struct AuthenticatorDataFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// UP: somebody was there.
  public static let userPresent = AuthenticatorDataFlags(rawValue: 0x01)
  /// UV: the person was verified.
  public static let userVerified = AuthenticatorDataFlags(rawValue: 0x04)
  /// BE: the credential may be backed up; fixed when it is created.
  public static let backupEligible = AuthenticatorDataFlags(rawValue: 0x08)
  /// BS: the credential is backed up.
  public static let backedUp = AuthenticatorDataFlags(rawValue: 0x10)
  /// AT: attested credential data follows.
  public static let attestedCredentialData = AuthenticatorDataFlags(rawValue: 0x40)
  /// ED: extension outputs follow.
  public static let extensionData = AuthenticatorDataFlags(rawValue: 0x80)
}
