internal import COpenSSL

/// Elliptic-curve Diffie-Hellman (SP 800-56A section 5.7.1.2).
extension PrivateKey {
  /// The x coordinate that two keys of one curve agree on.
  ///
  /// Throws `CryptoError.Code.unsupportedAlgorithm` unless both keys are on the same NIST curve. That the peer's point
  /// is on the curve was checked when its key was made.
  public func sharedSecret(with peer: PublicKey) throws(CryptoError) -> SecretBytes {
    guard let curve = publicKey.curve, curve == peer.curve else {
      throw CryptoError(.unsupportedAlgorithm, "the keys are not on one curve")
    }
    let (key, peerKey) = (try makeHandle(), try KeyHandle(peer))
    guard let context = EVP_PKEY_CTX_new(key.pointer, nil) else {
      throw .library("no room for an agreement", code: .outOfMemory)
    }
    defer { EVP_PKEY_CTX_free(context) }
    return try SecretBytes(count: curve.coordinateSize) { (output) throws(CryptoError) in
      var count = output.count
      guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peerKey.pointer) == 1,
        EVP_PKEY_derive(context, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &count) == 1,
        count == output.count
      else { throw .library("the keys agree on nothing") }
    }
  }
}
