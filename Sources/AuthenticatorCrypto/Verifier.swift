internal import COpenSSL

/// A public key made ready to check many signatures of one algorithm; may be used from several threads at once.
public final class Verifier: Sendable {
  /// The key signatures are checked with.
  public let publicKey: PublicKey
  /// The only algorithm whose signatures are accepted.
  public let algorithm: SignatureAlgorithm
  private let key: KeyHandle
  private let contexts: SignatureContextPool

  /// Throws `CryptoError.Code.unsupportedAlgorithm` when the key is not one for the algorithm.
  public init(_ publicKey: PublicKey, algorithm: SignatureAlgorithm) throws(CryptoError) {
    guard publicKey.supports(algorithm) else {
      throw CryptoError(.unsupportedAlgorithm, "the algorithm does not go with the key")
    }
    self.publicKey = publicKey
    self.algorithm = algorithm
    key = try KeyHandle(publicKey)
    contexts = SignatureContextPool(key, algorithm, .verify)
  }

  /// Whether the signature is one of the message by this key. A signature of another algorithm is not.
  public func isValidSignature(_ signature: Signature, for message: [UInt8]) throws(CryptoError) -> Bool {
    guard signature.algorithm == algorithm else { return false }
    guard let digest = algorithm.digest(of: message) else { return try isValidEdDSA(signature, for: message) }
    let bytes = signature.derRepresentation
    return try contexts.withContext { (context) throws(CryptoError) in
      let status = EVP_PKEY_verify(context, bytes, bytes.count, digest, digest.count)
      if status != 1 { ERR_clear_error() }
      return status == 1
    }
  }

  private func isValidEdDSA(_ signature: Signature, for message: [UInt8]) throws(CryptoError) -> Bool {
    guard let context = EVP_MD_CTX_new() else { throw .library("no room for an operation", code: .outOfMemory) }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestVerifyInit(context, nil, nil, nil, key.pointer) == 1 else {
      throw .library("the key cannot be used")
    }
    let bytes = signature.rawRepresentation
    let status = EVP_DigestVerify(context, bytes, bytes.count, message, message.count)
    if status != 1 { ERR_clear_error() }
    return status == 1
  }
}

extension PublicKey {
  /// Whether the signature is one of the message by this key.
  ///
  /// For more than one signature, keep a `Verifier`. Throws `CryptoError.Code.unsupportedAlgorithm` when the
  /// signature's algorithm does not go with the key.
  public func isValidSignature(_ signature: Signature, for message: [UInt8]) throws(CryptoError) -> Bool {
    try Verifier(self, algorithm: signature.algorithm).isValidSignature(signature, for: message)
  }
}
