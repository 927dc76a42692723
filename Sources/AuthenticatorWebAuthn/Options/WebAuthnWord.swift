/// A word of WebAuthn's options and results. Open: a word this package does not know is kept, and means the same as an
/// absent one (WebAuthn Level 3 section 2.1.1).
public protocol WebAuthnWord: RawRepresentable, Hashable, Sendable where RawValue == String {
  /// The words this package knows.
  static var known: Set<Self> { get }

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
  public static let publicKey = PublicKeyCredentialType(rawValue: "public-key")
  public static let known: Set<PublicKeyCredentialType> = [.publicKey]
}

/// How a client talks to an authenticator (WebAuthn Level 3 section 5.8.4).
public struct AuthenticatorTransport: WebAuthnWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let usb = AuthenticatorTransport(rawValue: "usb")
  public static let nfc = AuthenticatorTransport(rawValue: "nfc")
  public static let ble = AuthenticatorTransport(rawValue: "ble")
  public static let smartCard = AuthenticatorTransport(rawValue: "smart-card")
  public static let hybrid = AuthenticatorTransport(rawValue: "hybrid")
  public static let `internal` = AuthenticatorTransport(rawValue: "internal")
  public static let known: Set<AuthenticatorTransport> = [.usb, .nfc, .ble, .smartCard, .hybrid, .internal]
}

/// Part of the device, or apart from it (WebAuthn Level 3 section 5.4.5).
public struct AuthenticatorAttachment: WebAuthnWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let platform = AuthenticatorAttachment(rawValue: "platform")
  public static let crossPlatform = AuthenticatorAttachment(rawValue: "cross-platform")
  public static let known: Set<AuthenticatorAttachment> = [.platform, .crossPlatform]
}

/// Whether the person must be verified (WebAuthn Level 3 section 5.8.6).
public struct UserVerificationRequirement: WebAuthnWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let required = UserVerificationRequirement(rawValue: "required")
  public static let preferred = UserVerificationRequirement(rawValue: "preferred")
  public static let discouraged = UserVerificationRequirement(rawValue: "discouraged")
  public static let known: Set<UserVerificationRequirement> = [.required, .preferred, .discouraged]
}

/// Whether the credential must be discoverable (WebAuthn Level 3 section 5.4.6).
public struct ResidentKeyRequirement: WebAuthnWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let required = ResidentKeyRequirement(rawValue: "required")
  public static let preferred = ResidentKeyRequirement(rawValue: "preferred")
  public static let discouraged = ResidentKeyRequirement(rawValue: "discouraged")
  public static let known: Set<ResidentKeyRequirement> = [.required, .preferred, .discouraged]
}

/// What the relying party wants to learn about the authenticator (WebAuthn Level 3 section 5.4.7).
public struct AttestationConveyancePreference: WebAuthnWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let none = AttestationConveyancePreference(rawValue: "none")
  public static let indirect = AttestationConveyancePreference(rawValue: "indirect")
  public static let direct = AttestationConveyancePreference(rawValue: "direct")
  public static let enterprise = AttestationConveyancePreference(rawValue: "enterprise")
  public static let known: Set<AttestationConveyancePreference> = [.none, .indirect, .direct, .enterprise]
}

/// Where the relying party thinks the credential is (WebAuthn Level 3 section 5.8.7).
public struct PublicKeyCredentialHint: WebAuthnWord {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let securityKey = PublicKeyCredentialHint(rawValue: "security-key")
  public static let clientDevice = PublicKeyCredentialHint(rawValue: "client-device")
  public static let hybrid = PublicKeyCredentialHint(rawValue: "hybrid")
  public static let known: Set<PublicKeyCredentialHint> = [.securityKey, .clientDevice, .hybrid]
}
