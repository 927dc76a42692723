internal import COpenSSL

/// AES-256 in Cipher Block Chaining mode without padding (NIST SP 800-38A), as CTAP2's PIN protocols use it.
///
/// It does not authenticate: what is decrypted must be covered by a code of its own.
public enum AESCBC {
  /// The length of a block and of an initialization vector in bytes.
  public static let blockCount = 16
  /// The longest message: 64 KiB.
  public static let maximumCount = 1 << 16

  /// Encrypts whole blocks.
  ///
  /// Throws `CryptoError.Code.invalidParameter` for a key, vector or message of another length.
  public static func encrypt(
    _ plaintext: SecretBytes, with key: SecretBytes, initializationVector: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
    let outcome = ciphertext.withUnsafeMutableBytes { output in
      plaintext.withUnsafeBytes { input in
        Result { () throws(CryptoError) in try run(1, input, into: output, key, initializationVector) }
      }
    }
    try outcome.get()
    return ciphertext
  }

  /// Decrypts whole blocks. Errors as `encrypt`.
  public static func decrypt(
    _ ciphertext: [UInt8], with key: SecretBytes, initializationVector: [UInt8]
  ) throws(CryptoError) -> SecretBytes {
    try SecretBytes(count: ciphertext.count) { (output) throws(CryptoError) in
      let outcome = ciphertext.withUnsafeBytes { input in
        Result { () throws(CryptoError) in try run(0, input, into: output, key, initializationVector) }
      }
      try outcome.get()
    }
  }

  private static func run(
    _ direction: CInt, _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    _ key: SecretBytes, _ vector: [UInt8]
  ) throws(CryptoError) {
    guard key.count == 32 else { throw CryptoError(.invalidParameter, "an AES-256 key has 32 bytes") }
    guard vector.count == blockCount else { throw CryptoError(.invalidParameter, "a vector has 16 bytes") }
    guard input.count % blockCount == 0, input.count <= maximumCount else {
      throw CryptoError(.invalidParameter, "the message is not made of whole blocks, or too long")
    }
    guard !input.isEmpty else { return }
    guard let context = EVP_CIPHER_CTX_new() else { throw .library("no room for a cipher", code: .outOfMemory) }
    defer { EVP_CIPHER_CTX_free(context) }
    let isSetUp = key.withUnsafeBytes { key in
      EVP_CipherInit_ex2(
        context, EVP_aes_256_cbc(), key.baseAddress?.assumingMemoryBound(to: UInt8.self), vector, direction, nil)
    }
    var (written, rest): (CInt, CInt) = (0, 0)
    let start = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard isSetUp == 1, EVP_CIPHER_CTX_set_padding(context, 0) == 1, let start,
      EVP_CipherUpdate(
        context, start, &written, input.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(input.count)) == 1,
      EVP_CipherFinal_ex(context, start + Int(written), &rest) == 1, written + rest == CInt(output.count)
    else { throw .library("AES-CBC failed") }
  }
}
