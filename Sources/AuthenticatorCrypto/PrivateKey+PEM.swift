internal import COpenSSL

/// Keys that other software made (RFC 5208, RFC 5915, RFC 8017), unencrypted.
extension PrivateKey {
  /// Reads the first private key of a text.
  ///
  /// - Parameter algorithm: nil: the one its kind implies, RS256 for RSA keys.
  ///
  /// At most 64 KiB. Throws `CryptoError.Code.invalidKey` for a text without a key, an encrypted key, a curve that is
  /// not known, or a key that does not go with the algorithm.
  public convenience init(pem text: String, algorithm: SignatureAlgorithm? = nil) throws(CryptoError) {
    guard text.utf8.count <= 1 << 16 else { throw CryptoError(.invalidKey, "the text is too long") }
    // The content of an encrypted key in the old form begins with headers, which are no base64.
    let blocks = try? PEMText.blocks(text, .invalidKey, most: 1) { $0 == "PRIVATE KEY" || $0.hasSuffix(" PRIVATE KEY") }
    guard let bytes = blocks?.first else { throw CryptoError(.invalidKey, "there is no unencrypted private key") }
    try self.init(derRepresentation: SecretBytes(bytes), algorithm: algorithm)
  }

  /// Reads a key in DER: PKCS #8 PrivateKeyInfo, ECPrivateKey or RSAPrivateKey. Otherwise the same.
  public convenience init(derRepresentation: SecretBytes, algorithm: SignatureAlgorithm? = nil) throws(CryptoError) {
    guard derRepresentation.count <= 8192 else { throw CryptoError(.invalidKey, "the key is too long") }
    let pointer: OpaquePointer? = derRepresentation.withUnsafeBytes { bytes in
      var cursor = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      return d2i_AutoPrivateKey(nil, &cursor, bytes.count)
    }
    guard let pointer else { throw .library("the key cannot be read", code: .invalidKey) }
    let key = KeyHandle(owning: pointer)
    let (material, implied) = try key.material()
    let chosen = algorithm ?? implied
    guard chosen == implied || (chosen.isRSA && implied.isRSA)
    else { throw CryptoError(.invalidKey, "the key is not of this algorithm") }
    try self.init(material: material, algorithm: chosen)
    try checkConsistency()
  }
}

extension KeyHandle {
  /// The key in the form `PrivateKey` keeps, with the algorithm its kind implies.
  fileprivate func material() throws(CryptoError) -> (SecretBytes, SignatureAlgorithm) {
    switch EVP_PKEY_get_base_id(pointer) {
    case EVP_PKEY_EC: return try ecMaterial()
    case EVP_PKEY_ED25519:
      let seed = try SecretBytes(count: 32) { (output) throws(CryptoError) in
        var count = output.count
        guard
          EVP_PKEY_get_raw_private_key(
            pointer, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &count) == 1, count == 32
        else { throw .library("the key has no seed", code: .invalidKey) }
      }
      return (seed, .edDSA)
    case EVP_PKEY_RSA:
      let count = Int(i2d_PrivateKey(pointer, nil))
      guard (1...8192).contains(count) else { throw .library("the key cannot be written", code: .invalidKey) }
      let material = try SecretBytes(count: count) { (output) throws(CryptoError) in
        var cursor = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard i2d_PrivateKey(pointer, &cursor) == CInt(count) else {
          throw .library("the key cannot be written", code: .invalidKey)
        }
      }
      return (material, .rs256)
    default: throw CryptoError(.invalidKey, "the kind of key is not known")
    }
  }

  private func ecMaterial() throws(CryptoError) -> (SecretBytes, SignatureAlgorithm) {
    let curve: EllipticCurve
    switch EVP_PKEY_get_bits(pointer) {
    case 256: curve = .p256
    case 384: curve = .p384
    case 521: curve = .p521
    default: throw CryptoError(.invalidKey, "the curve is not known")
    }
    var name = [CChar](repeating: 0, count: 64)
    var nameCount = 0
    guard EVP_PKEY_get_utf8_string_param(pointer, "group", &name, name.count, &nameCount) == 1,
      curve.libraryNames.contains(String(decoding: name.prefix(nameCount).map(UInt8.init(bitPattern:)), as: UTF8.self))
    else { throw .library("the curve is not known", code: .invalidKey) }
    var scalar: OpaquePointer?
    guard EVP_PKEY_get_bn_param(pointer, "priv", &scalar) == 1, let scalar else {
      throw .library("the key has no scalar", code: .invalidKey)
    }
    defer { BN_clear_free(scalar) }
    var point = [UInt8](repeating: 0, count: curve.pointSize)
    var count = 0
    guard EVP_PKEY_get_octet_string_param(pointer, "pub", &point, point.count, &count) == 1, count == point.count else {
      throw .library("the key has no uncompressed point", code: .invalidKey)
    }
    let size = curve.coordinateSize
    let material = try SecretBytes(count: size + point.count) { (output) throws(CryptoError) in
      let base = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      guard BN_bn2binpad(scalar, base, CInt(size)) == CInt(size) else { throw .library("the scalar is too wide") }
      for (index, byte) in point.enumerated() { output[size + index] = byte }
    }
    return (material, curve.algorithm)
  }
}

extension EllipticCurve {
  /// What OpenSSL may call the curve when it has read a key.
  fileprivate var libraryNames: [String] {
    switch self {
    case .p256: ["prime256v1", "P-256"]
    case .p384: ["secp384r1", "P-384"]
    case .p521: ["secp521r1", "P-521"]
    }
  }
}
