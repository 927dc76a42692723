import AuthenticatorCoding
internal import AuthenticatorCrypto

/// A signature algorithm with the form of its signatures (Registry of Predefined Values 1.1 section 3.6.1).
public struct UAFSignatureForm: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// ECDSA on P-256 with SHA-256: r and s, 32 bytes each.
  public static let es256Raw = UAFSignatureForm(rawValue: 0x0001)
  /// The same in DER.
  public static let es256DER = UAFSignatureForm(rawValue: 0x0002)
  /// RSASSA-PSS with 2,048 bits, SHA-256 and a salt of 32 bytes: 256 bytes.
  public static let ps256Raw = UAFSignatureForm(rawValue: 0x0003)
  /// The same in a DER OCTET STRING.
  public static let ps256DER = UAFSignatureForm(rawValue: 0x0004)
  /// RSASSA-PKCS1-v1_5 with 2,048 bits and SHA-256: 256 bytes.
  public static let rs256Raw = UAFSignatureForm(rawValue: 0x0008)
  /// The same in a DER OCTET STRING.
  public static let rs256DER = UAFSignatureForm(rawValue: 0x0009)

  /// The forms that are verified here; all hash with SHA-256.
  public static let supported: [UAFSignatureForm] = [
    .es256Raw, .es256DER, .ps256Raw, .ps256DER, .rs256Raw, .rs256DER,
  ]

  var algorithm: SignatureAlgorithm? {
    switch self {
    case .es256Raw, .es256DER: .es256
    case .ps256Raw, .ps256DER: .ps256
    case .rs256Raw, .rs256DER: .rs256
    default: nil
    }
  }

  /// Whether the bytes, in this form, are a signature of the message by the key.
  ///
  /// Throws `algorithmUnsupported`, `publicKeyInvalid` for a key of another kind or size, and `signatureFormInvalid`.
  func isValid(
    _ bytes: ArraySlice<UInt8>, for message: ArraySlice<UInt8>, by key: PublicKey
  ) throws(UAFVerificationError) -> Bool {
    guard let algorithm else { throw UAFVerificationError(.algorithmUnsupported, "the algorithm is not computed here") }
    try Self.check(key, algorithm)
    let signature = try signature(bytes, algorithm)
    do throws(CryptoError) { return try key.isValidSignature(signature, for: Array(message)) } catch {
      throw UAFVerificationError(.publicKeyInvalid, "the key cannot be used")
    }
  }

  /// That a key is one for the algorithm; RSA keys have 2,048 bits.
  static func check(_ key: PublicKey, _ algorithm: SignatureAlgorithm) throws(UAFVerificationError) {
    guard key.supports(algorithm) else {
      throw UAFVerificationError(.publicKeyInvalid, "the key is not one for the algorithm")
    }
    if case .rsa(let modulus, _) = key.kind, modulus.count != Self.rsaBytes {
      throw UAFVerificationError(.publicKeyInvalid, "the key has not 2,048 bits")
    }
  }

  static let rsaBytes = 256
  private static let octetStringHead: [UInt8] = [0x04, 0x82, 0x01, 0x00]

  private func signature(
    _ bytes: ArraySlice<UInt8>, _ algorithm: SignatureAlgorithm
  ) throws(UAFVerificationError) -> Signature {
    let malformed = UAFVerificationError(.signatureFormInvalid, "the signature has not the form of its algorithm")
    do throws(CryptoError) {
      switch self {
      case .es256Raw: return try Signature(raw: Array(bytes), algorithm: algorithm)
      case .es256DER: return try Signature(der: Array(bytes), algorithm: algorithm)
      case .ps256Raw, .rs256Raw:
        guard bytes.count == Self.rsaBytes else { throw CryptoError(.invalidSignature, "not 256 bytes") }
        return try Signature(raw: Array(bytes), algorithm: algorithm)
      default:
        guard bytes.starts(with: Self.octetStringHead), bytes.count == Self.rsaBytes + Self.octetStringHead.count else {
          throw CryptoError(.invalidSignature, "not an OCTET STRING of 256 bytes")
        }
        return try Signature(raw: Array(bytes.dropFirst(Self.octetStringHead.count)), algorithm: algorithm)
      }
    } catch { throw malformed }
  }
}

