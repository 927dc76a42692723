/// A word of WebAuthn's options and results. Open: a word this package does not know is kept, and means the same as an
/// absent one (WebAuthn Level 3 section 2.1.1).
public protocol WebAuthnWord: RawRepresentable, Hashable, Sendable where RawValue == String {
  /// The words this package knows.
  static var known: Set<Self> { get }

  /// Takes a word as received.
  init(rawValue: String)
}

extension WebAuthnWord {
  /// The word itself when it is known, nil otherwise.
  public var ifKnown: Self? { Self.known.contains(self) ? self : nil }
}

/// The kind of a credential (WebAuthn Level 3 section 5.8.2).
public struct PublicKeyCredentialType: WebAuthnWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A key pair; the only kind.
  public static let publicKey = PublicKeyCredentialType(rawValue: "public-key")
  public static let known: Set<PublicKeyCredentialType> = [.publicKey]
}

/// How a client talks to an authenticator (WebAuthn Level 3 section 5.8.4).
public struct AuthenticatorTransport: WebAuthnWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Over USB.
  public static let usb = AuthenticatorTransport(rawValue: "usb")
  /// Over NFC.
  public static let nfc = AuthenticatorTransport(rawValue: "nfc")
  /// Over Bluetooth Low Energy.
  public static let ble = AuthenticatorTransport(rawValue: "ble")
  /// Over ISO 7816 contacts.
  public static let smartCard = AuthenticatorTransport(rawValue: "smart-card")
  /// Over a combination, usually another device nearby.
  public static let hybrid = AuthenticatorTransport(rawValue: "hybrid")
  /// Within the device.
  public static let `internal` = AuthenticatorTransport(rawValue: "internal")
  public static let known: Set<AuthenticatorTransport> = [.usb, .nfc, .ble, .smartCard, .hybrid, .internal]
}

/// Part of the device, or apart from it (WebAuthn Level 3 section 5.4.5).
public struct AuthenticatorAttachment: WebAuthnWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Part of the device.
  public static let platform = AuthenticatorAttachment(rawValue: "platform")
  /// Can be moved between devices.
  public static let crossPlatform = AuthenticatorAttachment(rawValue: "cross-platform")
  public static let known: Set<AuthenticatorAttachment> = [.platform, .crossPlatform]
}

/// Whether the person must be verified (WebAuthn Level 3 section 5.8.6).
public struct UserVerificationRequirement: WebAuthnWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Must be.
  public static let required = UserVerificationRequirement(rawValue: "required")
  /// Should be, where possible.
  public static let preferred = UserVerificationRequirement(rawValue: "preferred")
  /// Should not be.
  public static let discouraged = UserVerificationRequirement(rawValue: "discouraged")
  public static let known: Set<UserVerificationRequirement> = [.required, .preferred, .discouraged]
}

/// Whether the credential must be discoverable (WebAuthn Level 3 section 5.4.6).
public struct ResidentKeyRequirement: WebAuthnWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Must be.
  public static let required = ResidentKeyRequirement(rawValue: "required")
  /// Should be, where possible.
  public static let preferred = ResidentKeyRequirement(rawValue: "preferred")
  /// Should not be.
  public static let discouraged = ResidentKeyRequirement(rawValue: "discouraged")
  public static let known: Set<ResidentKeyRequirement> = [.required, .preferred, .discouraged]
}

/// What the relying party wants to learn about the authenticator (WebAuthn Level 3 section 5.4.7).
public struct AttestationConveyancePreference: WebAuthnWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Nothing.
  public static let none = AttestationConveyancePreference(rawValue: "none")
  /// A statement that the client may make anonymous.
  public static let indirect = AttestationConveyancePreference(rawValue: "indirect")
  /// The authenticator's own statement.
  public static let direct = AttestationConveyancePreference(rawValue: "direct")
  /// A statement that may identify the single device.
  public static let enterprise = AttestationConveyancePreference(rawValue: "enterprise")
  public static let known: Set<AttestationConveyancePreference> = [.none, .indirect, .direct, .enterprise]
}

/// Where the relying party thinks the credential is (WebAuthn Level 3 section 5.8.7).
public struct PublicKeyCredentialHint: WebAuthnWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  /// On a security key.
  public static let securityKey = PublicKeyCredentialHint(rawValue: "security-key")
  /// On this device.
  public static let clientDevice = PublicKeyCredentialHint(rawValue: "client-device")
  /// On another device, such as a phone.
  public static let hybrid = PublicKeyCredentialHint(rawValue: "hybrid")
  public static let known: Set<PublicKeyCredentialHint> = [.securityKey, .clientDevice, .hybrid]
}
