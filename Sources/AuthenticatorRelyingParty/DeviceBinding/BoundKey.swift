public import AuthenticatorCoding
public import AuthenticatorCrypto

/// The public key a device binds, from the `jwk` of its proof.
public struct BoundKey: Hashable, Sendable {
  /// The `kid` it is known by.
  public let keyID: String
  /// The key; on P-256.
  public let publicKey: PublicKey
  /// The attestation certificates of `x5c`, DER, the key's own first; nil when the device sent none.
  public let attestationCertificates: [[UInt8]]?

  /// Reads a P-256 key (RFC 7518 section 6.2) that is named like the proof that carries it.
  ///
  /// Throws `DeviceBindingVerificationError` with the check `publicKey`: another kind of key, coordinates of another
  /// length, a point off the curve, a private key, another `kid`, `alg` or `use`.
  public init(jwk: JSONValue?, keyID: String) throws(DeviceBindingVerificationError) {
    guard let jwk = jwk?.objectValue, jwk["kty"] == "EC", jwk["crv"] == "P-256", jwk["d"] == nil,
      (jwk["kid"] ?? .string(keyID)) == .string(keyID), (jwk["alg"] ?? "ES256") == "ES256",
      (jwk["use"] ?? "sig") == "sig",
      let x = Self.coordinate(jwk["x"]), let y = Self.coordinate(jwk["y"]),
      let key = try? PublicKey(ec: .p256, x: x, y: y)
    else { throw DeviceBindingVerificationError(.publicKey) }
    self.keyID = keyID
    publicKey = key
    attestationCertificates = try Self.certificates(jwk["x5c"])
  }

  /// Takes a key that was bound before.
  public init(keyID: String, publicKey: PublicKey) {
    self.keyID = keyID
    self.publicKey = publicKey
    attestationCertificates = nil
  }

  private static func coordinate(_ value: JSONValue?) -> [UInt8]? {
    guard let text = value?.stringValue, let bytes = try? Base64URL.decode(text), bytes.count == 32 else { return nil }
    return bytes
  }

  private static func certificates(_ value: JSONValue?) throws(DeviceBindingVerificationError) -> [[UInt8]]? {
    guard let value else { return nil }
    guard let texts = value.arrayValue, (1...8).contains(texts.count) else {
      throw DeviceBindingVerificationError(.publicKey)
    }
    var certificates: [[UInt8]] = []
    for text in texts {
      // Standard base64, not base64url (RFC 7517 section 4.7).
      guard let text = text.stringValue, let bytes = try? Base64.decode(text), !bytes.isEmpty else {
        throw DeviceBindingVerificationError(.publicKey)
      }
      certificates.append(bytes)
    }
    return certificates
  }

  /// The key as JSON, in the form a device list shows it.
  public var jwk: JSONObject {
    guard case .ec(_, let x, let y) = publicKey.kind else { return [:] }
    return [
      "kty": "EC", "kid": .string(keyID), "use": "sig", "alg": "ES256", "crv": "P-256",
      "x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y)),
    ]
  }
}
