import AuthenticatorCoding
import AuthenticatorCore

/// A bound device as the server lists it.
public struct BindingDevice: Hashable, Sendable {
  /// The key's name (`kid`).
  public let keyID: String
  /// The server's own name of the entry, by which it is deleted.
  public let id: String
  /// The device's name; server text.
  public let deviceName: String
  /// The device's identifier.
  public let deviceID: String
  /// When it was bound; nil when the server does not say.
  public let createdAt: UnixTime?
  /// When it last signed; nil when the server does not say.
  public let lastAccessAt: UnixTime?
  /// The entry as received.
  public let json: JSONObject

  /// Nil: the entry names no key.
  init?(_ value: JSONValue) {
    guard let json = value.objectValue, let id = json["_id"]?.stringValue ?? json["uuid"]?.stringValue, !id.isEmpty,
      let keyID = json["key"]?["kid"]?.stringValue ?? json["_id"]?.stringValue
    else { return nil }
    self.keyID = keyID
    self.id = id
    deviceName = json["deviceName"]?.stringValue ?? ""
    deviceID = json["deviceId"]?.stringValue ?? ""
    createdAt = json["createdDate"]?.wholeNumberValue.map { UnixTime(milliseconds: Int64($0)) }
    lastAccessAt = json["lastAccessDate"]?.wholeNumberValue.map { UnixTime(milliseconds: Int64($0)) }
    self.json = json
  }
}
