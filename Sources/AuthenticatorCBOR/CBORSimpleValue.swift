/// A simple value without a meaning of its own here: 0 to 19 and 32 to 255.
public struct CBORSimpleValue: Hashable, Sendable {
  /// 0 to 19 or 32 to 255.
  public let number: UInt8

  /// Nil for 20 to 23, which are `CBORValue.bool`, `null` and `undefined`, and for 24 to 31, which do not exist.
  public init?(_ number: UInt8) {
    guard !(20...31).contains(number) else { return nil }
    self.number = number
  }
}

/// A floating-point number in the width it was written in; equal when the bits are.
public enum CBORFloat: Hashable, Sendable {
  /// IEEE 754 binary16, by its bits.
  case half(UInt16)
  /// IEEE 754 binary32, by its bits.
  case single(UInt32)
  /// IEEE 754 binary64, by its bits.
  case double(UInt64)

  /// A double-precision number.
  public init(_ value: Double) { self = .double(value.bitPattern) }

  /// The number; every half and single is exact in a double.
  public var doubleValue: Double {
    switch self {
    case .half(let bits): Self.value(ofHalf: bits)
    case .single(let bits): Double(Float(bitPattern: bits))
    case .double(let bits): Double(bitPattern: bits)
    }
  }

  private static func value(ofHalf bits: UInt16) -> Double {
    let fraction = Double(bits & 0x3FF)
    let magnitude: Double =
      switch bits >> 10 & 0x1F {
      case 0: fraction * 0x1p-24
      case 31: fraction == 0 ? .infinity : .nan
      case let exponent: Double(sign: .plus, exponent: Int(exponent) - 25, significand: fraction + 1024)
      }
    return bits & 0x8000 == 0 ? magnitude : -magnitude
  }
}
