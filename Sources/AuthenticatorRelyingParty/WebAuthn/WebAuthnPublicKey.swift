import AuthenticatorCBOR
import AuthenticatorCrypto

/// A credential's public key as a relying party keeps it: the COSE bytes it received, and what they say (RFC 9053
/// section 7, RFC 8230 section 4, WebAuthn Level 3 section 6.5.1.1). The verifying side's own reading.
public struct WebAuthnPublicKey: Hashable, Sendable {
  /// The key as received, in COSE.
  public let coseBytes: [UInt8]
  /// The algorithm's number in COSE.
  public let algorithm: Int
  /// The algorithm.
  public let signatureAlgorithm: SignatureAlgorithm
  /// The key without its algorithm.
  public let publicKey: PublicKey

  /// Reads a key that is exactly these bytes.
  ///
  /// Throws `algorithmUnsupported` or `publicKeyInvalid`.
  public init(coseBytes: [UInt8]) throws(WebAuthnVerificationError) {
    let value: CBORValue
    do throws(CBORError) { value = try CBORValue.decode(coseBytes, limits: .message, keyOrder: .any) } catch {
      throw WebAuthnVerificationError(.publicKeyInvalid, "the key is not one CBOR item")
    }
    try self.init(value, coseBytes: coseBytes)
  }

  init(_ value: CBORValue, coseBytes: [UInt8]) throws(WebAuthnVerificationError) {
    guard case .map(let map) = value else {
      throw WebAuthnVerificationError(.publicKeyInvalid, "the key is not a map")
    }
    guard let algorithm = map[3]?.intValue else {
      throw WebAuthnVerificationError(.publicKeyInvalid, "the key names no algorithm")
    }
    let members = Members(map: map)
    let key: (SignatureAlgorithm, PublicKey)
    switch algorithm {
    case -7, -9: key = (.es256, try members.point(.p256, number: 1))
    case -35, -51: key = (.es384, try members.point(.p384, number: 2))
    case -36, -52: key = (.es512, try members.point(.p521, number: 3))
    case -8, -19: key = (.edDSA, try members.ed25519())
    case -257: key = (.rs256, try members.rsa())
    case -37: key = (.ps256, try members.rsa())
    default: throw WebAuthnVerificationError(.algorithmUnsupported, "the key's algorithm is not known")
    }
    self.coseBytes = coseBytes
    self.algorithm = algorithm
    (signatureAlgorithm, publicKey) = key
  }

  /// The algorithm a key names, without a look at the rest of it.
  static func algorithm(of value: CBORValue) -> Int? { value[3]?.intValue }

  /// Whether the bytes are a signature of the message by this key, in the form WebAuthn sends: DER for ECDSA.
  public func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
    guard let signature = try? Signature(der: signature, algorithm: signatureAlgorithm) else { return false }
    return (try? publicKey.isValidSignature(signature, for: message)) ?? false
  }
}

/// The members of a key's map; each kind has exactly its own.
private struct Members {
  let map: CBORMap

  private func check(count: Int, type: Int, curve: Int? = nil) throws(WebAuthnVerificationError) {
    guard map[1]?.intValue == type else {
      throw WebAuthnVerificationError(.publicKeyInvalid, "the key's type is not the algorithm's")
    }
    guard curve == nil || map[-1]?.intValue == curve else {
      throw WebAuthnVerificationError(.publicKeyInvalid, "the key's curve is not the algorithm's")
    }
    guard map.count == count else {
      throw WebAuthnVerificationError(.publicKeyInvalid, "the key has other members than its kind")
    }
  }

  private func bytes(_ label: CBORValue) throws(WebAuthnVerificationError) -> [UInt8] {
    guard let bytes = map[label]?.bytesValue else {
      throw WebAuthnVerificationError(.publicKeyInvalid, "a member of the key is missing or not a byte string")
    }
    return bytes
  }

  func point(_ curve: EllipticCurve, number: Int) throws(WebAuthnVerificationError) -> PublicKey {
    try check(count: 5, type: 2, curve: number)
    let (x, y) = (try bytes(-2), try bytes(-3))
    return try key { () throws(CryptoError) in try PublicKey(ec: curve, x: x, y: y) }
  }

  func ed25519() throws(WebAuthnVerificationError) -> PublicKey {
    try check(count: 4, type: 1, curve: 6)
    let x = try bytes(-2)
    return try key { () throws(CryptoError) in try PublicKey(ed25519: x) }
  }

  func rsa() throws(WebAuthnVerificationError) -> PublicKey {
    try check(count: 4, type: 3)
    let (modulus, exponent) = (try bytes(-1), try bytes(-2))
    return try key { () throws(CryptoError) in try PublicKey(rsaModulus: modulus, exponent: exponent) }
  }

  private func key(_ make: () throws(CryptoError) -> PublicKey) throws(WebAuthnVerificationError) -> PublicKey {
    do throws(CryptoError) { return try make() } catch {
      throw WebAuthnVerificationError(.publicKeyInvalid, "the key's numbers are refused")
    }
  }
}
