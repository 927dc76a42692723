import AuthenticatorCoding

/// A random UUID (RFC 9562, version 4) as text.
enum UUIDText {
  /// - Parameter random: 16 bytes; shorter input is padded with zeros.
  static func make(from random: [UInt8]) -> String {
    var bytes = Array((random + [UInt8](repeating: 0, count: 16)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let hex = Array(Hex.encode(bytes).uppercased())
    return [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]].map { String($0) }
      .joined(separator: "-")
  }
}
