internal import COpenSSL
internal import COpenSSLShims

/// A private key in memory. Signing is thread safe, and fast once the key has signed.
public final class PrivateKey: Sendable {
  /// The only algorithm the key signs with.
  public let algorithm: SignatureAlgorithm
  /// The key's public half.
  public let publicKey: PublicKey
  let key: KeyHandle
  private let contexts: SignatureContextPool

  private init(_ key: KeyHandle, _ publicKey: PublicKey, _ algorithm: SignatureAlgorithm) {
    self.key = key
    self.publicKey = publicKey
    self.algorithm = algorithm
    contexts = SignatureContextPool(key, algorithm, .sign)
  }

  /// Makes a new key: on the algorithm's curve, or of 2,048 bits for RSA, which takes tenths of a second.
  ///
  /// Throws `CryptoError.Code.unsupportedAlgorithm` for an algorithm this module does not compute.
  public static func generate(_ algorithm: SignatureAlgorithm) throws(CryptoError) -> PrivateKey {
    if let curve = algorithm.curve {
      let name = curve.rawValue
      guard let pointer = authkit_ec_generate(name) else { throw .library("no key could be made") }
      let key = KeyHandle(owning: pointer)
      var point = [UInt8](repeating: 0, count: curve.pointSize)
      var count = 0
      guard EVP_PKEY_get_octet_string_param(pointer, "pub", &point, point.count, &count) == 1, count == point.count
      else { throw .library("the key has no point") }
      return PrivateKey(key, PublicKey(unchecked: curve, point: point[...]), algorithm)
    }
    if algorithm == .edDSA { return try PrivateKey(material: try SystemRandom.secret(32), algorithm: algorithm) }
    guard algorithm.isRSA else { throw CryptoError(.unsupportedAlgorithm, "the algorithm is not known") }
    guard let pointer = authkit_rsa_generate(2048) else { throw .library("no key could be made") }
    let key = KeyHandle(owning: pointer)
    return PrivateKey(key, try key.rsaPublicKey(), algorithm)
  }

  /// Restores a key from what `exportMaterial()` returned.
  ///
  /// The material is expected to come from an authenticated store: that an elliptic-curve point belongs to its scalar
  /// is not checked here, as that costs as much as a signature; see `checkConsistency()`. Throws
  /// `CryptoError.Code.invalidKey` for material of another algorithm or a malformed one.
  public convenience init(material: SecretBytes, algorithm: SignatureAlgorithm) throws(CryptoError) {
    let (key, publicKey) = try material.withUnsafeBytes { (bytes) throws(CryptoError) in
      if let curve = algorithm.curve { return try Self.restore(curve, from: bytes) }
      if algorithm == .edDSA { return try Self.restoreEd25519(from: bytes) }
      guard algorithm.isRSA else { throw CryptoError(.unsupportedAlgorithm, "the algorithm is not known") }
      return try Self.restoreRSA(from: bytes)
    }
    self.init(key, publicKey, algorithm)
  }

  /// The key's secret form for a sealed store: the scalar and the uncompressed point (elliptic curves), the 32-byte
  /// seed (Ed25519), or PKCS #1 RSAPrivateKey in DER (RSA).
  public func exportMaterial() throws(CryptoError) -> SecretBytes {
    switch publicKey.kind {
    case .ec(let curve, let x, let y):
      let size = curve.coordinateSize
      var scalar: OpaquePointer?
      guard EVP_PKEY_get_bn_param(key.pointer, "priv", &scalar) == 1, let scalar else {
        throw .library("the key has no scalar")
      }
      defer { BN_clear_free(scalar) }
      return try SecretBytes(count: size + curve.pointSize) { (output) throws(CryptoError) in
        let base = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard BN_bn2binpad(scalar, base, CInt(size)) == CInt(size) else { throw .library("the scalar is too wide") }
        output[size] = 0x04
        for index in 0..<size {
          output[size + 1 + index] = x[index]
          output[2 * size + 1 + index] = y[index]
        }
      }
    case .ed25519:
      return try SecretBytes(count: 32) { (output) throws(CryptoError) in
        var count = 32
        guard
          EVP_PKEY_get_raw_private_key(
            key.pointer, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &count) == 1, count == 32
        else { throw .library("the key has no seed") }
      }
    case .rsa:
      let count = Int(i2d_PrivateKey(key.pointer, nil))
      guard count > 0 else { throw .library("the key cannot be written") }
      return try SecretBytes(count: count) { (output) throws(CryptoError) in
        var cursor = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard i2d_PrivateKey(key.pointer, &cursor) == CInt(count) else { throw .library("the key cannot be written") }
      }
    }
  }

  /// Throws `CryptoError.Code.invalidKey` when the public half does not belong to the private one.
  public func checkConsistency() throws(CryptoError) {
    guard let context = EVP_PKEY_CTX_new(key.pointer, nil) else {
      throw .library("no room for a check", code: .outOfMemory)
    }
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_pairwise_check(context) == 1 else {
      throw .library("the halves do not belong together", code: .invalidKey)
    }
  }

