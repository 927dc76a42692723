import AuthenticatorCoding

/// The identifier of a registered key: 32 to 2048 bytes, compared byte for byte.
///
/// Ours have 32 random bytes.
public struct UAFKeyID: Hashable, Sendable, CustomStringConvertible {
  /// The bytes, as they stand in assertions.
  public let bytes: [UInt8]

  /// Nil for too few or too many bytes.
  public init?(bytes: [UInt8]) {
    guard (32...2048).contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  /// Reads the form of messages, base64url without padding. Nil for anything else.
  public init?(_ text: String) {
    guard text.utf8.count <= 2731, let bytes = try? Base64URL.decode(text) else { return nil }
    self.init(bytes: bytes)
  }

  public func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }

  /// The form of messages.
  public var description: String { Base64URL.encode(bytes) }
}
