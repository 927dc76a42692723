import AuthenticatorCore
import AuthenticatorCrypto

/// The keys of one store and what is done with them.
///
/// All are derived from the store's secret, which lies in the store, and from the device secret, which does not, when
/// the app configured one. Without a device secret a thief of the whole store has everything that no PIN wraps.
package final class StoreCipher: Sendable {
  /// What a sealed value is; each purpose has its own key, so that no value passes for another kind.
  enum Purpose: String {
    case record, status, material, secrets, ledger, intent
  }

  let storeID: [UInt8]
  private let random: @Sendable (Int) throws -> [UInt8]
  private let record: SecretBytes
  private let status: SecretBytes
  private let material: SecretBytes
  private let secrets: SecretBytes
  private let ledger: SecretBytes
  private let intent: SecretBytes
  private let index: SecretBytes
  private let code: SecretBytes
  private let pepper: SecretBytes

  package init(
    head: StoreHead, deviceSecret: SecretBytes?, random: @escaping @Sendable (Int) throws -> [UInt8]
  ) throws {
    if let deviceSecret, deviceSecret.count != 32 {
      throw AuthenticatorError(.invalidRequest, stage: "store.open", reason: "a device secret has 32 bytes")
    }
    storeID = head.id
    self.random = random
    let root = try HKDFSHA256.derive(
      from: head.secret.joined(with: deviceSecret), salt: head.id, info: Array("AuthenticatorKit key store 1".utf8))
    func key(_ purpose: String) throws -> SecretBytes {
      try HKDFSHA256.derive(from: root, info: Array(purpose.utf8))
    }
    record = try key(Purpose.record.rawValue)
    status = try key(Purpose.status.rawValue)
    material = try key(Purpose.material.rawValue)
    secrets = try key(Purpose.secrets.rawValue)
    ledger = try key(Purpose.ledger.rawValue)
    intent = try key(Purpose.intent.rawValue)
    index = try key("index")
    code = try key("code")
    pepper = try key("pepper")
  }

  private func key(_ purpose: Purpose) -> SecretBytes {
    switch purpose {
    case .record: record
    case .status: status
    case .material: material
    case .secrets: secrets
    case .ledger: ledger
    case .intent: intent
    }
  }

  /// A 32-byte code by which a backend recognizes that it was given the right device secret.
  package func headCode() -> [UInt8] {
    var fields = FieldWriter()
    fields.write("head")
    fields.write(storeID)
    return HMACSHA256.authenticationCode(for: fields.bytes, key: code)
  }

  func authenticationCode(for fields: [UInt8]) -> [UInt8] {
    HMACSHA256.authenticationCode(for: fields, key: code)
  }

  func randomBytes(_ count: Int) throws -> [UInt8] {
    let bytes: [UInt8]
    do { bytes = try random(count) } catch {
      throw AuthenticatorError.wrapping(error, as: .storageFailed, stage: "store.random")
    }
    guard bytes.count == count else {
      throw AuthenticatorError(.storageFailed, stage: "store.random", reason: "the random source gave too little")
    }
    return bytes
  }

  // MARK: Sealed values: nonce, ciphertext, tag

  func seal(_ message: [UInt8], _ purpose: Purpose, _ data: [UInt8]) throws -> [UInt8] {
    let nonce = try randomBytes(AESGCM.nonceCount)
    return nonce + (try AESGCM.seal(message, with: key(purpose), nonce: nonce, additionalData: storeID + data))
  }

  func seal(secret: SecretBytes, _ key: SecretBytes, _ data: [UInt8]) throws -> [UInt8] {
    let nonce = try randomBytes(AESGCM.nonceCount)
    return nonce + (try AESGCM.seal(secret, with: key, nonce: nonce, additionalData: storeID + data))
  }

  /// Seals with the nonce of another box, which is sealed once and under another key; it is not written again.
  func seal(secret: SecretBytes, _ key: SecretBytes, nonceOf box: [UInt8], _ data: [UInt8]) throws -> [UInt8] {
    try AESGCM.seal(secret, with: key, nonce: try Self.split(box).nonce, additionalData: storeID + data)
  }

  func open(secret sealed: [UInt8], _ key: SecretBytes, nonceOf box: [UInt8], _ data: [UInt8]) throws -> SecretBytes {
    do {
      return try AESGCM.open(
        sealed, with: key, nonce: try Self.split(box).nonce, additionalData: storeID + data)
    } catch let error as CryptoError { throw Self.failure(error) }
  }

  func open(_ box: [UInt8], _ purpose: Purpose, _ data: [UInt8]) throws -> [UInt8] {
    try open(box, opener(purpose), data)
  }

  /// What opens boxes of a purpose one after the other.
  func opener(_ purpose: Purpose) throws -> AESGCMOpener {
    do throws(CryptoError) { return try AESGCMOpener(key: key(purpose)) } catch { throw Self.failure(error) }
  }

  func open(_ box: [UInt8], _ opener: AESGCMOpener, _ data: [UInt8]) throws -> [UInt8] {
    guard box.count >= AESGCM.nonceCount + AESGCM.tagCount else { throw Self.altered }
    do throws(CryptoError) {
      return try opener.openMessage(
        box[AESGCM.nonceCount...], nonce: Array(box[..<AESGCM.nonceCount]), additionalData: storeID + data)
    } catch { throw Self.failure(error) }
  }

  func open(secret box: [UInt8], _ key: SecretBytes, _ data: [UInt8]) throws -> SecretBytes {
    let (nonce, sealed) = try Self.split(box)
    do {
      return try AESGCM.open(sealed, with: key, nonce: nonce, additionalData: storeID + data)
    } catch { throw Self.failure(error) }
  }

  private static func failure(_ error: CryptoError) -> AuthenticatorError {
    error.code == .authenticationFailed
      ? altered : AuthenticatorError(.storageFailed, stage: "store.open", underlying: error)
  }

  private static let altered = AuthenticatorError(
    .integrityFailed, stage: "store.open", reason: "a sealed value does not authenticate")

  private static func split(_ box: [UInt8]) throws -> (nonce: [UInt8], sealed: [UInt8]) {
    guard box.count >= AESGCM.nonceCount + AESGCM.tagCount else { throw altered }
    return (Array(box[..<AESGCM.nonceCount]), Array(box[AESGCM.nonceCount...]))
  }

  // MARK: Keys of key material

  /// The key that seals material: the store's own, or one that only the opened domain yields.
  func materialKey(_ gate: KeyAccess.Gate, domainKey: SecretBytes?) throws -> SecretBytes {
    guard case .secret = gate else { return material }
    guard let domainKey else { throw AuthenticatorError(.verificationInsufficient, stage: "store.unlock") }
    return try HKDFSHA256.derive(from: domainKey, salt: storeID, info: Array("material".utf8))
  }

  var storeSecretsKey: SecretBytes { secrets }

  /// The key that wraps a domain: what scrypt made of the PIN, and the store's share.
  func wrapKey(_ derived: SecretBytes) throws -> SecretBytes {
    try HKDFSHA256.derive(from: derived.joined(with: pepper), salt: storeID, info: Array("wrap".utf8))
  }

  // MARK: Blind look-up values

  func lookUp(_ label: String, _ parts: [UInt8]?...) -> Int64 {
    // Six bytes are what SQLite keeps compactly; whatever collides is told apart by the record.
    blind(label, parts).prefix(6).reduce(Int64(0)) { $0 << 8 | Int64($1) }
  }

  func name(_ label: String, _ parts: [UInt8]?...) -> [UInt8] { Array(blind(label, parts).prefix(16)) }

  private func blind(_ label: String, _ parts: [[UInt8]?]) -> [UInt8] {
    var fields = FieldWriter()
    fields.write(label)
    for part in parts { fields.write(optional: part) }
    return HMACSHA256.authenticationCode(for: fields.bytes, key: index)
  }
}

extension SecretBytes {
  /// Both secrets, one after the other; they have fixed lengths wherever this is used.
  func joined(with other: SecretBytes?) -> SecretBytes {
    guard let other else { return self }
    return SecretBytes(count: count + other.count) { output in
      withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: output[..<count]).copyMemory(from: $0) }
      other.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: output[count...]).copyMemory(from: $0) }
    }
  }

  /// Whether the secret ends with these bytes.
  func ends(with bytes: [UInt8]) -> Bool {
    count >= bytes.count && withUnsafeBytes { $0.suffix(bytes.count).elementsEqual(bytes) }
  }

  /// A part of the secret, as a secret; nil when it does not reach that far.
  func part(_ range: Range<Int>) -> SecretBytes? {
    guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
    return withUnsafeBytes { bytes in
      SecretBytes(count: range.count) { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range])) }
    }
  }
}
