internal import AuthenticatorCBOR
internal import AuthenticatorCrypto

/// How a platform and an authenticator keep PINs and salts from whoever listens between them (CTAP 2.1 sections 6.5.6
/// and 6.5.7).
enum PINUVAuthProtocol: Int, CaseIterable {
  case one = 1
  case two = 2

  /// The key that both sides have agreed on: one for codes, one for encryption.
  struct SharedSecret {
    let authenticationKey: SecretBytes
    let encryptionKey: SecretBytes
  }

  // MARK: - Agreement

  /// The key both sides derive from what they agreed on.
  func derive(_ agreed: SecretBytes) throws -> SharedSecret {
    switch self {
    case .one:
      let key = SecretBytes(agreed.withUnsafeBytes { SHA256.hash(Array($0)) })
      return SharedSecret(authenticationKey: key, encryptionKey: key)
    case .two:
      let salt = [UInt8](repeating: 0, count: 32)
      return SharedSecret(
        authenticationKey: try HKDFSHA256.derive(from: agreed, salt: salt, info: Array("CTAP2 HMAC key".utf8)),
        encryptionKey: try HKDFSHA256.derive(from: agreed, salt: salt, info: Array("CTAP2 AES key".utf8)))
    }
  }

  /// A key for agreement as COSE writes it; the algorithm is that of ECDH-ES with HKDF-256 by name only.
  static func coseKey(_ key: PublicKey) -> CBORValue? {
    guard case .ec(.p256, let x, let y) = key.kind else { return nil }
    return [1: 2, 3: -25, -1: 1, -2: .bytes(x), -3: .bytes(y)]
  }

  /// Reads the other side's key.
  static func publicKey(_ value: CBORValue) throws(CTAP2Status) -> PublicKey {
    let members = try CTAP2Parameters(value)
    guard try members.integer(1) == 2, try members.integer(3) == -25, try members.integer(-1) == 1,
      let x = try members.bytes(-2), let y = try members.bytes(-3)
    else { throw .invalidParameter }
    do { return try PublicKey(ec: .p256, x: x, y: y) } catch { throw .invalidParameter }
  }

  // MARK: - Codes

  /// The code over a message, under the shared key or under a token.
  func authenticate(_ message: [UInt8], key: SecretBytes) -> [UInt8] {
    let code = HMACSHA256.authenticationCode(for: message, key: key)
    return self == .one ? Array(code.prefix(16)) : code
  }

  func verify(_ code: [UInt8], over message: [UInt8], key: SecretBytes) -> Bool {
    ConstantTime.equals(code, authenticate(message, key: key))
  }

  // MARK: - Encryption

  /// - Parameter random: 16 bytes for protocol two's initialization vector.
  func encrypt(_ plaintext: SecretBytes, with secret: SharedSecret, random: (Int) throws -> [UInt8]) throws -> [UInt8] {
    switch self {
    case .one:
      return try AESCBC.encrypt(
        plaintext, with: secret.encryptionKey, initializationVector: [UInt8](repeating: 0, count: 16))
    case .two:
      let vector = try random(16)
      return vector
        + (try AESCBC.encrypt(plaintext, with: secret.encryptionKey, initializationVector: vector))
    }
  }

  /// - Throws: `invalidParameter` for what no encryption yields.
  func decrypt(_ ciphertext: [UInt8], with secret: SharedSecret) throws(CTAP2Status) -> SecretBytes {
    do {
      switch self {
      case .one:
        return try AESCBC.decrypt(
          ciphertext, with: secret.encryptionKey, initializationVector: [UInt8](repeating: 0, count: 16))
      case .two:
        guard ciphertext.count >= 16 else { throw CTAP2Status.invalidParameter }
        return try AESCBC.decrypt(
          Array(ciphertext[16...]), with: secret.encryptionKey, initializationVector: Array(ciphertext[..<16]))
      }
    } catch { throw .invalidParameter }
  }
}
