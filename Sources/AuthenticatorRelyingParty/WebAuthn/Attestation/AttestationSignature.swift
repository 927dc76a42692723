import AuthenticatorCrypto

/// Signatures of attestation keys, which may use more algorithms than credentials.
enum AttestationSignature {
  /// The hash of an algorithm by its COSE number; nil for algorithms without one and unknown ones.
  static func hash(of algorithm: Int) -> LegacyAttestation.Hash? {
    switch algorithm {
    case -7, -9, -37, -257: .sha256
    case -35, -51, -258: .sha384
    case -36, -52, -259: .sha512
    case -65535: .sha1
    default: nil
    }
  }

  /// Throws `attestationAlgorithmMismatch` when the algorithm is unknown or not one of the key, and
  /// `attestationSignatureInvalid` when the bytes are no signature of the message.
  static func verify(
    _ signature: [UInt8], for message: [UInt8], key: PublicKey, algorithm: Int
  ) throws(WebAuthnVerificationError) {
    guard try isValid(signature, for: message, key: key, algorithm: algorithm) else {
      throw WebAuthnVerificationError(.attestationSignatureInvalid, "the signature is not one of this credential")
    }
  }

  private static func isValid(
    _ bytes: [UInt8], for message: [UInt8], key: PublicKey, algorithm: Int
  ) throws(WebAuthnVerificationError) -> Bool {
    let mismatch = WebAuthnVerificationError(
      .attestationAlgorithmMismatch, "the algorithm is unknown or not one of the key")
    let name: SignatureAlgorithm
    switch algorithm {
    case -7, -9: name = .es256
    case -35, -51: name = .es384
    case -36, -52: name = .es512
    case -8, -19: name = .edDSA
    case -257: name = .rs256
    case -37: name = .ps256
    case -258, -259, -65535:
      guard case .rsa = key.kind, let hash = hash(of: algorithm) else { throw mismatch }
      return (try? LegacyAttestation.isValidRSASignature(bytes, for: message, key: key, hash: hash)) ?? false
    default: throw mismatch
    }
    guard key.supports(name) else { throw mismatch }
    guard let signature = try? Signature(der: bytes, algorithm: name) else { return false }
    return (try? key.isValidSignature(signature, for: message)) ?? false
  }
}