/// The form of a public key (Registry of Predefined Values 1.1 section 3.6.2). The curve follows from the algorithm.
public struct UAFKeyForm: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `04 || X || Y`.
  public static let ecRaw = UAFKeyForm(rawValue: 0x0100)
  /// SubjectPublicKeyInfo of a named curve.
  public static let ecDER = UAFKeyForm(rawValue: 0x0101)
  /// n of 256 bytes, then e.
  public static let rsaRaw = UAFKeyForm(rawValue: 0x0102)
  /// RSAPublicKey of PKCS #1; a SubjectPublicKeyInfo is read too, since some vendors put one there.
  public static let rsaDER = UAFKeyForm(rawValue: 0x0103)

  /// More bytes than a key of a supported kind has.
  static let maximumBytes = 1024

  /// Reads a key for signatures of this form.
  ///
  /// Throws `algorithmUnsupported`, `publicKeyFormMismatch` for a form that is unknown or of another kind of key, and
  /// `publicKeyInvalid`.
  func key(_ bytes: [UInt8], for signature: UAFSignatureForm) throws(UAFVerificationError) -> PublicKey {
    guard let algorithm = signature.algorithm else {
      throw UAFVerificationError(.algorithmUnsupported, "the algorithm is not computed here")
    }
    let isEC = self == .ecRaw || self == .ecDER
    guard isEC || self == .rsaRaw || self == .rsaDER, isEC == (algorithm == .es256) else {
      throw UAFVerificationError(.publicKeyFormMismatch, "the key's form is not one for the algorithm")
    }
    guard bytes.count <= Self.maximumBytes else { throw UAFVerificationError(.publicKeyInvalid, "the key is too long") }
    let key: PublicKey
    do throws(CryptoError) { key = try read(bytes) } catch {
      throw UAFVerificationError(.publicKeyInvalid, "the key cannot be read")
    }
    try UAFSignatureForm.check(key, algorithm)
    return key
  }

  private func read(_ bytes: [UInt8]) throws(CryptoError) -> PublicKey {
    switch self {
    case .ecRaw: return try PublicKey(x963Representation: bytes)
    case .ecDER: return try PublicKey(subjectPublicKeyInfo: bytes)
    case .rsaRaw:
      guard bytes.count > UAFSignatureForm.rsaBytes else { throw CryptoError(.invalidKey, "there is no exponent") }
      return try PublicKey(
        rsaModulus: Array(bytes[..<UAFSignatureForm.rsaBytes]), exponent: Array(bytes[UAFSignatureForm.rsaBytes...]))
    default:
      if let key = try? PublicKey(subjectPublicKeyInfo: bytes) { return key }
      return try PublicKey(subjectPublicKeyInfo: Self.subjectPublicKeyInfo(bytes))
    }
  }

  /// rsaEncryption with NULL.
  private static let algorithmIdentifier: [UInt8] = [
    0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]

  /// The RSAPublicKey with the algorithm's name around it; what is inside is read strictly afterwards.
  private static func subjectPublicKeyInfo(_ key: [UInt8]) -> [UInt8] {
    let bits = element(0x03, [0] + key)
    return element(0x30, algorithmIdentifier + bits)
  }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    switch content.count {
    case 0..<0x80: [tag, UInt8(content.count)] + content
    case 0x80..<0x100: [tag, 0x81, UInt8(content.count)] + content
    default:
      [tag, 0x82, UInt8(truncatingIfNeeded: content.count >> 8), UInt8(truncatingIfNeeded: content.count)] + content
    }
  }
}
