/// An authenticator model: `VVVV#MMMM`, vendor and model in hexadecimal digits. Case does not matter.
///
/// Vendor codes are assigned by the FIDO Alliance; this package ships none.
public struct AAID: Hashable, Sendable, CustomStringConvertible {
  /// The nine characters as they were given; what is put on the wire.
  public let rawValue: String
  /// The digits, as a number: what two AAIDs are compared by.
  private let number: UInt32

  /// Nil for text that is no AAID.
  public init?(_ text: String) {
    guard text.utf8.count == 9 else { return nil }
    var number: UInt32 = 0
    for (index, byte) in text.utf8.enumerated() {
      if index == 4 {
        guard byte == UInt8(ascii: "#") else { return nil }
      } else {
        guard let digit = Self.digit(byte) else { return nil }
        number = number << 4 | digit
      }
    }
    rawValue = text
    self.number = number
  }

  private static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// The vendor's four digits, in capitals.
  public var vendorID: String { String(rawValue.prefix(4)).uppercased() }
  public var description: String { rawValue }

  /// Whether these are the vendor's four digits.
  func isOf(vendor text: String) -> Bool {
    guard text.utf8.count == 4 else { return false }
    var vendor: UInt32 = 0
    for byte in text.utf8 {
      guard let digit = Self.digit(byte) else { return false }
      vendor = vendor << 4 | digit
    }
    return number >> 16 == vendor
  }

  public static func == (left: AAID, right: AAID) -> Bool { left.number == right.number }
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
