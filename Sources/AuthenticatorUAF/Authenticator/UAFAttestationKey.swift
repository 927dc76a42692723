import AuthenticatorCore
import AuthenticatorCrypto

/// The key with which a vendor attests that a new key is of a model (basic full attestation).
public struct UAFAttestationKey: Sendable {
  let key: PrivateKey
  let algorithm: UAFAlgorithm
  package let chain: [[UInt8]]

  /// - Parameters:
  ///   - algorithm: how signatures are encoded; must be one that the key can make.
  ///   - chain: DER certificates; the first is the key's, each further one issued the one before.
  /// - Throws: `invalidRequest` when key, algorithm and first certificate do not belong together, the key is an RSA key
  ///   of another size than the algorithms' 2048 bits, or a certificate did not issue the one before it.
  public init(key: PrivateKey, algorithm: UAFAlgorithm, chain: [[UInt8]]) throws {
    guard !chain.isEmpty else { throw Self.mismatch("there is no certificate") }
    guard algorithm.signatureAlgorithm == key.algorithm else {
      throw Self.mismatch("the key does not sign with the algorithm")
    }
    if case .rsa(let modulus, _) = key.publicKey.kind {
      // The registry's RSA algorithms have one size, in which readers take keys and signatures.
      let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
      guard bits == 2048 else { throw Self.mismatch("the key is an RSA key of \(bits) bits, not 2048") }
    }
    var before: X509Certificate?
    for (index, bytes) in chain.enumerated() {
      do {
        let certificate = try X509Certificate(derRepresentation: bytes)
        if let before {
          guard certificate != before, certificate.subject == before.issuer else {
            throw Self.mismatch("certificate \(index + 1) did not issue the one before it")
          }
          let time = max(before.notBefore, certificate.notBefore)
          try TrustAnchors([certificate]).verify([before], at: time)
        } else if try certificate.publicKey() != key.publicKey {
          throw Self.mismatch("the first certificate is not the key's")
        }
        before = certificate
      } catch let error as CryptoError {
        let what = index == 0 ? "cannot be used" : "cannot be read or did not issue the one before it"
        throw Self.mismatch("certificate \(index + 1) \(what)", error)
      }
    }
    self.key = key
    self.algorithm = algorithm
    self.chain = chain
  }

  private static func mismatch(_ reason: String, _ error: CryptoError? = nil) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "uaf.attestation", reason: reason, underlying: error)
  }
}
