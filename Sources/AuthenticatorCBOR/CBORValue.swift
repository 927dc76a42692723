/// A CBOR data item (RFC 8949) without tags, as CTAP2 allows them.
///
/// Numbers keep their kind and floating-point numbers their bits, so encoding what was decoded strictly gives the same
/// bytes.
public enum CBORValue: Hashable, Sendable {
  /// Major type 0.
  case unsigned(UInt64)
  /// Major type 1; the number is `-1 - n`, which may lie below `Int64.min`.
  case negative(UInt64)
  /// Major type 2.
  case bytes([UInt8])
  /// Major type 3.
  case text(String)
  /// Major type 4.
  case array([CBORValue])
  /// Major type 5.
  case map(CBORMap)
  /// Simple values 20 and 21.
  case bool(Bool)
  /// Simple value 22.
  case null
  /// Simple value 23.
  case undefined
  /// Any other simple value.
  case simple(CBORSimpleValue)
  /// Half, single or double precision.
  case float(CBORFloat)

  /// A signed integer as major type 0 or 1.
  public static func integer(_ value: Int) -> CBORValue {
    value >= 0 ? .unsigned(UInt64(value)) : .negative(UInt64(~value))
  }
}

// MARK: - Reading a value of a known type

/// Absent and of another type are both nil; nothing is converted.
extension CBORValue {
  /// An integer that fits `Int`.
  public var intValue: Int? {
    switch self {
    case .unsigned(let value): Int(exactly: value)
    case .negative(let value): Int(exactly: value).map { ~$0 }
    default: nil
    }
  }

  /// The content of a byte string.
  public var bytesValue: [UInt8]? {
    guard case .bytes(let value) = self else { return nil }
    return value
  }

  /// The content of a text string.
  public var textValue: String? {
    guard case .text(let value) = self else { return nil }
    return value
  }

  /// The elements of an array.
  public var arrayValue: [CBORValue]? {
    guard case .array(let value) = self else { return nil }
    return value
  }

  /// The pairs of a map.
  public var mapValue: CBORMap? {
    guard case .map(let value) = self else { return nil }
    return value
  }

  /// A truth value.
  public var boolValue: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// The value under a key of a map; nil when there is none or this is no map.
  public subscript(key: CBORValue) -> CBORValue? {
    guard case .map(let map) = self else { return nil }
    return map[key]
  }
}

// MARK: - Literals

extension CBORValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(stringLiteral value: String) { self = .text(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: CBORValue...) { self = .array(elements) }
  /// A key that occurs twice keeps its last value.
  public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) { self = .map(CBORMap(elements)) }
}
