internal import COpenSSL

/// Decrypts many messages that were sealed with one key, which is set up once: that costs more than a short message.
///
/// OpenSSL holds the key in ordinary memory until this goes, and overwrites it then. Make one for a run through
/// records, not for keeps.
public final class AESGCMOpener {
  private let context: AESGCMContext

  /// Sets the key up.
  ///
  /// Throws `CryptoError.Code.invalidParameter` for a key of another length.
  public init(key: SecretBytes) throws(CryptoError) {
    guard key.count == AESGCM.keyCount else {
      throw CryptoError(.invalidParameter, "an AES-256 key has 32 bytes")
    }
    context = try AESGCMContext()
    let pointer = context.pointer
    let isSetUp = key.withUnsafeBytes { key in
      EVP_DecryptInit_ex2(
        pointer, AESGCMContext.cipher.pointer, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, nil)
    }
    guard isSetUp == 1 else { throw .library("AES-GCM failed") }
  }

  /// Decrypts what `AESGCM.seal` made of a message that is private but no key, into ordinary memory; errors as
  /// `AESGCM.open`.
  public func openMessage(
    _ sealed: [UInt8], nonce: [UInt8], additionalData: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try openMessage(sealed[...], nonce: nonce, additionalData: additionalData)
  }

  /// The same for a slice of a longer message.
  public func openMessage(
    _ sealed: ArraySlice<UInt8>, nonce: [UInt8], additionalData: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    let count = try Self.messageCount(sealed)
    var outcome = Result<Void, CryptoError>.success(())
    let message = [UInt8](unsafeUninitializedCapacity: count) { output, produced in
      output.initialize(repeating: 0)
      outcome = Result { () throws(CryptoError) in
        try open(sealed, into: UnsafeMutableRawBufferPointer(output), nonce: nonce, additionalData: additionalData)
      }
      produced = count
    }
    try outcome.get()
    return message
  }

  private static func messageCount(_ sealed: ArraySlice<UInt8>) throws(CryptoError) -> Int {
    guard sealed.count >= AESGCM.tagCount else {
      throw CryptoError(.authenticationFailed, "the message has no tag")
    }
    return sealed.count - AESGCM.tagCount
  }

  /// `output` has the length of the message.
  func open(
    _ sealed: ArraySlice<UInt8>, into output: UnsafeMutableRawBufferPointer, nonce: [UInt8], additionalData: [UInt8]
  ) throws(CryptoError) {
    try AESGCM.check(nonceCount: nonce.count, messageCount: sealed.count, dataCount: additionalData.count)
    let (pointer, count) = (context.pointer, output.count)
    var written: CInt = 0
    var tag = Array(sealed.suffix(AESGCM.tagCount))
    let isRead = sealed.withUnsafeBufferPointer { sealed in
      EVP_DecryptInit_ex2(pointer, nil, nil, nonce, nil) == 1
        && (additionalData.isEmpty
          || EVP_DecryptUpdate(pointer, nil, &written, additionalData, CInt(additionalData.count)) == 1)
        && (count == 0
          || EVP_DecryptUpdate(
            pointer, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &written, sealed.baseAddress,
            CInt(count)) == 1)
        && EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_TAG, CInt(AESGCM.tagCount), &tag) == 1
    }
    guard isRead else { throw .library("AES-GCM failed") }
    var rest: (UInt64, UInt64) = (0, 0)
    let isAuthentic = withUnsafeMutableBytes(of: &rest) { rest in
      EVP_DecryptFinal_ex(pointer, rest.baseAddress?.assumingMemoryBound(to: UInt8.self), &written) == 1
    }
    guard isAuthentic else {
      ERR_clear_error()
      throw CryptoError(.authenticationFailed, "the message does not authenticate")
    }
  }
}
