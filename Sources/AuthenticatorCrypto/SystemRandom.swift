internal import COpenSSL
internal import COpenSSLShims

/// Random bytes: of the kernel, and where they stay secret of OpenSSL's generator, seeded from it.
public enum SystemRandom {
  /// The most bytes one call yields: 1 MiB.
  public static let maximumCount = 1 << 20

  /// Bytes for public use: nonces, salts, identifiers.
  public static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
    try check(count)
    var isDone = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, produced in
      buffer.initialize(repeating: 0)
      isDone = authkit_random(buffer.baseAddress, count) == 1
      produced = count
    }
    guard isDone else { throw .library("the random generator failed") }
    return bytes
  }

  /// Bytes that stay secret, from the generator OpenSSL keeps apart for them.
  public static func secret(_ count: Int) throws(CryptoError) -> SecretBytes {
    try check(count)
    return try SecretBytes(count: count) { buffer throws(CryptoError) in
      guard count == 0 || RAND_priv_bytes(buffer.baseAddress, CInt(count)) == 1 else {
        throw .library("the random generator failed")
      }
    }
  }

  private static func check(_ count: Int) throws(CryptoError) {
    guard (0...maximumCount).contains(count) else {
      throw CryptoError(.invalidParameter, "random bytes come in 0 to 1,048,576")
    }
  }
}
