internal import COpenSSL
internal import COpenSSLShims

/// A private key in memory. Signing is thread safe.
public final class PrivateKey: Sendable {
  /// The only algorithm the key signs with.
  public let algorithm: SignatureAlgorithm
  /// The key's public half.
  public let publicKey: PublicKey
  private let key: Key

  private enum Key {
    case curve(CurveKey)
    case other(KeyHandle, SignatureContextPool)
  }

  private init(_ key: CurveKey, _ publicKey: PublicKey, _ algorithm: SignatureAlgorithm) {
    self.key = .curve(key)
    self.publicKey = publicKey
    self.algorithm = algorithm
  }

  private init(_ key: KeyHandle, _ publicKey: PublicKey, _ algorithm: SignatureAlgorithm) {
    self.key = .other(key, SignatureContextPool(key, algorithm, .sign))
    self.publicKey = publicKey
    self.algorithm = algorithm
  }

  /// Makes a new key: on the algorithm's curve, or of 2,048 bits for RSA, which takes tenths of a second.
  ///
  /// Throws `CryptoError.Code.unsupportedAlgorithm` for an algorithm this module does not compute.
  public static func generate(_ algorithm: SignatureAlgorithm) throws(CryptoError) -> PrivateKey {
    if let curve = algorithm.curve {
      let key = try CurveKey.generate(curve)
      return PrivateKey(key, PublicKey(unchecked: curve, point: try key.point()[...]), algorithm)
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
    if let curve = algorithm.curve {
      let (key, publicKey) = try material.withUnsafeBytes { (bytes) throws(CryptoError) in
        try Self.restore(curve, from: bytes)
      }
      self.init(key, publicKey, algorithm)
      return
    }
    let (key, publicKey) = try material.withUnsafeBytes { (bytes) throws(CryptoError) in
      if algorithm == .edDSA { return try Self.restoreEd25519(from: bytes) }
      guard algorithm.isRSA else { throw CryptoError(.unsupportedAlgorithm, "the algorithm is not known") }
      return try Self.restoreRSA(from: bytes)
    }
    self.init(key, publicKey, algorithm)
  }

  /// The key's secret form for a sealed store: the scalar and the uncompressed point (elliptic curves), the 32-byte
  /// seed (Ed25519), or PKCS #1 RSAPrivateKey in DER (RSA).
  public func exportMaterial() throws(CryptoError) -> SecretBytes {
    switch key {
    case .curve(let key): return try exportMaterial(of: key)
    case .other(let key, _): return try exportMaterial(of: key)
    }
  }

  private func exportMaterial(of key: CurveKey) throws(CryptoError) -> SecretBytes {
    guard let point = publicKey.x963Representation, let size = publicKey.curve?.coordinateSize else {
      throw CryptoError(.invalidKey, "the key is not on a curve")
    }
    return try SecretBytes(count: size + point.count) { (output) throws(CryptoError) in
      try key.writeScalar(to: UnsafeMutableRawBufferPointer(rebasing: output[..<size]))
      UnsafeMutableRawBufferPointer(rebasing: output[size...]).copyBytes(from: point)
    }
  }

  private func exportMaterial(of key: KeyHandle) throws(CryptoError) -> SecretBytes {
    switch publicKey.kind {
    case .ec: throw CryptoError(.invalidKey, "the key is on a curve")
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
    switch key {
    case .curve(let key):
      guard key.isConsistent else { throw CryptoError(.invalidKey, "the halves do not belong together") }
    case .other(let key, _):
      guard let context = EVP_PKEY_CTX_new(key.pointer, nil) else {
        throw .library("no room for a check", code: .outOfMemory)
      }
      defer { EVP_PKEY_CTX_free(context) }
      guard EVP_PKEY_pairwise_check(context) == 1 else {
        throw .library("the halves do not belong together", code: .invalidKey)
      }
    }
  }

  /// Signs a whole message; hashing is included.
  public func sign(_ message: [UInt8]) throws(CryptoError) -> Signature {
    let digest = algorithm.digest(of: message)
    switch (key, digest) {
    case (.curve(let key), let digest?): return Signature(unchecked: try key.sign(digest: digest), algorithm: algorithm)
    case (.other(_, let contexts), let digest?): return try sign(digest: digest, contexts)
    case (.other(let key, _), nil): return try signEdDSA(message, key)
    case (.curve, nil): throw CryptoError(.unsupportedAlgorithm, "the algorithm does not go with the key")
    }
  }

  private func sign(digest: [UInt8], _ contexts: SignatureContextPool) throws(CryptoError) -> Signature {
    let limit = 1024
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
    return try Signature(raw: bytes, algorithm: algorithm)
  }

  private func signEdDSA(_ message: [UInt8], _ key: KeyHandle) throws(CryptoError) -> Signature {
    guard let context = EVP_MD_CTX_new() else { throw .library("no room for an operation", code: .outOfMemory) }
    defer { EVP_MD_CTX_free(context) }
    var bytes = [UInt8](repeating: 0, count: 64)
    var count = bytes.count
    guard EVP_DigestSignInit(context, nil, nil, nil, key.pointer) == 1,
      EVP_DigestSign(context, &bytes, &count, message, message.count) == 1, count == bytes.count
    else { throw .library("no signature could be made") }
    return try Signature(raw: bytes, algorithm: algorithm)
  }

  /// The key as EVP takes it: for operations that are rare.
  func makeHandle() throws(CryptoError) -> KeyHandle {
    let curveKey: CurveKey
    switch key {
    case .other(let handle, _): return handle
    case .curve(let key): curveKey = key
    }
    guard let curve = publicKey.curve, let point = publicKey.x963Representation else {
      throw CryptoError(.invalidKey, "the key is not on a curve")
    }
    let scalar = try SecretBytes(count: curve.coordinateSize) { (output) throws(CryptoError) in
      try curveKey.writeScalar(to: output)
    }
    return try scalar.withUnsafeBytes { (scalar) throws(CryptoError) in
      try point.withUnsafeBytes { point in
        Result { () throws(CryptoError) in try KeyHandle(curve: curve, scalar: scalar, point: point) }
      }.get()
    }
  }
}

// MARK: - Restoring

extension PrivateKey {
  private static func restore(
    _ curve: EllipticCurve, from bytes: UnsafeRawBufferPointer
  ) throws(CryptoError) -> (CurveKey, PublicKey) {
    let size = curve.coordinateSize
    guard bytes.count == size + curve.pointSize, bytes[size] == 0x04 else {
      throw CryptoError(.invalidKey, "the material is not a scalar and a point of the curve")
    }
    let scalar = UnsafeRawBufferPointer(rebasing: bytes[..<size])
    let point = UnsafeRawBufferPointer(rebasing: bytes[size...])
    guard CurveGroup.of(curve).isScalar(scalar) else { throw CryptoError(.invalidKey, "the scalar is out of range") }
    // OpenSSL refuses a point off the curve here.
    let key = try CurveKey(curve, point: point, scalar: scalar)
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
