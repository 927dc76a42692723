internal import COpenSSL

/// Bytes that must not leak: a PIN, a key, a token.
///
/// The buffer is owned, never copied by this type, kept out of swap where the process may lock memory, and overwritten
/// when the last reference goes. It has no textual form: descriptions, dumps and mirrors show a fixed word.
public final class SecretBytes: @unchecked Sendable {
  // Unchecked because of the raw pointer: the memory behind it is written in the initializer only, before the
  // reference can be shared, and freed by `deinit`, after the last one is gone.
  private let place: SecretArena.Place

  private var storage: UnsafeMutableRawPointer { place.pointer }

  /// The number of bytes.
  public let count: Int

  /// Takes over bytes.
  ///
  /// The source is overwritten when nobody else holds it; a caller that keeps a copy keeps a leak.
  public convenience init(_ bytes: consuming [UInt8]) {
    let count = bytes.count
    self.init(count: count) { buffer in
      bytes.withUnsafeBytes { buffer.copyMemory(from: $0) }
    }
    bytes.withUnsafeMutableBytes { source in
      if let base = source.baseAddress, !source.isEmpty { OPENSSL_cleanse(base, source.count) }
    }
  }

  /// Makes a secret in place: `fill` receives exactly `count` zeroed bytes (none for a negative count).
  public init<Failure: Error>(
    count: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let count = max(count, 0)
    place = SecretArena.process.take(count)
    self.count = count
    try fill(UnsafeMutableRawBufferPointer(start: storage, count: count))
  }

  deinit {
    OPENSSL_cleanse(storage, count)
    SecretArena.process.give(place)
  }

  /// Lends the bytes; the pointer is dead after the call.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: storage, count: count))
  }

  /// Whether two secrets hold the same bytes, in a time that depends on their lengths only.
  public func matches(_ other: SecretBytes) -> Bool {
    count == other.count && CRYPTO_memcmp(storage, other.storage, count) == 0
  }

  /// Whether the secret holds these bytes, in a time that depends on the lengths only.
  public func matches(_ bytes: [UInt8]) -> Bool {
    count == bytes.count
      && bytes.withUnsafeBytes { CRYPTO_memcmp(storage, $0.baseAddress ?? UnsafeRawPointer(storage), count) == 0 }
  }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A fixed word.
  public var description: String { "SecretBytes(redacted)" }
  /// The same fixed word.
  public var debugDescription: String { description }
  /// Empty, so that dumps show nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
