internal import COpenSSLShims

/// HMAC with SHA-256 (RFC 2104, RFC 4231).
public enum HMACSHA256 {
  /// The 32-byte code of a message.
  public static func authenticationCode(for message: [UInt8], key: SecretBytes) -> [UInt8] {
    authenticationCode(for: message[...], key: key)
  }

  /// The 32-byte code of a slice of a message.
  public static func authenticationCode(for message: ArraySlice<UInt8>, key: SecretBytes) -> [UInt8] {
    message.withUnsafeBytes { message in key.withUnsafeBytes { key in code(for: message, key: key) } }
  }

  /// Whether `code` is the code of the message; the time taken does not depend on where they differ.
  public static func isValid(_ code: [UInt8], for message: ArraySlice<UInt8>, key: SecretBytes) -> Bool {
    ConstantTime.equals(code, authenticationCode(for: message, key: key))
  }

  /// Whether `code` is the code of the message; the time taken does not depend on where they differ.
  public static func isValid(_ code: [UInt8], for message: [UInt8], key: SecretBytes) -> Bool {
    isValid(code, for: message[...], key: key)
  }

  static func code(for message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) -> [UInt8] {
    digest(byteCount: 32) {
      authkit_hmac_sha256(key.baseAddress, key.count, message.baseAddress, message.count, $0)
    }
  }
}
