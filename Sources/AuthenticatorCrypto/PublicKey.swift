/// A public key that passed the checks of its kind: no value of this type is off its curve or of a refused size.
public struct PublicKey: Hashable, Sendable {
  /// What the key consists of. All numbers are big endian.
  public enum Kind: Hashable, Sendable {
    /// A point of a curve; both coordinates have the width `EllipticCurve.coordinateSize`.
    case ec(curve: EllipticCurve, x: [UInt8], y: [UInt8])
    /// 32 bytes (RFC 8032 section 5.1.5).
    case ed25519([UInt8])
    /// Modulus and exponent without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
  }

  /// The key's parts.
  public let kind: Kind

  /// Makes a key from a point's coordinates, each exactly as wide as the curve's field.
  ///
  /// Throws `CryptoError.Code.invalidKey` for a wrong width, a coordinate outside the field or a point off the curve.
  public init(ec curve: EllipticCurve, x: [UInt8], y: [UInt8]) throws(CryptoError) {
    guard x.count == curve.coordinateSize, y.count == curve.coordinateSize else {
      throw CryptoError(.invalidKey, "a coordinate has not the width of the field")
    }
    guard try CurveGroup.of(curve).contains([0x04] + x + y) else {
      throw CryptoError(.invalidKey, "the point is not on the curve")
    }
    kind = .ec(curve: curve, x: x, y: y)
  }

  /// Makes a key from an uncompressed point, `0x04 || x || y`; the length tells the curve (SEC 1 section 2.3.4).
  public init(x963Representation bytes: [UInt8]) throws(CryptoError) {
    guard let curve = EllipticCurve.allCases.first(where: { $0.pointSize == bytes.count }), bytes.first == 0x04 else {
      throw CryptoError(.invalidKey, "not an uncompressed point of a known curve")
    }
    guard try CurveGroup.of(curve).contains(bytes) else {
      throw CryptoError(.invalidKey, "the point is not on the curve")
    }
    kind = .ec(
      curve: curve, x: Array(bytes[1..<1 + curve.coordinateSize]), y: Array(bytes[(1 + curve.coordinateSize)...]))
  }

  /// Makes an Ed25519 key from its 32 bytes, which must name a point of the curve (RFC 8032 section 5.1.3).
  public init(ed25519 bytes: [UInt8]) throws(CryptoError) {
    guard bytes.count == 32 else { throw CryptoError(.invalidKey, "an Ed25519 key has 32 bytes") }
    guard try EdwardsCurve.ed25519.contains(bytes) else {
      throw CryptoError(.invalidKey, "the bytes name no point of the curve")
    }
    kind = .ed25519(bytes)
  }

  /// Makes an RSA key from big-endian numbers without leading zeros.
  ///
  /// The modulus is odd and has 2,048 to 8,192 bits; the exponent is odd, above one and has at most 32 bits.
  public init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
    guard let top = modulus.first, top != 0, let last = modulus.last, last & 1 == 1 else {
      throw CryptoError(.invalidKey, "the modulus is empty, even or has a leading zero")
    }
    guard (256...1024).contains(modulus.count), modulus.count > 256 || top & 0x80 != 0 else {
      throw CryptoError(.invalidKey, "the modulus has not 2,048 to 8,192 bits")
    }
    guard let first = exponent.first, first != 0, exponent.count <= 4, let end = exponent.last, end & 1 == 1,
      exponent != [1]
    else {
      throw CryptoError(.invalidKey, "the exponent is not an odd number from 3 to 32 bits")
    }
    kind = .rsa(modulus: modulus, exponent: exponent)
  }

  /// The curve of an elliptic-curve key; nil for other kinds.
  public var curve: EllipticCurve? {
    guard case .ec(let curve, _, _) = kind else { return nil }
    return curve
  }

  /// The uncompressed point `0x04 || x || y`; nil for keys that are not on a NIST curve.
  public var x963Representation: [UInt8]? {
    guard case .ec(let curve, let x, let y) = kind else { return nil }
    var point: [UInt8] = []
    point.reserveCapacity(curve.pointSize)
    point.append(0x04)
    point.append(contentsOf: x)
    point.append(contentsOf: y)
    return point
  }

  /// Whether a signature of this algorithm can be checked with this key.
  public func supports(_ algorithm: SignatureAlgorithm) -> Bool {
    switch kind {
    case .ec(let curve, _, _): curve.algorithm == algorithm
    case .ed25519: algorithm == .edDSA
    case .rsa: algorithm.isRSA
    }
  }
}
