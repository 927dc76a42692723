internal import AuthenticatorCoding

/// The name of a public key credential: 1 to 1,023 bytes (WebAuthn Level 3 section 4, "credential ID").
public struct CredentialID: Hashable, Sendable {
  /// The greatest number of bytes.
  public static let maximumSize = 1023

  /// The bytes as they go over the wire.
  public let bytes: [UInt8]

  /// Nil when there are no bytes or too many.
  public init?(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard (1...Self.maximumSize).contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  /// The form in JSON: base64url without padding.
  public func base64URLEncodedString() -> String { Base64URL.encode(bytes) }
}

/// The 16 bytes that name an authenticator's model.
public struct AAGUID: Hashable, Sendable, CustomStringConvertible {
  /// All zero: the model is not told.
  public static let zero = AAGUID(checked: [UInt8](repeating: 0, count: 16))

  /// The bytes as they go over the wire.
  public let bytes: [UInt8]

  private init(checked bytes: [UInt8]) { self.bytes = bytes }

  /// Nil unless there are exactly 16 bytes.
  public init?(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Takes the form 8-4-4-4-12, in either case; nil for anything else.
  public init?(text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], let bytes = try? Hex.decode(groups.joined()) else { return nil }
    self.init(bytes)
  }

  /// The form 8-4-4-4-12 in lower case.
  public var description: String {
    [bytes[..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10...]].map { Hex.encode($0) }
      .joined(separator: "-")
  }
}
