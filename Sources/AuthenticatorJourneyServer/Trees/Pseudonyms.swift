internal import AuthenticatorCoding
internal import AuthenticatorCrypto

/// Identifiers for names nobody has: indistinguishable from real ones, and stable for one server.
struct Pseudonyms: Sendable {
  let key: SecretBytes

  /// The ids of credentials for somebody who has none.
  func credentialIDs(for name: String, in realm: Realm) -> [[UInt8]] {
    let others = 1..<Self.count(bytes("credentials", for: name, in: realm)[0])
    return [bytes("credential", for: name, in: realm)]
      + others.map { bytes("credential \($0)", for: name, in: realm) }
  }

  /// How many keys somebody seems to have, as people do: mostly one, seldom three.
  static func count(_ byte: UInt8) -> Int { byte < 160 ? 1 : byte < 232 ? 2 : 3 }

  /// 32 bytes that look random, the same ones for one purpose and name.
  func bytes(_ purpose: String, for name: String, in realm: Realm) -> [UInt8] {
    let message = Array("\(purpose)\u{0}\(realm.path)\u{0}\(UserRecord.nameKey(name).text)".utf8)
    return HMACSHA256.authenticationCode(for: message, key: key)
  }

  func userID(for name: String, in realm: Realm) -> String {
    let message = Array("\(realm.path)\u{0}\(UserRecord.nameKey(name).text)".utf8)
    return UUIDText.make(from: HMACSHA256.authenticationCode(for: message, key: key))
  }
}

/// The text form of a random UUID (RFC 9562 section 5.4).
enum UUIDText {
  /// Uses the first 16 of at least as many random bytes.
  static func make(from random: [UInt8]) -> String {
    var bytes = Array(random.prefix(16))
    while bytes.count < 16 { bytes.append(0) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let hex = Array(Hex.encode(bytes))
    return [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]].map { String($0) }.joined(separator: "-")
  }
}
