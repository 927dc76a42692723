/// A JSON number by its text. Two numbers are equal when they are written alike: `1.0` and `1.00` differ.
public struct JSONNumber: Hashable, Sendable {
  /// The number as JSON writes it.
  public let text: String

  /// Takes text that follows the grammar of RFC 8259 section 6; nil for any other.
  public init?(text: String) {
    var copy = text
    let length = copy.withUTF8 { buffer -> Int? in
      guard let base = buffer.baseAddress else { return nil }
      var scanner = JSONNumberScanner(base: base, end: buffer.count, offset: 0)
      return scanner.scan() == nil ? nil : scanner.offset
    }
    guard length == copy.utf8.count else { return nil }
    self.text = text
  }

  /// The shortest text that reads back as this value; nil for infinities and NaN.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    text = "\(value)"
  }

  /// For text the parser has checked.
  init(checked text: String) { self.text = text }

  /// The nearest double; nil when the magnitude is too large for one.
  public var doubleValue: Double? {
    guard let value = Double(text), value.isFinite else { return nil }
    return value
  }
}

/// Walks over one number.
struct JSONNumberScanner {
  enum Found {
    case integer(Int64)
    case other
  }

  let base: UnsafePointer<UInt8>
  let end: Int
  var offset: Int

  private var next: UInt8 { offset < end ? base[offset] : 0 }

  private mutating func skipDigits() -> Bool {
    let start = offset
    while next &- 0x30 < 10 { offset += 1 }
    return offset > start
  }

  /// Scans a number that begins at `offset`; nil when the grammar is broken, with `offset` at the break.
  mutating func scan() -> Found? {
    let isNegative = next == UInt8(ascii: "-")
    if isNegative { offset += 1 }
    var magnitude: UInt64 = 0
    var fits = true
    if next == UInt8(ascii: "0") {
      offset += 1
    } else {
      let start = offset
      while next &- 0x30 < 10 {
        let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
        let (sum, carry) = product.addingReportingOverflow(UInt64(next &- 0x30))
        if overflow || carry { fits = false }
        magnitude = sum
        offset += 1
      }
      guard offset > start else { return nil }
    }
    var isInteger = true
    if next == UInt8(ascii: ".") {
      isInteger = false
      offset += 1
      guard skipDigits() else { return nil }
    }
    if next | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      offset += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
      guard skipDigits() else { return nil }
    }
    guard isInteger, fits else { return .other }
    if !isNegative { return Int64(exactly: magnitude).map(Found.integer) ?? .other }
    guard magnitude > 0, magnitude <= UInt64(Int64.max) + 1 else { return .other }
    return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
  }
}
