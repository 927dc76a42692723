/// A JSON text as a value that loses nothing: integers stay integers, other numbers keep their digits, objects keep the
/// order of their members.
public enum JSONValue: Hashable, Sendable {
  /// The word `null`.
  case null
  /// The word `true` or `false`.
  case bool(Bool)
  /// A number written without fraction and exponent that fits 64 bits. `-0` is not one.
  case integer(Int64)
  /// Any other number.
  case number(JSONNumber)
  /// A string, unescaped.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Named values in order, each name once.
  case object(JSONObject)

  /// The number nearest to `value`; null for infinities and NaN, which JSON cannot say.
  public static func double(_ value: Double) -> JSONValue { JSONNumber(value).map(JSONValue.number) ?? .null }
}

// MARK: - Reading a value of a known type

/// Absent and of another type are both nil; nothing is converted.
extension JSONValue {
  /// Whether this is `null`.
  public var isNull: Bool { self == .null }

  /// `true` or `false`; nil for numbers and strings.
  public var boolValue: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// An integer that was written as one: neither `true`, `"1"`, `1.0` nor `1e0`.
  public var intValue: Int? {
    guard case .integer(let value) = self else { return nil }
    return Int(exactly: value)
  }

  /// A number whose value is whole and below 2^53 in magnitude, however it was written: `60`, `60.0`, `6e1`.
  public var wholeNumberValue: Int? {
    if let intValue { return intValue }
    guard case .number(let number) = self, let value = number.doubleValue, abs(value) < 9_007_199_254_740_992 else {
      return nil
    }
    return Int(exactly: value)
  }

  /// Any number, rounded to the nearest double; nil when it is too large for one.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let number): number.doubleValue
    default: nil
    }
  }

  /// The text of a string.
  public var stringValue: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The elements of an array.
  public var arrayValue: [JSONValue]? {
    guard case .array(let value) = self else { return nil }
    return value
  }

  /// The members of an object.
  public var objectValue: JSONObject? {
    guard case .object(let value) = self else { return nil }
    return value
  }

  /// The member of an object; nil when there is none or this is no object.
  public subscript(name: String) -> JSONValue? { objectValue?[name] }

  /// The element of an array; nil when there is none or this is no array.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}

// MARK: - Literals

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// A name that occurs twice keeps its first place and its last value.
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}
