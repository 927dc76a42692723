import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJOSE

extension FuzzTarget {
  /// SubjectPublicKeyInfo in DER and keys as JWK: one key, one form.
  static let publicKey = FuzzTarget(name: "public-key", maximumLength: 2048) { bytes in
    if let key = try? PublicKey(subjectPublicKeyInfo: bytes) {
      try expect(key.subjectPublicKeyInfo == bytes, "a SubjectPublicKeyInfo has one accepted form")
    }
    if let object = (try? JSONValue.parse(bytes))?.objectValue, let jwk = try? JWK(object) {
      try expect((try? JWK(jwk.json))?.key == jwk.key, "a JWK reads back as it was written")
      try expect(jwk.thumbprint.count == 32, "a thumbprint has 32 bytes")
    }
  }

  /// ECDSA signatures: strict DER and raw, which turn into each other.
  static let signature = FuzzTarget(name: "signature", maximumLength: 256) { bytes in
    for algorithm in [SignatureAlgorithm.es256, .es384, .es512] {
      if let signature = try? Signature(der: bytes, algorithm: algorithm) {
        try expect(signature.derRepresentation == bytes, "a DER signature has one accepted form")
        let raw = try? Signature(raw: signature.rawRepresentation, algorithm: algorithm)
        try expect(raw == signature, "a DER signature has a raw form")
      }
      if let signature = try? Signature(raw: bytes, algorithm: algorithm) {
        let der = try? Signature(der: signature.derRepresentation, algorithm: algorithm)
        try expect(der == signature, "a raw signature has a DER form")
      }
    }
  }
}
