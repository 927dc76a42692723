internal import COpenSSL

/// A public key made ready to check many signatures of one algorithm; may be used from several threads at once.
public final class Verifier: Sendable {
  /// The key signatures are checked with.
  public let publicKey: PublicKey
  /// The only algorithm whose signatures are accepted.
  public let algorithm: SignatureAlgorithm
  private let key: Key

  private enum Key {
    case curve(CurveKey)
    case other(KeyHandle, SignatureContextPool)
  }

  /// Throws `CryptoError.Code.unsupportedAlgorithm` when the key is not one for the algorithm.
  public init(_ publicKey: PublicKey, algorithm: SignatureAlgorithm) throws(CryptoError) {
    guard publicKey.supports(algorithm) else {
      throw CryptoError(.unsupportedAlgorithm, "the algorithm does not go with the key")
    }
    self.publicKey = publicKey
    self.algorithm = algorithm
    if let curve = publicKey.curve, let point = publicKey.x963Representation {
      let key = try point.withUnsafeBytes { point in
        Result { () throws(CryptoError) in try CurveKey(curve, point: point) }
      }.get()
      self.key = .curve(key)
    } else {
      let key = try KeyHandle(publicKey)
      self.key = .other(key, SignatureContextPool(key, algorithm, .verify))
    }
  }

  /// Whether the signature is one of the message by this key. A signature of another algorithm is not.
  public func isValidSignature(_ signature: Signature, for message: [UInt8]) throws(CryptoError) -> Bool {
    guard signature.algorithm == algorithm else { return false }
    let digest = algorithm.digest(of: message)
    let bytes = signature.rawRepresentation
    switch (key, digest) {
    case (.curve(let key), let digest?): return key.isValid(bytes, digest: digest)
    case (.curve, nil): return false
    case (.other(let key, _), nil): return try isValidEdDSA(signature, for: message, key)
    case (.other(_, let contexts), let digest?):
      return try contexts.withContext { (context) throws(CryptoError) in
        let status = EVP_PKEY_verify(context, bytes, bytes.count, digest, digest.count)
        if status != 1 { ERR_clear_error() }
        return status == 1
      }
    }
  }

  private func isValidEdDSA(
    _ signature: Signature, for message: [UInt8], _ key: KeyHandle
  ) throws(CryptoError) -> Bool {
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
