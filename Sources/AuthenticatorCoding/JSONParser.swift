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
    try bytes.withUnsafeBufferPointer { buffer -> Result<JSONValue, JSONError> in
      guard let base = buffer.baseAddress else { return .failure(JSONError(.unexpectedEnd, offset: 0)) }
      var parser = JSONParser(base: base, end: buffer.count, limits: limits)
      do throws(JSONError) { return .success(try parser.parseText()) } catch { return .failure(error) }
    }.get()
  }

  /// Reads one JSON text from a string.
  public static func parse(_ text: String, limits: JSONLimits = .default) throws(JSONError) -> JSONValue {
    try parse(Array(text.utf8), limits: limits)
  }
}

/// A recursive-descent parser over a buffer it does not own. The depth limit bounds the recursion.
struct JSONParser {
  private let base: UnsafePointer<UInt8>
  private let end: Int
  private let limits: JSONLimits
  private var offset = 0
  private var depth = 0
  private var values = 0
  /// Reused for strings with escapes.
  private var scratch: [UInt8] = []

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

  private func error(_ kind: JSONError.Kind) -> JSONError {
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
  private var next: UInt8 { offset < end ? base[offset] : 0 }

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

// MARK: - Strings

extension JSONParser {
  /// Moves over bytes that stand for themselves; tells whether all of them were ASCII.
  private mutating func skipPlain() -> Bool {
    var high: UInt64 = 0
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    // Eight bytes at once, as long as none is a quote, a backslash or a control character. The usual zero-byte test:
    // (v - 1) & ~v has its top bit set in a byte that was zero.
    while end - offset >= 8 {
      let word = UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let slash = word ^ (ones &* 0x5C)
      let stops = ((quote &- ones) & ~quote | (slash &- ones) & ~slash | (word &- ones &* 0x20) & ~word) & tops
      if stops != 0 { break }
      high |= word
      offset += 8
    }
    while offset < end {
      let byte = base[offset]
      if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
      high |= UInt64(byte)
      offset += 1
    }
    return high & tops == 0
  }

  private func text(from start: Int, isASCII: Bool) throws(JSONError) -> String {
    let buffer = UnsafeBufferPointer(start: base + start, count: offset - start)
    if isASCII { return String(decoding: buffer, as: UTF8.self) }
    guard let text = String(validating: buffer, as: UTF8.self) else { throw JSONError(.invalidUTF8, offset: start) }
    return text
  }

  private mutating func parseString() throws(JSONError) -> String {
    offset += 1
    let start = offset
    let isASCII = skipPlain()
    if offset - start > limits.textBytes { throw JSONError(.textTooLong, offset: start) }
    switch next {
    case 0x22:
      let result = try text(from: start, isASCII: isASCII)
      offset += 1
      return result
    case 0x5C: return try parseEscapedString(from: start)
    default: throw offset < end ? error(.controlCharacter) : error(.unexpectedByte)
    }
  }

  /// Goes on with a string whose first escape stands at `offset`.
  private mutating func parseEscapedString(from start: Int) throws(JSONError) -> String {
    scratch.removeAll(keepingCapacity: true)
    var plain = start
    while true {
      scratch.append(contentsOf: UnsafeBufferPointer(start: base + plain, count: offset - plain))
      if offset - start > limits.textBytes { throw JSONError(.textTooLong, offset: start) }
      guard offset < end else { throw error(.unexpectedByte) }
      switch base[offset] {
      case 0x22:
        guard let text = String(validating: scratch, as: UTF8.self) else {
          throw JSONError(.invalidUTF8, offset: start)
        }
        offset += 1
        return text
      case 0x5C: try parseEscape()
      default: throw error(.controlCharacter)
      }
      plain = offset
      _ = skipPlain()
    }
  }

  private mutating func parseEscape() throws(JSONError) {
    offset += 1
    let character = next
    switch character {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(character)
    case UInt8(ascii: "b"): scratch.append(0x08)
    case UInt8(ascii: "f"): scratch.append(0x0C)
    case UInt8(ascii: "n"): scratch.append(0x0A)
    case UInt8(ascii: "r"): scratch.append(0x0D)
    case UInt8(ascii: "t"): scratch.append(0x09)
    case UInt8(ascii: "u"):
      try parseUnicodeEscape()
      return
    default: throw offset < end ? error(.invalidEscape) : error(.unexpectedByte)
    }
    offset += 1
  }

  private mutating func parseUnicodeEscape() throws(JSONError) {
    let start = offset - 1
    var code = try parseCodeUnit()
    switch code {
    case 0xD800...0xDBFF:
      guard next == 0x5C, offset + 1 < end, base[offset + 1] == UInt8(ascii: "u") else {
        let isCut = offset >= end || next == 0x5C && offset + 1 >= end
        throw isCut ? JSONError(.unexpectedEnd, offset: end) : JSONError(.loneSurrogate, offset: start)
      }
      offset += 1
      let low = try parseCodeUnit()
      guard (0xDC00...0xDFFF).contains(low) else { throw JSONError(.loneSurrogate, offset: start) }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    case 0xDC00...0xDFFF: throw JSONError(.loneSurrogate, offset: start)
    default: break
    }
    guard let scalar = Unicode.Scalar(code) else { throw JSONError(.loneSurrogate, offset: start) }
    scratch.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  /// The four digits after the `u` at `offset`.
  private mutating func parseCodeUnit() throws(JSONError) -> UInt32 {
    offset += 1
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Hex.value(of: next) else { throw error(offset < end ? .invalidEscape : .unexpectedByte) }
      code = code << 4 | UInt32(digit)
      offset += 1
    }
    return code
  }
}
