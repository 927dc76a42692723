import AuthenticatorCoding

/// An authenticator model: `VVVV#MMMM`, vendor and model in hexadecimal digits. Case does not matter.
///
/// Vendor codes are assigned by the FIDO Alliance; this package ships none.
public struct AAID: Hashable, Sendable, CustomStringConvertible {
  /// The nine characters as they were given; what is put on the wire.
  public let rawValue: String
  private let folded: String

  /// Nil for text that is no AAID.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 9, bytes[4] == UInt8(ascii: "#") else { return nil }
    for (index, byte) in bytes.enumerated() where index != 4 {
      guard Hex.isDigit(byte) else { return nil }
    }
    rawValue = text
    folded = text.uppercased()
  }

  /// The vendor's four digits, in capitals.
  public var vendorID: String { String(folded.prefix(4)) }
  public var description: String { rawValue }

  public static func == (left: AAID, right: AAID) -> Bool { left.folded == right.folded }
  public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension Hex {
  fileprivate static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
