internal import COpenSSLShims

/// SHA-256 (FIPS 180-4), in one call or piece by piece. A copy goes on independently.
public struct SHA256: Sendable {
  /// The length of a digest.
  public static let byteCount = 32

  // OpenSSL's state is plain memory; an array gives it value semantics.
  private var state: [UInt8]

  /// Starts a new hash.
  public init() {
    state = [UInt8](repeating: 0, count: authkit_sha256_state_size())
    state.withUnsafeMutableBytes { authkit_sha256_start($0.baseAddress) }
  }

  /// Appends a piece of the message.
  public mutating func update(_ bytes: some Sequence<UInt8>) {
    let isDone: ()? = bytes.withContiguousStorageIfAvailable { update(buffer: UnsafeRawBufferPointer($0)) }
    if isDone == nil { Array(bytes).withUnsafeBytes { update(buffer: $0) } }
  }

  private mutating func update(buffer: UnsafeRawBufferPointer) {
    guard !buffer.isEmpty else { return }
    state.withUnsafeMutableBytes { authkit_sha256_update($0.baseAddress, buffer.baseAddress, buffer.count) }
  }

  /// The digest of everything so far; more may follow.
  public func finalized() -> [UInt8] {
    var state = state
    return state.withUnsafeMutableBytes { state in
      digest(byteCount: Self.byteCount) { authkit_sha256_finish(state.baseAddress, $0) }
    }
  }

  /// The 32-byte digest of a message.
  public static func hash(_ message: [UInt8]) -> [UInt8] {
    digest(byteCount: byteCount) { authkit_sha256(message, message.count, $0) }
  }

  /// The 32-byte digest of a text's UTF-8.
  public static func hash(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { buffer in
      digest(byteCount: byteCount) { authkit_sha256(buffer.baseAddress, buffer.count, $0) }
    }
  }

  /// The 32-byte digest of a slice of a message.
  public static func hash(_ message: ArraySlice<UInt8>) -> [UInt8] {
    message.withUnsafeBytes { buffer in
      digest(byteCount: byteCount) { authkit_sha256(buffer.baseAddress, buffer.count, $0) }
    }
  }
}

/// SHA-384 (FIPS 180-4).
public enum SHA384: Sendable {
  /// The length of a digest.
  public static let byteCount = 48

  /// The 48-byte digest of a message.
  public static func hash(_ message: [UInt8]) -> [UInt8] {
    digest(byteCount: byteCount) { authkit_sha384(message, message.count, $0) }
  }
}

/// SHA-512 (FIPS 180-4).
public enum SHA512: Sendable {
  /// The length of a digest.
  public static let byteCount = 64

  /// The 64-byte digest of a message.
  public static func hash(_ message: [UInt8]) -> [UInt8] {
    digest(byteCount: byteCount) { authkit_sha512(message, message.count, $0) }
  }
}

/// Makes an array of a digest that a C function writes.
func digest(byteCount: Int, _ fill: (UnsafeMutablePointer<UInt8>?) -> Void) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
    fill(buffer.baseAddress)
    count = byteCount
  }
}
