public import AuthenticatorCoding
public import AuthenticatorCrypto

/// A public JSON Web Key (RFC 7517; EC and RSA: RFC 7518 section 6, Ed25519: RFC 8037).
public struct JWK: Hashable, Sendable {
  /// The key itself.
  public var key: PublicKey
  /// `kid`
  public var keyID: String?
  /// `use`; `sig` for signing keys.
  public var use: String?
  /// `alg`
  public var algorithm: SignatureAlgorithm?

  /// Makes a JWK of a key; members left nil are not written.
  public init(_ key: PublicKey, keyID: String? = nil, use: String? = nil, algorithm: SignatureAlgorithm? = nil) {
    self.key = key
    self.keyID = keyID
    self.use = use
    self.algorithm = algorithm
  }

  /// Reads a key; members this module does not know are ignored.
  ///
  /// Throws `JOSEError.Code.invalidKey` for a malformed key, one that holds private parts, or one whose `alg` or `use`
  /// does not let it check signatures.
  public init(_ object: JSONObject) throws(JOSEError) {
    for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] where object[name] != nil {
      throw JOSEError(.invalidKey, "the key holds private parts")
    }
    key = try Self.readKey(object)
    keyID = try Self.text("kid", of: object)
    use = try Self.text("use", of: object)
    algorithm = try Self.text("alg", of: object).map(SignatureAlgorithm.init(rawValue:))
    guard use == nil || use == "sig" else { throw JOSEError(.invalidKey, "the key is not for signatures") }
    if let algorithm, !key.supports(algorithm) { throw JOSEError(.invalidKey, "alg does not go with the key") }
  }

  private static func text(_ name: String, of object: JSONObject) throws(JOSEError) -> String? {
    guard let value = object[name] else { return nil }
    guard let text = value.stringValue else { throw JOSEError(.invalidKey, "a member is not a string") }
    return text
  }

  private static func bytes(_ name: String, of object: JSONObject) throws(JOSEError) -> [UInt8] {
    guard let text = object[name]?.stringValue, text.utf8.count <= 2048 else {
      throw JOSEError(.invalidKey, "a number is missing, not a string or too long")
    }
    do { return try Base64URL.decode(text) } catch { throw JOSEError(.invalidKey, "a number is not base64url") }
  }

  private static func readKey(_ object: JSONObject) throws(JOSEError) -> PublicKey {
    let type = object["kty"]?.stringValue
    do {
      switch type {
      case "EC":
        guard let curve = object["crv"]?.stringValue.flatMap(EllipticCurve.init(rawValue:)) else {
          throw JOSEError(.invalidKey, "the curve is not known")
        }
        return try PublicKey(ec: curve, x: try bytes("x", of: object), y: try bytes("y", of: object))
      case "OKP":
        guard object["crv"]?.stringValue == "Ed25519" else { throw JOSEError(.invalidKey, "the curve is not known") }
        return try PublicKey(ed25519: try bytes("x", of: object))
      case "RSA":
        return try PublicKey(rsaModulus: try bytes("n", of: object), exponent: try bytes("e", of: object))
      default: throw JOSEError(.invalidKey, "the key type is not known")
      }
    } catch let error as JOSEError {
      throw error
    } catch {
      throw JOSEError(.invalidKey, "the key was refused", underlying: error as? CryptoError)
    }
  }

  /// The members that make up the key, in the order of their names (RFC 7638 section 3.2).
  private var required: JSONObject {
    switch key.kind {
    case .ec(let curve, let x, let y):
      [
        "crv": .string(curve.rawValue), "kty": "EC", "x": .string(Base64URL.encode(x)),
        "y": .string(Base64URL.encode(y)),
      ]
    case .ed25519(let bytes): ["crv": "Ed25519", "kty": "OKP", "x": .string(Base64URL.encode(bytes))]
    case .rsa(let modulus, let exponent):
      ["e": .string(Base64URL.encode(exponent)), "kty": "RSA", "n": .string(Base64URL.encode(modulus))]
    }
  }

  /// The key as a JSON object: `kty`, the key's numbers, then `use`, `alg` and `kid` as far as set.
  public var json: JSONObject {
    var object = JSONObject()
    object["kty"] = required["kty"]
    for member in required.members where member.name != "kty" { object[member.name] = member.value }
    if let use { object["use"] = .string(use) }
    if let algorithm { object["alg"] = .string(algorithm.rawValue) }
    if let keyID { object["kid"] = .string(keyID) }
    return object
  }

  /// The SHA-256 thumbprint of RFC 7638: 32 bytes that depend on the key alone.
  public var thumbprint: [UInt8] { SHA256.hash(required.serialized()) }
}
