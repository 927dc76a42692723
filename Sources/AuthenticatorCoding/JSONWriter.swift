extension JSONValue {
  /// The value as compact JSON text in UTF-8: no spaces, members in order, only what must be escaped is.
  public func serialized() -> [UInt8] {
    var writer = JSONWriter(capacity: 256)
    writer.write(self)
    return writer.bytes
  }

  /// The value as compact JSON text.
  public func serializedString() -> String { String(decoding: serialized(), as: UTF8.self) }
}

extension JSONObject {
  /// The object as compact JSON text in UTF-8.
  public func serialized() -> [UInt8] { JSONValue.object(self).serialized() }

  /// The object as compact JSON text.
  public func serializedString() -> String { JSONValue.object(self).serializedString() }
}

/// Writes JSON text piece by piece, for those who need no tree: compact, with members in the order in which they come.
///
/// Commas are its concern, the grammar is the caller's: whatever is begun is ended, and every value in an object has a
/// name before it.
public struct JSONWriter: Sendable {
  /// What was written so far.
  public private(set) var bytes: [UInt8] = []
  /// Whether a value is complete, so that another one needs a comma.
  private var isBehindValue = false

  /// Starts empty, with room for `capacity` bytes.
  public init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// What was written so far, as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  // MARK: Objects and arrays

  /// Begins an object.
  public mutating func beginObject() { begin(UInt8(ascii: "{")) }
  /// Ends the object that was begun last.
  public mutating func endObject() { end(UInt8(ascii: "}")) }
  /// Begins an array.
  public mutating func beginArray() { begin(UInt8(ascii: "[")) }
  /// Ends the array that was begun last.
  public mutating func endArray() { end(UInt8(ascii: "]")) }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    isBehindValue = false
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    isBehindValue = true
  }

  private mutating func separate() {
    if isBehindValue { bytes.append(UInt8(ascii: ",")) }
    isBehindValue = true
  }

  /// Names the value that comes next. The name stands as it is: it has nothing that must be escaped.
  public mutating func name(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    isBehindValue = false
  }

  // MARK: Values

  /// Appends a string.
  public mutating func write(_ text: String) {
    separate()
    append(text)
  }

  /// Appends bytes as a string of base64url without padding.
  public mutating func write(base64URL content: [UInt8]) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    Base64Alphabet.url.append(content, padding: false, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends an integer.
  public mutating func write(_ number: Int64) {
    separate()
    append(number)
  }

  /// Appends any value.
  public mutating func write(_ value: JSONValue) {
    separate()
    append(value)
  }

  private mutating func append(_ value: JSONValue) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(true): bytes.append(contentsOf: "true".utf8)
    case .bool(false): bytes.append(contentsOf: "false".utf8)
    case .integer(let number): append(number)
    case .number(let number): bytes.append(contentsOf: number.text.utf8)
    case .string(let text): append(text)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      var isFirst = true
      for element in elements {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        append(element)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      var isFirst = true
      for member in object.members {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        append(member.name)
        bytes.append(UInt8(ascii: ":"))
        append(member.value)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private mutating func append(_ number: Int64) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  private mutating func append(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { buffer in
      guard let base = buffer.baseAddress else { return }
      var index = 0
      while true {
        let plain = JSONPlainText(base, from: index, to: buffer.count)
        bytes.append(contentsOf: UnsafeBufferPointer(start: base + index, count: plain.end - index))
        guard plain.end < buffer.count else { return }
        writeEscape(base[plain.end])
        index = plain.end + 1
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func writeEscape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x22, 0x5C: bytes.append(byte)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    default: bytes.append(contentsOf: "u00\(Hex.encode([byte]))".utf8)
    }
  }
}
