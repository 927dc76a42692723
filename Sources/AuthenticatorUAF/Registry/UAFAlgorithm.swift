import AuthenticatorCoding
import AuthenticatorCrypto

/// A signature algorithm with its encoding (FIDO Registry, section "Authentication Algorithms"). Open.
public struct UAFAlgorithm: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// ECDSA on P-256 with SHA-256, r and s in 32 bytes each.
  public static let secp256r1ECDSASHA256Raw = Self(rawValue: 0x01)
  /// ECDSA on P-256 with SHA-256, DER.
  public static let secp256r1ECDSASHA256DER = Self(rawValue: 0x02)
  /// RSASSA-PSS, 2048 bits, SHA-256, 256 bytes.
  public static let rsaPSSSHA256Raw = Self(rawValue: 0x03)
  /// RSASSA-PSS, 2048 bits, SHA-256, in a DER OCTET STRING.
  public static let rsaPSSSHA256DER = Self(rawValue: 0x04)
  /// RSASSA-PKCS1-v1_5, 2048 bits, SHA-256, 256 bytes.
  public static let rsaPKCS1SHA256Raw = Self(rawValue: 0x08)
  /// RSASSA-PKCS1-v1_5, 2048 bits, SHA-256, in a DER OCTET STRING.
  public static let rsaPKCS1SHA256DER = Self(rawValue: 0x09)

  /// The algorithms that signatures can be made with here.
  public static let supported: [UAFAlgorithm] = [
    .secp256r1ECDSASHA256Raw, .secp256r1ECDSASHA256DER, .rsaPSSSHA256Raw, .rsaPSSSHA256DER, .rsaPKCS1SHA256Raw,
    .rsaPKCS1SHA256DER,
  ]

  /// What a key store makes a key for; nil for an algorithm that is not supported.
  public var signatureAlgorithm: SignatureAlgorithm? {
    switch self {
    case .secp256r1ECDSASHA256Raw, .secp256r1ECDSASHA256DER: .es256
    case .rsaPSSSHA256Raw, .rsaPSSSHA256DER: .ps256
    case .rsaPKCS1SHA256Raw, .rsaPKCS1SHA256DER: .rs256
    default: nil
    }
  }

  /// The form of the public key that goes with it unless a model says otherwise.
  public var usualKeyFormat: UAFPublicKeyFormat {
    switch self {
    case .secp256r1ECDSASHA256DER: .eccX962DER
    case .rsaPSSSHA256Raw, .rsaPKCS1SHA256Raw: .rsa2048Raw
    case .rsaPSSSHA256DER, .rsaPKCS1SHA256DER: .rsa2048DER
    default: .eccX962Raw
    }
  }

  /// The most bytes that a signature has in this algorithm's encoding.
  var maximumSignatureCount: Int {
    switch self {
    case .secp256r1ECDSASHA256Raw: 64
    case .secp256r1ECDSASHA256DER: 72
    case .rsaPSSSHA256DER, .rsaPKCS1SHA256DER: 260
    default: 256
    }
  }

  /// A signature in this algorithm's encoding.
  /// - Throws: `unsupportedAlgorithm` for a signature of another kind.
  func encode(_ signature: Signature) throws(CryptoError) -> [UInt8] {
    guard signature.algorithm == signatureAlgorithm else {
      throw CryptoError(.unsupportedAlgorithm, "the signature is of another algorithm than the model's")
    }
    switch self {
    case .secp256r1ECDSASHA256DER: return signature.derRepresentation
    case .rsaPSSSHA256DER, .rsaPKCS1SHA256DER: return DERText.octetString(signature.rawRepresentation)
    default: return signature.rawRepresentation
    }
  }
}

/// The form of a public key (FIDO Registry, section "Public Key Representation Formats"). Open.
public struct UAFPublicKeyFormat: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// An uncompressed point, 65 bytes.
  public static let eccX962Raw = Self(rawValue: 0x100)
  /// A SubjectPublicKeyInfo of an elliptic curve.
  public static let eccX962DER = Self(rawValue: 0x101)
  /// The modulus in 256 bytes, then the exponent.
  public static let rsa2048Raw = Self(rawValue: 0x102)
  /// A PKCS #1 RSAPublicKey.
  public static let rsa2048DER = Self(rawValue: 0x103)

  /// The most bytes that a key has in this form, with the exponent 65,537.
  var maximumCount: Int {
    switch self {
    case .eccX962Raw: 65
    case .eccX962DER: 91
    case .rsa2048Raw: 259
    default: 270
    }
  }

  /// A key in this form.
  /// - Throws: `invalidKey` for a key that has no such form.
  func encode(_ key: PublicKey) throws(CryptoError) -> [UInt8] {
    switch (self, key.kind) {
    case (.eccX962Raw, .ec):
      guard let point = key.x963Representation else { break }
      return point
    case (.eccX962DER, .ec): return key.subjectPublicKeyInfo
    case (.rsa2048Raw, .rsa(let modulus, let exponent)) where modulus.count == 256: return modulus + exponent
    case (.rsa2048DER, .rsa(let modulus, let exponent)): return DERText.rsaPublicKey(modulus, exponent)
    default: break
    }
    throw CryptoError(.invalidKey, "the key has no such form")
  }
}

/// How a key is attested (FIDO Registry, section "Attestation Types"). Open.
public struct UAFAttestationType: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// By a key that the vendor certified for the model.
  public static let basicFull = Self(rawValue: 0x3E07)
  /// By the new key itself.
  public static let basicSurrogate = Self(rawValue: 0x3E08)
}

/// The two DER forms that the registry wraps around RSA.
private enum DERText {
  static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }

  static func rsaPublicKey(_ modulus: [UInt8], _ exponent: [UInt8]) -> [UInt8] {
    element(0x30, integer(modulus) + integer(exponent))
  }

  private static func integer(_ magnitude: [UInt8]) -> [UInt8] {
    var content = Array(magnitude.drop { $0 == 0 })
    if content.first.map({ $0 >= 0x80 }) ?? true { content.insert(0, at: 0) }
    return element(0x02, content)
  }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length: [UInt8] =
      switch count {
      case 0..<0x80: [UInt8(count)]
      case 0x80..<0x100: [0x81, UInt8(count)]
      default: [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
      }
    return [tag] + length + content
  }
}
