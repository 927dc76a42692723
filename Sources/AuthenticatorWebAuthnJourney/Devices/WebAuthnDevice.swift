import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorWebAuthn

/// A WebAuthn credential as the server lists it.
public struct WebAuthnDevice: Hashable, Sendable {
  /// The credential's name.
  public let credentialID: CredentialID
  /// The server's own name of the entry, by which it is deleted.
  public let id: String
  /// The device's name; server text.
  public let deviceName: String
  /// When it was registered; nil when the server does not say.
  public let createdAt: UnixTime?
  /// When it last signed in; nil when the server does not say.
  public let lastAccessAt: UnixTime?
  /// The entry as received.
  public let json: JSONObject

  /// Nil: the entry names no credential.
  init?(_ value: JSONValue) {
    guard let json = value.objectValue, let id = json["uuid"]?.stringValue ?? json["_id"]?.stringValue, !id.isEmpty,
      let name = json["credentialId"]?.stringValue, name.utf8.count <= 2 * CredentialID.maximumSize,
      let bytes = Self.decoded(name), let credentialID = CredentialID(bytes)
    else { return nil }
    self.credentialID = credentialID
    self.id = id
    deviceName = json["deviceName"]?.stringValue ?? ""
    createdAt = json["createdDate"]?.wholeNumberValue.map { UnixTime(milliseconds: Int64($0)) }
    lastAccessAt = json["lastAccessDate"]?.wholeNumberValue.map { UnixTime(milliseconds: Int64($0)) }
    self.json = json
  }

  private static func decoded(_ text: String) -> [UInt8]? {
    do { return try Base64URL.decode(text, padding: .tolerated) } catch { return nil }
  }
}

/// What became of the two halves of a removal.
public struct WebAuthnRemoval: Sendable {
  /// One half.
  public enum Half: Sendable {
    /// It is gone.
    case removed
    /// There was nothing.
    case absent
    /// It is still there, and why.
    case kept(AuthenticatorError)

    /// Whether nothing is left of it.
    public var isDone: Bool {
      if case .kept = self { false } else { true }
    }
  }

  /// The server's entry.
  public let remote: Half
  /// The credential on this device.
  public let local: Half

  /// Whether nothing is left on either side.
  public var isComplete: Bool { remote.isDone && local.isDone }
}
