public import AuthenticatorCBOR
public import AuthenticatorCrypto

/// A credential's public key as COSE writes it, always with its algorithm and never with optional parameters
/// (RFC 9052 section 7, RFC 9053 section 7, RFC 8230 section 4; WebAuthn Level 3 sections 5.8.5 and 6.5.1.1).
public struct COSEKey: Hashable, Sendable {
  /// The key without its algorithm.
  public let publicKey: PublicKey
  /// The only algorithm the key is for, by its number.
  public let algorithm: COSEAlgorithmIdentifier

  /// Keeps the number as given. Throws `keyAlgorithmUnsupported` for an unknown one, `keyTypeMismatch` or
  /// `keyCurveMismatch` when key and algorithm do not belong together.
  public init(_ publicKey: PublicKey, algorithm identifier: COSEAlgorithmIdentifier) throws(WebAuthnDataError) {
    guard let signatureAlgorithm = identifier.signatureAlgorithm else {
      throw WebAuthnDataError(.keyAlgorithmUnsupported, member: "alg")
    }
    guard publicKey.supports(signatureAlgorithm) else {
      let bothOnCurves = publicKey.curve != nil && signatureAlgorithm.curve != nil
      throw bothOnCurves
        ? WebAuthnDataError(.keyCurveMismatch, member: "crv") : WebAuthnDataError(.keyTypeMismatch, member: "kty")
    }
    self.publicKey = publicKey
    algorithm = identifier
  }

  /// Uses the number WebAuthn recommends for the algorithm.
  public init(_ publicKey: PublicKey, signatureAlgorithm: SignatureAlgorithm) throws(WebAuthnDataError) {
    guard let identifier = COSEAlgorithmIdentifier(signatureAlgorithm) else {
      throw WebAuthnDataError(.keyAlgorithmUnsupported, member: "alg")
    }
    try self.init(publicKey, algorithm: identifier)
  }

  /// The algorithm without its number; one this module can compute, since no other key can be made.
  public var signatureAlgorithm: SignatureAlgorithm { algorithm.signatureAlgorithm ?? .es256 }
}

// MARK: - CBOR

extension COSEKey {
  private enum Label {
    static let keyType: CBORValue = 1
    static let algorithm: CBORValue = 3
    /// The curve of a point, the modulus of an RSA key.
    static let first: CBORValue = -1
    /// The coordinate x, the exponent of an RSA key.
    static let second: CBORValue = -2
    /// The coordinate y.
    static let third: CBORValue = -3
  }

  private enum KeyType {
    static let octetKeyPair = 1
    static let ellipticCurve = 2
    static let rsa = 3
  }

  private static let ed25519Curve = 6

  private static func number(of curve: EllipticCurve) -> Int {
    switch curve {
    case .p256: 1
    case .p384: 2
    case .p521: 3
    }
  }

  /// Reads a key that is exactly these bytes, in canonical form.
  public init(encoded bytes: [UInt8]) throws(WebAuthnDataError) {
    let value: CBORValue
    do throws(CBORError) { value = try CBORValue.decode(bytes) } catch { throw WebAuthnDataError(.keyNotAMap) }
    try self.init(value)
  }

  /// Reads a key from its map.
  public init(_ value: CBORValue) throws(WebAuthnDataError) {
    guard let map = value.mapValue else { throw WebAuthnDataError(.keyNotAMap) }
    let type = try Self.integer(map, Label.keyType, "kty")
    let algorithm = COSEAlgorithmIdentifier(rawValue: try Self.integer(map, Label.algorithm, "alg"))
    guard let signatureAlgorithm = algorithm.signatureAlgorithm else {
      throw WebAuthnDataError(.keyAlgorithmUnsupported, member: "alg")
    }
    let key: PublicKey
    do {
      if let curve = signatureAlgorithm.curve {
        guard type == KeyType.ellipticCurve else { throw WebAuthnDataError(.keyTypeMismatch, member: "kty") }
        guard try Self.integer(map, Label.first, "crv") == Self.number(of: curve) else {
          throw WebAuthnDataError(.keyCurveMismatch, member: "crv")
        }
        let (x, y) = (try Self.bytes(map, Label.second, "x"), try Self.bytes(map, Label.third, "y"))
        key = try PublicKey(ec: curve, x: x, y: y)
      } else if signatureAlgorithm == .edDSA {
        guard type == KeyType.octetKeyPair else { throw WebAuthnDataError(.keyTypeMismatch, member: "kty") }
        guard try Self.integer(map, Label.first, "crv") == Self.ed25519Curve else {
          throw WebAuthnDataError(.keyCurveMismatch, member: "crv")
        }
        key = try PublicKey(ed25519: try Self.bytes(map, Label.second, "x"))
      } else {
        guard type == KeyType.rsa else { throw WebAuthnDataError(.keyTypeMismatch, member: "kty") }
        let (modulus, exponent) = (try Self.bytes(map, Label.first, "n"), try Self.bytes(map, Label.second, "e"))
        key = try PublicKey(rsaModulus: modulus, exponent: exponent)
      }
    } catch let error as WebAuthnDataError {
      throw error
    } catch {
      throw WebAuthnDataError(.keyInvalid)
    }
    guard map.count == (type == KeyType.ellipticCurve ? 5 : 4) else {
      throw WebAuthnDataError(.keyParameterUnexpected)
    }
    try self.init(key, algorithm: algorithm)
  }

  private static func integer(
    _ map: CBORMap, _ label: CBORValue, _ name: StaticString
  ) throws(WebAuthnDataError) -> Int {
    guard let value = map[label] else { throw WebAuthnDataError(.keyParameterMissing, member: name) }
    guard let number = value.intValue else { throw WebAuthnDataError(.keyParameterType, member: name) }
    return number
  }

  private static func bytes(
    _ map: CBORMap, _ label: CBORValue, _ name: StaticString
  ) throws(WebAuthnDataError) -> [UInt8] {
    guard let value = map[label] else { throw WebAuthnDataError(.keyParameterMissing, member: name) }
    guard let bytes = value.bytesValue else { throw WebAuthnDataError(.keyParameterType, member: name) }
    return bytes
  }

  /// The key as a CBOR map.
  public var cborValue: CBORValue {
    let algorithm = CBORValue.integer(algorithm.rawValue)
    return switch publicKey.kind {
    case .ec(let curve, let x, let y):
      [
        Label.keyType: .integer(KeyType.ellipticCurve), Label.algorithm: algorithm,
        Label.first: .integer(Self.number(of: curve)), Label.second: .bytes(x), Label.third: .bytes(y),
      ]
    case .ed25519(let bytes):
      [
        Label.keyType: .integer(KeyType.octetKeyPair), Label.algorithm: algorithm,
        Label.first: .integer(Self.ed25519Curve), Label.second: .bytes(bytes),
      ]
    case .rsa(let modulus, let exponent):
      [
        Label.keyType: .integer(KeyType.rsa), Label.algorithm: algorithm, Label.first: .bytes(modulus),
        Label.second: .bytes(exponent),
      ]
    }
  }

  /// The key in canonical form.
  public func encoded() -> [UInt8] { cborValue.encoded() }
}
