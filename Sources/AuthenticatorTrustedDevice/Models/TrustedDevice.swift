import AuthenticatorCoding
import AuthenticatorCore

/// A trusted device as the server describes it.
public struct TrustedDevice: Hashable, Sendable, Identifiable {
  /// The server's name of the credential; opaque.
  public var id: String
  /// The kind of object: `trusted_device`.
  public var object: String
  /// The platform it was enrolled from.
  public var platform: Platform
  /// The app it was enrolled by.
  public var appIdentifier: String
  /// The name it was given, for display; nil when it has none.
  public var name: String?
  /// What its key signs with.
  public var algorithm: Algorithm
  /// Whether the server accepts it.
  public var status: Status
  /// When it was enrolled, on the server's clock.
  public var createdAt: UnixTime
  /// When it last changed, on the server's clock.
  public var updatedAt: UnixTime
  /// When it last signed in; nil: not yet.
  public var lastUsedAt: UnixTime?
  /// When it was revoked; nil: it was not.
  public var revokedAt: UnixTime?
  /// The SHA-256 thumbprint of its public key (RFC 7638), base64url without padding; nil: the server does not say. The
  /// embedded server does, the vendor's do not. It proves whose key a credential is of.
  public var publicKeyThumbprint: String?

  /// Where a device was enrolled. Open: an unknown word is kept.
  public struct Platform: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word on the wire.
    public let rawValue: String
    /// Takes a word as received.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// `ios`
    public static let ios = Platform(rawValue: "ios")
    /// `android`
    public static let android = Platform(rawValue: "android")
    /// `linux`; the vendor's own servers do not know it.
    public static let linux = Platform(rawValue: "linux")
  }

  /// A signature algorithm. Open: an unknown word is kept.
  public struct Algorithm: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word on the wire.
    public let rawValue: String
    /// Takes a word as received.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// ECDSA on P-256 with SHA-256, the only one in use.
    public static let es256 = Algorithm(rawValue: "ES256")
  }

  /// What a credential is worth on the server. Open: an unknown word is kept, and counts as not active.
  public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word on the wire.
    public let rawValue: String
    /// Takes a word as received.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// It signs in.
    public static let active = Status(rawValue: "active")
    /// It was revoked and never signs in again.
    public static let revoked = Status(rawValue: "revoked")
  }

  /// Makes a description; clients and servers do.
  public init(
    id: String, object: String = "trusted_device", platform: Platform, appIdentifier: String, name: String? = nil,
    algorithm: Algorithm = .es256, status: Status = .active, createdAt: UnixTime, updatedAt: UnixTime,
    lastUsedAt: UnixTime? = nil, revokedAt: UnixTime? = nil, publicKeyThumbprint: String? = nil
  ) {
    self.id = id
    self.object = object
    self.platform = platform
    self.appIdentifier = appIdentifier
    self.name = name
    self.algorithm = algorithm
    self.status = status
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.lastUsedAt = lastUsedAt
    self.revokedAt = revokedAt
    self.publicKeyThumbprint = publicKeyThumbprint
  }
}

extension TrustedDevice {
  /// Reads the server's object; times may be in seconds or in milliseconds. Unknown members are ignored.
  /// - Throws: `invalidMessage`, naming the member.
  public init(_ json: JSONObject) throws {
    let reader = MemberReader(json, of: "trusted device")
    id = try reader.identifier("id")
    object = try reader.optionalText("object") ?? "trusted_device"
    platform = Platform(rawValue: try reader.text("platform"))
    appIdentifier = try reader.text("app_identifier")
    name = try reader.optionalText("name")
    algorithm = Algorithm(rawValue: try reader.text("algorithm"))
    status = Status(rawValue: try reader.text("status"))
    createdAt = try reader.time("created_at")
    updatedAt = try reader.optionalTime("updated_at") ?? createdAt
    lastUsedAt = try reader.optionalTime("last_used_at")
    revokedAt = try reader.optionalTime("revoked_at")
    publicKeyThumbprint = try reader.optionalText("public_key_thumbprint")
  }

  /// The object as the server writes it, times in milliseconds. The thumbprint is left out where there is none.
  public var json: JSONObject {
    let text = { (text: String?) -> JSONValue in text.map { .string($0) } ?? .null }
    let time = { (time: UnixTime?) -> JSONValue in time.map { .integer($0.milliseconds) } ?? .null }
    var object = JSONObject()
    object["id"] = text(id)
    object["object"] = text(self.object)
    object["platform"] = text(platform.rawValue)
    object["app_identifier"] = text(appIdentifier)
    object["name"] = text(name)
    object["algorithm"] = text(algorithm.rawValue)
    object["status"] = text(status.rawValue)
    object["created_at"] = time(createdAt)
    object["updated_at"] = time(updatedAt)
    object["last_used_at"] = time(lastUsedAt)
    object["revoked_at"] = time(revokedAt)
    if let publicKeyThumbprint { object["public_key_thumbprint"] = .string(publicKeyThumbprint) }
    return object
  }
}
