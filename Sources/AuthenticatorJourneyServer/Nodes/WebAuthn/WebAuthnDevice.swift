internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorRelyingParty

/// A registered credential as the registry keeps it.
///
/// The external id is the credential id in base64url, the device's own identifier its model, the key the COSE bytes,
/// the counter the signature counter; everything else is among the attributes.
struct WebAuthnDevice {
  /// As the registry keeps it.
  var record: DeviceRecord
  /// As the relying party verifies with it.
  var credential: WebAuthnCredentialRecord

  /// What a device is called that has no name of its own.
  static let standardName = "New Security Key"

  /// The `_id` and `user.id` that a user has: base64url of the identifier, which is random and says nothing about the
  /// person. Authenticators are given the bytes of this text.
  static func userHandleText(of userID: String) -> String { Base64URL.encode(userID.utf8) }

  /// The bytes an authenticator knows the user by.
  static func userHandle(of userID: String) -> [UInt8] { Array(userHandleText(of: userID).utf8) }

  /// The external id of a credential.
  static func externalID(_ id: [UInt8]) -> String { Base64URL.encode(id) }

  /// A new one.
  init(
    _ credential: WebAuthnCredentialRecord, user: UserRecord, name: String?, relyingPartyID: String, uuid: String,
    now: UnixTime
  ) {
    self.credential = credential
    var attributes = Self.attributes(of: credential)
    attributes["rpId"] = .string(relyingPartyID)
    record = DeviceRecord(
      family: .webAuthn, realm: user.realm, externalID: Self.externalID(credential.id), userID: user.id, uuid: uuid,
      name: DisplayText.deviceName(name, otherwise: Self.standardName),
      deviceID: attributes["aaguid"]?.stringValue ?? "",
      key: ["cose": .string(Base64URL.encode(credential.publicKey.coseBytes))],
      counter: Int64(credential.signCount), attributes: attributes, createdAt: now, lastAccessAt: now)
  }

  /// One from the registry. Throws `RegistryError` (`damaged`).
  init(_ record: DeviceRecord) throws {
    self.record = record
    var json = record.attributes
    json["id"] = .string(record.externalID)
    json["publicKey"] = record.key["cose"]
    json["signCount"] = .integer(record.counter)
    do { credential = try WebAuthnCredentialRecord(json: .object(json)) } catch {
      throw RegistryError(.damaged, "a WebAuthn credential is malformed")
    }
  }

  /// The relying party the credential was made for.
  static func relyingPartyID(of record: DeviceRecord) -> String? { record.attributes["rpId"]?.stringValue }

  /// The same device after a sign-in.
  func updated(to credential: WebAuthnCredentialRecord, now: UnixTime) -> DeviceRecord {
    var record = record
    record.counter = Int64(credential.signCount)
    var attributes = Self.attributes(of: credential)
    attributes["rpId"] = self.record.attributes["rpId"]
    record.attributes = attributes
    record.lastAccessAt = now
    return record
  }

  private static func attributes(of credential: WebAuthnCredentialRecord) -> JSONObject {
    var attributes = credential.json.objectValue ?? [:]
    for name in ["id", "publicKey", "signCount"] { attributes[name] = nil }
    return attributes
  }
}

extension NodeContext {
  /// The credentials of a user at a relying party, the oldest first.
  func webAuthnDevices(of user: UserRecord, at party: RelyingPartyIdentity) async throws -> [DeviceRecord] {
    try await services.registry.devices(ofUser: user.id, family: .webAuthn, realm: realm)
      .filter { WebAuthnDevice.relyingPartyID(of: $0) == party.id }
  }
}
