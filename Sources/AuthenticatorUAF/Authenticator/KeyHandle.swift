import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// What UAF calls a key handle: the fields sealed with a key in the key store, bound to who may use it.
///
/// The handle never leaves the store; its key cannot be used, and its user name not be read, without the store's own key.
struct KeyHandle: Hashable, Sendable {
  /// The model that made the key.
  var aaid: AAID
  /// Who may use it.
  var accessToken: [UInt8]
  /// The key's identifier.
  var keyID: UAFKeyID
  /// Whose key it is; empty for a second factor, which must not know.
  var username: String

  private static let version: UInt8 = 1

  /// The form that is sealed.
  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 80 + username.utf8.count)
    writer.write(Self.version)
    writer.write(Array(aaid.rawValue.utf8))
    writer.write(accessToken)
    writer.write(UInt16(keyID.bytes.count))
    writer.write(keyID.bytes)
    writer.write(Array(username.utf8))
    return writer.bytes
  }

  init(aaid: AAID, accessToken: [UInt8], keyID: UAFKeyID, username: String) {
    self.aaid = aaid
    self.accessToken = accessToken
    self.keyID = keyID
    self.username = username
  }

  /// - Throws: `integrityFailed` for bytes that are no handle.
  init(_ bytes: [UInt8]) throws {
    var reader = ByteReader(bytes)
    do {
      guard try reader.readUInt8() == Self.version,
        let text = String(validating: try reader.readBytes(count: 9), as: UTF8.self), let aaid = AAID(text)
      else { throw Self.malformed }
      let token = try reader.readBytes(count: SHA256.byteCount)
      let count = Int(try reader.readUInt16())
      guard let keyID = UAFKeyID(bytes: try reader.readBytes(count: count)),
        let username = String(validating: reader.readRemaining(), as: UTF8.self)
      else { throw Self.malformed }
      self.init(aaid: aaid, accessToken: token, keyID: keyID, username: username)
    } catch {
      throw Self.malformed
    }
  }

  private static var malformed: AuthenticatorError {
    AuthenticatorError(.integrityFailed, stage: "uaf.keyHandle")
  }

  /// The token that binds a key to the application and caller it was made for (FIDO UAF ASM API, section
  /// "KHAccessToken", for bound authenticators).
  static func accessToken(appID: String, asmToken: [UInt8], personaID: String, callerID: String) -> [UInt8] {
    SHA256.hash(Array(appID.utf8) + asmToken + Array(personaID.utf8) + Array(callerID.utf8))
  }
}
