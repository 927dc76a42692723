internal import COpenSSL

/// Operations on secrets that reveal nothing by their timing or by what they leave behind.
public enum ConstantTime {
  /// Whether two byte strings are equal; the time depends on the lengths only.
  public static func equals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return left.isEmpty || CRYPTO_memcmp(left, right, left.count) == 0
  }

  /// Overwrites an array that is about to go out of use. An array that is shared is copied first, so the other holder
  /// keeps its bytes.
  public static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { buffer in
      if let base = buffer.baseAddress, !buffer.isEmpty { OPENSSL_cleanse(base, buffer.count) }
    }
  }
}
