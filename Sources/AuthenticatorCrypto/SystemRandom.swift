internal import COpenSSL

/// The operating system's random source, through OpenSSL's generator.
public enum SystemRandom {
  /// `count` unpredictable bytes; none for a count of zero or less.
  /// Throws `CryptoError.Code.libraryFailed` when the generator is not seeded.
  public static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
    guard count > 0, let size = Int32(exactly: count) else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    guard RAND_bytes(&bytes, size) == 1 else { throw CryptoError(.libraryFailed, "the random generator has no seed") }
    return bytes
  }
}
