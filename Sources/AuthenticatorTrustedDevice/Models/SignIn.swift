import AuthenticatorCoding
import AuthenticatorCore

/// A sign-in as the server describes it. Only a `complete` one has made a session; every other status tells what the
/// server still wants.
public struct SignIn: Hashable, Sendable, Identifiable {
  /// The server's name of the sign-in.
  public let id: String
  /// Where it stands.
  public let status: Status
  /// The session it made; nil unless complete.
  public let createdSessionID: String?
  /// What a first factor may be, as far as the server says.
  public let supportedFirstFactors: [Factor]
  /// What became of the first factor; nil before there was one.
  public let firstFactorVerification: Verification?

  /// Where a sign-in stands. Open: an unknown word is kept.
  public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word on the wire.
    public let rawValue: String
    /// Takes a word as received.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// Given up.
    public static let abandoned = Self(rawValue: "abandoned")
    /// It is not known yet who signs in.
    public static let needsIdentifier = Self(rawValue: "needs_identifier")
    /// A first factor is wanted.
    public static let needsFirstFactor = Self(rawValue: "needs_first_factor")
    /// A second factor is wanted.
    public static let needsSecondFactor = Self(rawValue: "needs_second_factor")
    /// The client itself has to be trusted first.
    public static let needsClientTrust = Self(rawValue: "needs_client_trust")
    /// A new password has to be set.
    public static let needsNewPassword = Self(rawValue: "needs_new_password")
    /// A check against robots is wanted.
    public static let needsProtectCheck = Self(rawValue: "needs_protect_check")
    /// There is a session.
    public static let complete = Self(rawValue: "complete")
  }

  /// A way to prove who one is.
  public struct Factor: Hashable, Sendable {
    /// Which way.
    public let strategy: Strategy
    /// The credential of a trusted-device factor.
    public let trustedDeviceID: String?
  }

  /// The name of a way to prove who one is. Open: an unknown word is kept.
  public struct Strategy: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word on the wire.
    public let rawValue: String
    /// Takes a word as received.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// A password.
    public static let password = Self(rawValue: "password")
    /// A trusted device.
    public static let trustedDevice = Self(rawValue: "trusted_device")
    /// A trusted device, in the words of later servers.
    public static let biometricCredential = Self(rawValue: "biometric_credential")

    /// Whether it is a trusted device by either of its words.
    public var isTrustedDevice: Bool { self == .trustedDevice || self == .biometricCredential }
  }

  /// What became of a factor.
  public struct Verification: Hashable, Sendable {
    /// `unverified`, `verified`, `failed`, `expired` and what later servers say.
    public let status: String
    /// Which way was tried.
    public let strategy: Strategy?
    /// The challenge of a trusted-device sign-in.
    public let trustedDeviceChallenge: TrustedDeviceChallenge?
  }
}

extension SignIn {
  /// Reads the server's object; unknown members are ignored.
  /// - Throws: `invalidMessage`, naming the member.
  public init(_ json: JSONObject) throws {
    let reader = MemberReader(json, of: "sign-in")
    id = try reader.identifier("id")
    status = Status(rawValue: try reader.text("status"))
    createdSessionID = try reader.optionalIdentifier("created_session_id")
    supportedFirstFactors = try reader.elements("supported_first_factors").map { try Factor($0) }
    firstFactorVerification = try reader.optionalReader("first_factor_verification", of: "verification")
      .map { try Verification($0, json["first_factor_verification"]?["trusted_device_challenge"]) }
  }

  init(id: String, status: Status, createdSessionID: String?) {
    self.id = id
    self.status = status
    self.createdSessionID = createdSessionID
    supportedFirstFactors = []
    firstFactorVerification = nil
  }
}

extension SignIn.Factor {
  init(_ value: JSONValue) throws {
    let reader = try MemberReader(value, of: "factor")
    strategy = SignIn.Strategy(rawValue: try reader.text("strategy"))
    trustedDeviceID = try reader.optionalText("trusted_device_id")
  }
}

extension SignIn.Verification {
  init(_ reader: MemberReader, _ challenge: JSONValue?) throws {
    status = try reader.optionalText("status") ?? "unverified"
    strategy = try reader.optionalText("strategy").map(SignIn.Strategy.init)
    trustedDeviceChallenge = try challenge?.objectValue.map { try TrustedDeviceChallenge($0) }
  }
}
