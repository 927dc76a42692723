extension JSONValue {
  /// Reads one JSON text (RFC 8259), strictly.
  ///
  /// Refused beyond what the grammar refuses: a name that occurs twice in an object, a byte order mark, an escape that
  /// names half of a surrogate pair, and whatever exceeds the limits.
  public static func parse(_ bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) -> JSONValue {
    try parse(bytes[...], limits: limits)
  }

  /// Reads one JSON text that stands in a larger buffer; offsets count from the beginning of the slice.
  public static func parse(_ bytes: ArraySlice<UInt8>, limits: JSONLimits = .default) throws(JSONError) -> JSONValue {
    try bytes.withUnsafeBufferPointer { parse($0, limits) }.get()
  }

  /// Reads one JSON text from a string.
  public static func parse(_ text: String, limits: JSONLimits = .default) throws(JSONError) -> JSONValue {
    var text = text
    return try text.withUTF8 { parse($0, limits) }.get()
  }

  private static func parse(
    _ buffer: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits
  ) -> Result<JSONValue, JSONError> {
    guard let base = buffer.baseAddress else { return .failure(JSONError(.unexpectedEnd, offset: 0)) }
    var parser = JSONParser(base: base, end: buffer.count, limits: limits)
    do throws(JSONError) { return .success(try parser.parseText()) } catch { return .failure(error) }
  }
}

/// A recursive-descent parser over a buffer it does not own. The depth limit bounds the recursion.
struct JSONParser {
  let base: UnsafePointer<UInt8>
  let end: Int
  let limits: JSONLimits
  var offset = 0
  private var depth = 0
  private var values = 0
  /// Reused for strings with escapes.
  var scratch: [UInt8] = []

  init(base: UnsafePointer<UInt8>, end: Int, limits: JSONLimits) {
    self.base = base
    self.end = end
    self.limits = limits
  }

  mutating func parseText() throws(JSONError) -> JSONValue {
    guard end <= limits.bytes else { throw JSONError(.tooLong, offset: limits.bytes) }
    if end >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF { throw JSONError(.byteOrderMark, offset: 0) }
    skipSpace()
    let value = try parseValue()
    skipSpace()
    guard offset == end else { throw error(.trailingContent) }
    return value
  }

  func error(_ kind: JSONError.Kind) -> JSONError {
    JSONError(offset >= end && kind == .unexpectedByte ? .unexpectedEnd : kind, offset: offset)
  }

  private mutating func skipSpace() {
    while offset < end {
      switch base[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  /// The next byte; zero, which no grammar rule wants, at the end.
  var next: UInt8 { offset < end ? base[offset] : 0 }

  private mutating func parseValue() throws(JSONError) -> JSONValue {
    values += 1
    guard values <= limits.values else { throw error(.tooManyValues) }
    switch next {
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "{"): return .object(try parseObject())
    case UInt8(ascii: "["): return .array(try parseArray())
    case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
    case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
    case UInt8(ascii: "n"): return try parseWord("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
    default: throw error(.unexpectedByte)
    }
  }

  private mutating func parseWord(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
    for index in 0..<word.utf8CodeUnitCount {
      guard next == word.utf8Start[index] else { throw error(.unexpectedByte) }
      offset += 1
    }
    return value
  }

  private mutating func parseNumber() throws(JSONError) -> JSONValue {
    var scanner = JSONNumberScanner(base: base, end: end, offset: offset)
    let start = offset
    let found = scanner.scan()
    offset = scanner.offset
    guard let found else { throw JSONError(offset >= end ? .unexpectedEnd : .invalidNumber, offset: offset) }
    guard offset - start <= limits.textBytes else { throw JSONError(.textTooLong, offset: start) }
    switch found {
    case .integer(let value): return .integer(value)
    case .other:
      let text = UnsafeBufferPointer(start: base + start, count: offset - start)
      return .number(JSONNumber(checked: String(decoding: text, as: UTF8.self)))
    }
  }

  private mutating func enter() throws(JSONError) {
    depth += 1
    guard depth <= min(limits.depth, 512) else { throw error(.tooDeep) }
    offset += 1
    skipSpace()
  }

  private mutating func parseArray() throws(JSONError) -> [JSONValue] {
    try enter()
    defer { depth -= 1 }
    var elements: [JSONValue] = []
    if next == UInt8(ascii: "]") {
      offset += 1
      return elements
    }
    while true {
      elements.append(try parseValue())
      skipSpace()
      switch next {
      case UInt8(ascii: ","):
        offset += 1
        skipSpace()
      case UInt8(ascii: "]"):
        offset += 1
        return elements
      default: throw error(.unexpectedByte)
      }
    }
  }

  private mutating func parseObject() throws(JSONError) -> JSONObject {
    try enter()
    defer { depth -= 1 }
    var object = JSONObject()
    if next == UInt8(ascii: "}") {
      offset += 1
      return object
    }
    // Most objects have no more; growing to this step by step would allocate three times.
    object.reserve(4)
    while true {
      guard next == UInt8(ascii: "\"") else { throw error(.unexpectedByte) }
      let start = offset
      let name = try parseString()
      skipSpace()
      guard next == UInt8(ascii: ":") else { throw error(.unexpectedByte) }
      offset += 1
      skipSpace()
      guard object.append(name, try parseValue()) else { throw JSONError(.duplicateMember, offset: start) }
      skipSpace()
      switch next {
      case UInt8(ascii: ","):
        offset += 1
        skipSpace()
      case UInt8(ascii: "}"):
        offset += 1
        return object
      default: throw error(.unexpectedByte)
      }
    }
  }
}
