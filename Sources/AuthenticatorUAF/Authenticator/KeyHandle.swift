import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// What UAF calls a key handle: the fields sealed with a key in the key store, bound to who may use it.
///
/// The handle never leaves the store; its key cannot be used, and its user name not be read, without the store's own
/// key.
struct KeyHandle: Hashable, Sendable {
  /// The model that made the key.
  var aaid: AAID
  /// Who may use it.
  var accessToken: [UInt8]
  /// The key's identifier.
  var keyID: UAFKeyID
  /// What its server verifies it by; nil in handles that were made before it was written down.
  var algorithm: UAFAlgorithm?
  /// Whose key it is; empty for a second factor, which must not know.
  var username: String

  private enum Version {
    static let withoutAlgorithm: UInt8 = 1
    static let present: UInt8 = 2
  }

  /// The form that is sealed.
  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 80 + username.utf8.count)
    writer.write(algorithm == nil ? Version.withoutAlgorithm : Version.present)
    writer.write(Array(aaid.rawValue.utf8))
    writer.write(accessToken)
    writer.write(UInt16(keyID.bytes.count))
    writer.write(keyID.bytes)
    if let algorithm { writer.write(algorithm.rawValue) }
    writer.write(Array(username.utf8))
    return writer.bytes
  }

  init(aaid: AAID, accessToken: [UInt8], keyID: UAFKeyID, algorithm: UAFAlgorithm?, username: String) {
    self.aaid = aaid
    self.accessToken = accessToken
    self.keyID = keyID
    self.algorithm = algorithm
    self.username = username
  }

  /// - Throws: `integrityFailed` for bytes that are no handle.
  init(_ bytes: [UInt8]) throws {
    var reader = ByteReader(bytes)
    do {
      let version = try reader.readUInt8()
      guard [Version.withoutAlgorithm, Version.present].contains(version),
        let text = String(validating: try reader.readBytes(count: 9), as: UTF8.self), let aaid = AAID(text)
      else { throw Self.malformed }
      let token = try reader.readBytes(count: SHA256.byteCount)
      let count = Int(try reader.readUInt16())
      guard let keyID = UAFKeyID(bytes: try reader.readBytes(count: count)) else { throw Self.malformed }
      let algorithm = version == Version.present ? UAFAlgorithm(rawValue: try reader.readUInt16()) : nil
      guard let username = String(validating: reader.readRemaining(), as: UTF8.self) else { throw Self.malformed }
      self.init(aaid: aaid, accessToken: token, keyID: keyID, algorithm: algorithm, username: username)
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
