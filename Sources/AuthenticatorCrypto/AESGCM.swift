internal import COpenSSL

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D) with nonces of 96 bits and tags of 128 bits.
///
/// A nonce must never be used twice with one key.
public enum AESGCM {
  /// The length of a key in bytes.
  public static let keyCount = 32
  /// The length of a nonce in bytes.
  public static let nonceCount = 12
  /// The length of the tag that follows the ciphertext, in bytes.
  public static let tagCount = 16

  /// The longest message, 64 MiB: far below the mode's own bound and within the C library's lengths.
  public static let maximumCount = 1 << 26

  /// Encrypts, and authenticates the additional data with it. The result is the ciphertext followed by the tag.
  ///
  /// Throws `CryptoError.Code.invalidParameter` for a key, nonce or message of another length.
  public static func seal(
    _ plaintext: [UInt8], with key: SecretBytes, nonce: [UInt8], additionalData: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try plaintext.withUnsafeBytes { buffer in
      Result { () throws(CryptoError) in
        try seal(buffer: buffer, with: key, nonce: nonce, additionalData: additionalData)
      }
    }.get()
  }

  /// Encrypts a secret; otherwise the same.
  public static func seal(
    _ plaintext: SecretBytes, with key: SecretBytes, nonce: [UInt8], additionalData: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try plaintext.withUnsafeBytes { buffer throws(CryptoError) in
      try seal(buffer: buffer, with: key, nonce: nonce, additionalData: additionalData)
    }
  }

  /// Decrypts what `seal` made.
  ///
  /// Throws `CryptoError.Code.authenticationFailed` when the message, its additional data, the nonce or the key is not
  /// the one it was sealed with; nothing of the plaintext is released then.
  public static func open(
    _ sealed: [UInt8], with key: SecretBytes, nonce: [UInt8], additionalData: [UInt8] = []
  ) throws(CryptoError) -> SecretBytes {
    guard sealed.count >= tagCount else { throw CryptoError(.authenticationFailed, "the message has no tag") }
    return try SecretBytes(count: sealed.count - tagCount) { output throws(CryptoError) in
      try open(sealed, into: output, with: key, nonce: nonce, additionalData: additionalData)
    }
  }

  /// Decrypts what `seal` made of a message that is private but no key, into ordinary memory: much cheaper where many
  /// records are read. Otherwise the same.
  public static func openMessage(
    _ sealed: [UInt8], with key: SecretBytes, nonce: [UInt8], additionalData: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try AESGCMOpener(key: key).openMessage(sealed, nonce: nonce, additionalData: additionalData)
  }

  private static func open(
    _ sealed: [UInt8], into output: UnsafeMutableRawBufferPointer, with key: SecretBytes, nonce: [UInt8],
    additionalData: [UInt8]
  ) throws(CryptoError) {
    try AESGCMOpener(key: key).open(sealed[...], into: output, nonce: nonce, additionalData: additionalData)
  }

  private static func seal(
    buffer: UnsafeRawBufferPointer, with key: SecretBytes, nonce: [UInt8], additionalData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    let context = try start(key: key, nonce: nonce, messageCount: buffer.count, dataCount: additionalData.count)
    var isDone = false
    let sealed = [UInt8](unsafeUninitializedCapacity: buffer.count + tagCount) { output, produced in
      output.initialize(repeating: 0)
      produced = output.count
      guard let base = output.baseAddress else { return }
      var written: CInt = 0
      let pointer = context.pointer
      let isSetUp = key.withUnsafeBytes { key in
        EVP_EncryptInit_ex2(
          pointer, AESGCMContext.cipher.pointer, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, nil)
      }
      isDone =
        isSetUp == 1
        && (additionalData.isEmpty
          || EVP_EncryptUpdate(pointer, nil, &written, additionalData, CInt(additionalData.count)) == 1)
        && (buffer.isEmpty
          || EVP_EncryptUpdate(
            pointer, base, &written, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(buffer.count)) == 1)
        && EVP_EncryptFinal_ex(pointer, base + buffer.count, &written) == 1
        && EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_GET_TAG, CInt(tagCount), base + buffer.count) == 1
    }
    guard isDone else { throw .library("AES-GCM failed") }
    return sealed
  }

  private static func start(
    key: SecretBytes, nonce: [UInt8], messageCount: Int, dataCount: Int
  ) throws(CryptoError) -> AESGCMContext {
    guard key.count == keyCount else { throw CryptoError(.invalidParameter, "an AES-256 key has 32 bytes") }
    try check(nonceCount: nonce.count, messageCount: messageCount, dataCount: dataCount)
    return try AESGCMContext()
  }

  static func check(nonceCount: Int, messageCount: Int, dataCount: Int) throws(CryptoError) {
    guard nonceCount == Self.nonceCount else { throw CryptoError(.invalidParameter, "a nonce has 12 bytes") }
    guard messageCount <= maximumCount, dataCount <= maximumCount else {
      throw CryptoError(.invalidParameter, "the message is too long")
    }
  }
}

/// A cipher's state; used by whoever made it alone.
final class AESGCMContext {
  /// Looked up once: the look-up costs more than sealing a key.
  static let cipher = Cipher()

  final class Cipher: @unchecked Sendable {
    // Unchecked because of the C pointer: the algorithm description is only read.
    let pointer = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    deinit { EVP_CIPHER_free(pointer) }
  }

  let pointer: OpaquePointer

  init() throws(CryptoError) {
    guard let pointer = EVP_CIPHER_CTX_new() else { throw .library("no room for a cipher", code: .outOfMemory) }
    self.pointer = pointer
  }

  deinit { EVP_CIPHER_CTX_free(pointer) }
}