  /// Signs a whole message; hashing is included.
  public func sign(_ message: [UInt8]) throws(CryptoError) -> Signature {
    guard let digest = algorithm.digest(of: message) else { return try signEdDSA(message) }
    let limit = algorithm.isRSA ? 1024 : 160
    let bytes = try contexts.withContext { (context) throws(CryptoError) in
      var status: CInt = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        var produced = limit
        status = EVP_PKEY_sign(context, buffer.baseAddress, &produced, digest, digest.count)
        count = status == 1 ? min(produced, limit) : 0
      }
      guard status == 1 else { throw .library("no signature could be made") }
      return bytes
    }
    return try Signature(der: bytes, algorithm: algorithm)
  }

  private func signEdDSA(_ message: [UInt8]) throws(CryptoError) -> Signature {
    guard let context = EVP_MD_CTX_new() else { throw .library("no room for an operation", code: .outOfMemory) }
    defer { EVP_MD_CTX_free(context) }
    var bytes = [UInt8](repeating: 0, count: 64)
    var count = bytes.count
    guard EVP_DigestSignInit(context, nil, nil, nil, key.pointer) == 1,
      EVP_DigestSign(context, &bytes, &count, message, message.count) == 1, count == bytes.count
    else { throw .library("no signature could be made") }
    return try Signature(raw: bytes, algorithm: algorithm)
  }
}

// MARK: - Restoring

extension PrivateKey {
  private static func restore(
    _ curve: EllipticCurve, from bytes: UnsafeRawBufferPointer
  ) throws(CryptoError) -> (KeyHandle, PublicKey) {
    let size = curve.coordinateSize
    guard bytes.count == size + curve.pointSize, bytes[size] == 0x04 else {
      throw CryptoError(.invalidKey, "the material is not a scalar and a point of the curve")
    }
    let scalar = UnsafeRawBufferPointer(rebasing: bytes[..<size])
    let point = UnsafeRawBufferPointer(rebasing: bytes[size...])
    guard CurveGroup.of(curve).isScalar(scalar) else { throw CryptoError(.invalidKey, "the scalar is out of range") }
    // OpenSSL refuses a point off the curve here.
    let key = try KeyHandle(curve: curve, scalar: scalar, point: point)
    return (key, PublicKey(unchecked: curve, point: ArraySlice(point)))
  }

  private static func restoreEd25519(from bytes: UnsafeRawBufferPointer) throws(CryptoError) -> (KeyHandle, PublicKey) {
    guard bytes.count == 32 else { throw CryptoError(.invalidKey, "an Ed25519 seed has 32 bytes") }
    let seed = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard let pointer = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, 32) else {
      throw .library("the key was refused", code: .invalidKey)
    }
    let key = KeyHandle(owning: pointer)
    var point = [UInt8](repeating: 0, count: 32)
    var count = point.count
    guard EVP_PKEY_get_raw_public_key(pointer, &point, &count) == 1 else { throw .library("the key has no point") }
    return (key, try PublicKey(ed25519: point))
  }

  private static func restoreRSA(from bytes: UnsafeRawBufferPointer) throws(CryptoError) -> (KeyHandle, PublicKey) {
    guard bytes.count <= 8192 else { throw CryptoError(.invalidKey, "the material is too long") }
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var cursor = start
    guard let pointer = d2i_PrivateKey(EVP_PKEY_RSA, nil, &cursor, bytes.count) else {
      throw .library("the material is not an RSAPrivateKey", code: .invalidKey)
    }
    let key = KeyHandle(owning: pointer)
    guard let start, let cursor, cursor - start == bytes.count else {
      throw CryptoError(.invalidKey, "something follows the key")
    }
    return (key, try key.rsaPublicKey())
  }
}

extension KeyHandle {
  /// The public half of an RSA key.
  fileprivate func rsaPublicKey() throws(CryptoError) -> PublicKey {
    func number(_ name: String) throws(CryptoError) -> [UInt8] {
      var value: OpaquePointer?
      guard EVP_PKEY_get_bn_param(pointer, name, &value) == 1, let value else {
        throw .library("the key lacks a number", code: .invalidKey)
      }
      defer { BN_free(value) }
      var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(value)) + 7) / 8)
      BN_bn2bin(value, &bytes)
      return bytes
    }
    return try PublicKey(rsaModulus: try number("n"), exponent: try number("e"))
  }
}

extension PublicKey {
  /// For a point that OpenSSL made or checked.
  init(unchecked curve: EllipticCurve, point: ArraySlice<UInt8>) {
    let coordinates = point.dropFirst()
    kind = .ec(
      curve: curve, x: Array(coordinates.prefix(curve.coordinateSize)),
      y: Array(coordinates.dropFirst(curve.coordinateSize)))
  }
}

extension PrivateKey: CustomStringConvertible, CustomReflectable {
  /// The kind of the key; nothing of the key itself.
  public var description: String { "PrivateKey(\(algorithm))" }
  /// Empty, so that dumps show nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
