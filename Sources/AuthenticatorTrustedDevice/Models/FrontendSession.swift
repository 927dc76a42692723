import AuthenticatorCoding
import AuthenticatorCore

/// A session of the Frontend API.
public struct FrontendSession: Hashable, Sendable, Identifiable {
  /// The server's name of the session.
  public let id: String
  /// What it is worth.
  public internal(set) var status: Status
  /// Whose it is; nil when the server does not say.
  public let user: FrontendUser?
  /// What is left to do before a `pending` session becomes active, by key.
  public let tasks: [String]
  /// When it ends, on the server's clock; nil when the server does not say.
  public let expiresAt: UnixTime?

  /// What a session is worth. Open: an unknown word is kept.
  public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word on the wire.
    public let rawValue: String
    /// Takes a word as received.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// The user is signed in.
    public static let active = Self(rawValue: "active")
    /// The user is known, and tasks remain.
    public static let pending = Self(rawValue: "pending")
    /// Given up.
    public static let abandoned = Self(rawValue: "abandoned")
    /// Ended by the user.
    public static let ended = Self(rawValue: "ended")
    /// Ended by time.
    public static let expired = Self(rawValue: "expired")
    /// Ended by this client.
    public static let removed = Self(rawValue: "removed")
    /// Ended by another session.
    public static let replaced = Self(rawValue: "replaced")
    /// Ended by an administrator.
    public static let revoked = Self(rawValue: "revoked")
  }

  /// Whether somebody is signed in, tasks left or not.
  public var isSignedIn: Bool { status == .active || status == .pending }

  /// The session at a moment of the server's clock: expired once its time is over.
  func at(_ time: UnixTime) -> FrontendSession {
    guard isSignedIn, let expiresAt, expiresAt <= time else { return self }
    var session = self
    session.status = .expired
    return session
  }

  /// Reads the server's object; unknown members are ignored.
  /// - Throws: `invalidMessage`, naming the member.
  public init(_ json: JSONObject) throws {
    let reader = MemberReader(json, of: "session")
    id = try reader.identifier("id")
    status = Status(rawValue: try reader.text("status"))
    if let object = json["user"]?.objectValue {
      user = try FrontendUser(object)
    } else {
      user = try reader.optionalIdentifier("user_id").map { FrontendUser(id: $0) }
    }
    tasks = try reader.elements("tasks").map { try MemberReader($0, of: "task").text("key") }
    expiresAt = try reader.optionalTime("expire_at")
  }

  /// What is kept between two runs of an app.
  var json: JSONObject {
    var object = JSONObject([("id", .string(id)), ("status", .string(status.rawValue))])
    if let user { object["user"] = .object(user.json) }
    if !tasks.isEmpty { object["tasks"] = .array(tasks.map { ["key": .string($0)] }) }
    if let expiresAt { object["expire_at"] = .integer(expiresAt.milliseconds) }
    return object
  }
}

/// The user of a session, as far as this package needs to know.
public struct FrontendUser: Hashable, Sendable, Identifiable {
  /// The server's name of the user.
  public let id: String
  /// The primary email address.
  public let emailAddress: String?
  /// The primary phone number.
  public let phoneNumber: String?
  /// The user name.
  public let username: String?

  init(id: String, emailAddress: String? = nil, phoneNumber: String? = nil, username: String? = nil) {
    self.id = id
    self.emailAddress = emailAddress
    self.phoneNumber = phoneNumber
    self.username = username
  }

  init(_ json: JSONObject) throws {
    let reader = MemberReader(json, of: "user")
    id = try reader.identifier("id")
    username = try reader.optionalText("username")
    let email = try reader.optionalText("primary_email_address_id")
    emailAddress = Self.primary(json["email_addresses"], email)?["email_address"]?.stringValue
    let phone = try reader.optionalText("primary_phone_number_id")
    phoneNumber = Self.primary(json["phone_numbers"], phone)?["phone_number"]?.stringValue
  }

  private static func primary(_ entries: JSONValue?, _ id: String?) -> JSONValue? {
    guard let id else { return nil }
    return entries?.arrayValue?.first { $0["id"]?.stringValue == id }
  }

  var json: JSONObject {
    var object = JSONObject([("id", .string(id))])
    if let username { object["username"] = .string(username) }
    if let emailAddress {
      object["primary_email_address_id"] = "0"
      object["email_addresses"] = [["id": "0", "email_address": .string(emailAddress)]]
    }
    if let phoneNumber {
      object["primary_phone_number_id"] = "0"
      object["phone_numbers"] = [["id": "0", "phone_number": .string(phoneNumber)]]
    }
    return object
  }

  /// What tells this user's credential from another's on the sign-in screen: the primary email address, else the
  /// primary phone number, else the user name.
  public var identifierHint: String? { emailAddress ?? phoneNumber ?? username }
}

extension FrontendUser: CustomStringConvertible, CustomReflectable {
  /// Nothing: user names do not belong in logs.
  public var description: String { "FrontendUser" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
