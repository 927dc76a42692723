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

/// Appends JSON text to a buffer.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(true): bytes.append(contentsOf: "true".utf8)
    case .bool(false): bytes.append(contentsOf: "false".utf8)
    case .integer(let number): write(number)
    case .number(let number): bytes.append(contentsOf: number.text.utf8)
    case .string(let text): write(text)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      var isFirst = true
      for element in elements {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        write(element)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      var isFirst = true
      for member in object.members {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        write(member.name)
        bytes.append(UInt8(ascii: ":"))
        write(member.value)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private mutating func write(_ number: Int64) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  private mutating func write(_ text: String) {
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
