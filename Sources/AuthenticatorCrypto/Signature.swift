/// A signature with the algorithm that made it, in both forms protocols use.
///
/// JOSE wants the two numbers of an ECDSA signature side by side, COSE and UAF want them in DER; here one value yields
/// both. EdDSA and RSA signatures have one form only, and both properties return it.
public struct Signature: Hashable, Sendable {
  /// The algorithm that made the signature.
  public let algorithm: SignatureAlgorithm
  /// ECDSA: r and s, each as wide as the curve's coordinates (RFC 7518 section 3.4). Ed25519: 64 bytes. RSA: as wide
  /// as the modulus.
  public let rawRepresentation: [UInt8]

  /// Takes the raw form.
  ///
  /// Throws `CryptoError.Code.invalidSignature` for a wrong length or an r or s outside 1..<n, and
  /// `unsupportedAlgorithm` for an algorithm this module does not compute.
  public init(raw bytes: [UInt8], algorithm: SignatureAlgorithm) throws(CryptoError) {
    if let curve = algorithm.curve {
      let size = curve.coordinateSize
      guard bytes.count == 2 * size else {
        throw CryptoError(.invalidSignature, "a raw ECDSA signature has twice the width of a coordinate")
      }
      let group = CurveGroup.of(curve)
      guard group.isScalar(bytes[..<size]), group.isScalar(bytes[size...]) else {
        throw CryptoError(.invalidSignature, "r or s is out of range")
      }
    } else if algorithm == .edDSA {
      guard bytes.count == 64 else { throw CryptoError(.invalidSignature, "an Ed25519 signature has 64 bytes") }
    } else if algorithm.isRSA {
      guard (256...1024).contains(bytes.count) else {
        throw CryptoError(.invalidSignature, "an RSA signature has 256 to 1,024 bytes")
      }
    } else {
      throw CryptoError(.unsupportedAlgorithm, "the algorithm is not known")
    }
    self.algorithm = algorithm
    rawRepresentation = bytes
  }

  /// For the numbers of a signature just made.
  init(unchecked bytes: [UInt8], algorithm: SignatureAlgorithm) {
    self.algorithm = algorithm
    rawRepresentation = bytes
  }

  /// Takes the DER form of an ECDSA signature, `SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 section 2.2.3), or the
  /// only form of the other algorithms.
  ///
  /// Strict: shortest lengths and integers, nothing after the sequence, 1 <= r, s < n. Errors as
  /// `init(raw:algorithm:)`.
  public init(der bytes: [UInt8], algorithm: SignatureAlgorithm) throws(CryptoError) {
    guard let curve = algorithm.curve else {
      self = try Signature(raw: bytes, algorithm: algorithm)
      return
    }
    let size = curve.coordinateSize
    var outer = DERReader(bytes)
    guard let content = outer.read(tag: 0x30), outer.isAtEnd else {
      throw CryptoError(.invalidSignature, "not a DER sequence")
    }
    var numbers = DERReader(content)
    guard let r = numbers.readUnsigned(), let s = numbers.readUnsigned(), numbers.isAtEnd else {
      throw CryptoError(.invalidSignature, "not two DER integers")
    }
    guard r.count <= size, s.count <= size else { throw CryptoError(.invalidSignature, "r or s is out of range") }
    var raw = [UInt8](repeating: 0, count: 2 * size)
    raw.replaceSubrange(size - r.count..<size, with: r)
    raw.replaceSubrange(2 * size - s.count..<2 * size, with: s)
    self = try Signature(raw: raw, algorithm: algorithm)
  }

  /// The DER form of an ECDSA signature; the same bytes as `rawRepresentation` for other algorithms.
  public var derRepresentation: [UInt8] {
    guard let size = algorithm.curve?.coordinateSize else { return rawRepresentation }
    var numbers: [UInt8] = []
    numbers.reserveCapacity(2 * size + 6)
    DER.append(unsigned: rawRepresentation[..<size], to: &numbers)
    DER.append(unsigned: rawRepresentation[size...], to: &numbers)
    var sequence: [UInt8] = []
    sequence.reserveCapacity(numbers.count + 3)
    DER.append(tag: 0x30, numbers, to: &sequence)
    return sequence
  }
}
