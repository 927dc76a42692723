import AuthenticatorCoding
import AuthenticatorCore

/// A bound key, as device binding sees its record.
public struct UserKey: Hashable, Sendable {
  /// The record behind it.
  public let record: KeyRecord
  /// The user's identifier as the server sent it (a DN).
  public let userID: String
  /// The user's name at the time of binding.
  public let userName: String
  /// The name under which the server knows the key (`kid`).
  public let keyID: String
  /// The server's word at the time of binding.
  public let authenticationType: WireAuthenticationType

  /// Our own name of the key.
  public var tag: KeyTag { record.tag }
  /// When the key was made.
  public var createdAt: UnixTime { record.createdAt }

  /// Reads a record; nil for one of another protocol, or without user or key ID.
  public init?(_ record: KeyRecord) {
    guard record.owner.family == .deviceBinding, let account = record.owner.account,
      let userID = String(validating: account, as: UTF8.self),
      let keyID = record.externalID.flatMap({ String(validating: $0, as: UTF8.self) })
    else { return nil }
    let attributes = BindingAttributes(bytes: record.attributes)
    self.record = record
    self.userID = userID
    self.keyID = keyID
    userName = attributes.userName
    authenticationType =
      attributes.authenticationType ?? WireAuthenticationType(rawValue: record.authenticator.rawValue)
  }

  /// `userName-(AUTH_TYPE)-(yyyyMMdd HH:mm:ss)` for lists; the time is UTC, the same in every locale.
  public var label: String {
    "\(userName)-(\(authenticationType.rawValue))-(\(CalendarTime(createdAt).text))"
  }

  /// By user name, then from old to new.
  public static func sorted(_ keys: [UserKey]) -> [UserKey] {
    keys.sorted {
      if $0.userName != $1.userName { return $0.userName < $1.userName }
      return ($0.createdAt, $0.keyID) < ($1.createdAt, $1.keyID)
    }
  }
}

extension UserKey: CustomStringConvertible {
  /// The tag alone: user names do not belong in logs.
  public var description: String { "UserKey(\(tag))" }
}

/// What is sealed with a bound key.
struct BindingAttributes {
  var userName: String
  var authenticationType: WireAuthenticationType?

  init(userName: String, authenticationType: WireAuthenticationType) {
    self.userName = userName
    self.authenticationType = authenticationType
  }

  /// Unreadable bytes give empty attributes: they only serve display.
  init(bytes: [UInt8]) {
    let object: JSONObject?
    do { object = try JSONValue.parse(bytes).objectValue } catch { object = nil }
    userName = object?["username"]?.stringValue ?? ""
    authenticationType = object?["authenticationType"]?.stringValue.map(WireAuthenticationType.init)
  }

  var bytes: [UInt8] {
    JSONObject([
      ("username", .string(userName)), ("authenticationType", .string(authenticationType?.rawValue ?? "")),
    ]).serialized()
  }

  /// The display data that a committed key carries.
  var details: [UInt8] { JSONObject([("username", .string(userName))]).serialized() }
}
