internal import COpenSSL

/// What only old attestation statements need: hashing with SHA-1 and PKCS #1 signatures with hashes other than SHA-256.
/// Nothing here is for new signatures.
public enum LegacyAttestation {
  /// The hashes a statement may name.
  public enum Hash: Hashable, Sendable {
    /// 20 bytes; broken for new signatures.
    case sha1
    /// 32 bytes.
    case sha256
    /// 48 bytes.
    case sha384
    /// 64 bytes.
    case sha512
  }

  /// The digest of a message.
  public static func digest(of message: [UInt8], _ hash: Hash) -> [UInt8] {
    switch hash {
    case .sha1:
      var digest = [UInt8](repeating: 0, count: 20)
      SHA1(message, message.count, &digest)
      return digest
    case .sha256: return SHA256.hash(message)
    case .sha384: return SHA384.hash(message)
    case .sha512: return SHA512.hash(message)
    }
  }

  /// Whether the bytes are an RSASSA-PKCS1-v1_5 signature of the message by this key. A key of another kind has none.
  public static func isValidRSASignature(
    _ signature: [UInt8], for message: [UInt8], key: PublicKey, hash: Hash
  ) throws(CryptoError) -> Bool {
    guard case .rsa = key.kind else { return false }
    let handle = try KeyHandle(key)
    guard let context = EVP_PKEY_CTX_new(handle.pointer, nil) else {
      throw .library("no room for an operation", code: .outOfMemory)
    }
    defer { EVP_PKEY_CTX_free(context) }
    let algorithm =
      switch hash {
      case .sha1: EVP_sha1()
      case .sha256: EVP_sha256()
      case .sha384: EVP_sha384()
      case .sha512: EVP_sha512()
      }
    guard EVP_PKEY_verify_init(context) == 1, EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1,
      EVP_PKEY_CTX_set_signature_md(context, algorithm) == 1
    else { throw .library("the key cannot be used") }
    let digest = digest(of: message, hash)
    let status = withExtendedLifetime(handle) {
      EVP_PKEY_verify(context, signature, signature.count, digest, digest.count)
    }
    if status != 1 { ERR_clear_error() }
    return status == 1
  }
}
