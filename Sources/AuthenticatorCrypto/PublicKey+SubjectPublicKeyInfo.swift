/// The DER form of public keys (RFC 5280 section 4.1, RFC 5480, RFC 8410, RFC 3279).
extension PublicKey {
  private static let ed25519Prefix: [UInt8] = [
    0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
  ]

  /// The content of the AlgorithmIdentifier of RSA keys: rsaEncryption, NULL.
  private static let rsaAlgorithm: [UInt8] = [
    0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]

  /// Reads a SubjectPublicKeyInfo in strict DER, with nothing after it.
  ///
  /// Curves must be named and points uncompressed. Throws `CryptoError.Code.invalidKey` for anything else.
  public init(subjectPublicKeyInfo bytes: [UInt8]) throws(CryptoError) {
    for curve in EllipticCurve.allCases {
      let prefix = curve.subjectPublicKeyInfoPrefix
      if bytes.count == prefix.count + curve.pointSize, bytes.starts(with: prefix) {
        self = try PublicKey(x963Representation: Array(bytes[prefix.count...]))
        return
      }
    }
    if bytes.count == Self.ed25519Prefix.count + 32, bytes.starts(with: Self.ed25519Prefix) {
      self = try PublicKey(ed25519: Array(bytes[Self.ed25519Prefix.count...]))
      return
    }
    self = try Self.readRSA(bytes)
  }

  private static func readRSA(_ bytes: [UInt8]) throws(CryptoError) -> PublicKey {
    var outer = DERReader(bytes)
    guard let content = outer.read(tag: 0x30), outer.isAtEnd else {
      throw CryptoError(.invalidKey, "not a SubjectPublicKeyInfo")
    }
    var info = DERReader(content)
    guard let algorithm = info.read(tag: 0x30), algorithm.elementsEqual(rsaAlgorithm),
      let bits = info.read(tag: 0x03), info.isAtEnd, bits.first == 0
    else {
      throw CryptoError(.invalidKey, "not the key of a known algorithm")
    }
    var key = DERReader(bits.dropFirst())
    guard let numbers = key.read(tag: 0x30), key.isAtEnd else {
      throw CryptoError(.invalidKey, "not an RSAPublicKey")
    }
    var reader = DERReader(numbers)
    guard let modulus = reader.readUnsigned(), let exponent = reader.readUnsigned(), reader.isAtEnd else {
      throw CryptoError(.invalidKey, "not an RSAPublicKey")
    }
    return try PublicKey(rsaModulus: Array(modulus), exponent: Array(exponent))
  }

  /// The key as a SubjectPublicKeyInfo in DER.
  public var subjectPublicKeyInfo: [UInt8] {
    switch kind {
    case .ec(let curve, let x, let y):
      return curve.subjectPublicKeyInfoPrefix + [0x04] + x + y
    case .ed25519(let bytes):
      return Self.ed25519Prefix + bytes
    case .rsa(let modulus, let exponent):
      var numbers: [UInt8] = []
      DER.append(unsigned: modulus, to: &numbers)
      DER.append(unsigned: exponent, to: &numbers)
      var key: [UInt8] = [0]
      DER.append(tag: 0x30, numbers, to: &key)
      var content: [UInt8] = []
      DER.append(tag: 0x30, Self.rsaAlgorithm, to: &content)
      DER.append(tag: 0x03, key, to: &content)
      var info: [UInt8] = []
      DER.append(tag: 0x30, content, to: &info)
      return info
    }
  }
}
