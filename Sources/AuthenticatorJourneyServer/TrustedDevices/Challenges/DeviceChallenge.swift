internal import AuthenticatorCoding
internal import AuthenticatorCore

/// A challenge as a device receives it.
struct DeviceChallenge: Hashable, Sendable {
  /// What the signature is for.
  enum Purpose: String, Hashable, Sendable {
    case enroll
    case signIn = "sign_in"
  }

  /// `tdch_…`
  var id: String
  /// Random or sealed; nobody can guess it.
  var challenge: String
  var purpose: Purpose
  /// The app it was made for; nil: it is not bound to one.
  var appIdentifier: String?
  /// The credential that must sign; nil: it is not bound to one.
  var deviceID: String?
  var expiresAt: UnixTime

  /// What is signed: compact JSON whose layout is this server's own business. Clients return it byte for byte.
  var clientData: String {
    var data: JSONObject = [
      "challenge_id": .string(id), "challenge": .string(challenge), "purpose": .string(purpose.rawValue),
    ]
    if let appIdentifier { data["app_identifier"] = .string(appIdentifier) }
    data["expires_at"] = .integer(expiresAt.milliseconds)
    if let deviceID { data["trusted_device_id"] = .string(deviceID) }
    return data.serializedString()
  }

  /// The object on the wire.
  var json: JSONValue {
    var object: JSONObject = [
      "object": "trusted_device_challenge", "challenge": .string(challenge), "challenge_id": .string(id),
    ]
    if let deviceID { object["trusted_device_id"] = .string(deviceID) }
    object["client_data"] = .string(clientData)
    object["expires_at"] = .integer(expiresAt.milliseconds)
    object["algorithm"] = "ES256"
    return .object(object)
  }
}

/// Names of things: a prefix and 16 random bytes in base64url.
struct ResourceID: Hashable, Sendable {
  /// What a name stands for.
  enum Kind: String, Hashable, Sendable {
    case challenge = "tdch_"
    case device = "tdc_"
    case session = "sess_"
    case client = "client_"
  }

  static let byteCount = 16

  let kind: Kind
  let bytes: [UInt8]

  init(_ kind: Kind, random: [UInt8]) {
    self.kind = kind
    bytes = random
  }

  /// Reads a name of this kind; nil for anything else.
  init?(_ kind: Kind, text: String) {
    guard text.utf8.count <= 64, text.hasPrefix(kind.rawValue),
      let bytes = try? Base64URL.decode(String(text.dropFirst(kind.rawValue.count))), bytes.count == Self.byteCount
    else { return nil }
    self.kind = kind
    self.bytes = bytes
  }

  var text: String { kind.rawValue + Base64URL.encode(bytes) }
}
