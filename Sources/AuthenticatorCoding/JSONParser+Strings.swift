/// Strings and their escapes.
extension JSONParser {
  /// Moves over bytes that stand for themselves; tells whether all of them were ASCII.
  private mutating func skipPlain() -> Bool {
    let plain = JSONPlainText(base, from: offset, to: end)
    offset = plain.end
    return plain.isASCII
  }

  private func text(from start: Int, isASCII: Bool) throws(JSONError) -> String {
    let buffer = UnsafeBufferPointer(start: base + start, count: offset - start)
    if isASCII { return String(decoding: buffer, as: UTF8.self) }
    guard let text = String(validating: buffer, as: UTF8.self) else { throw JSONError(.invalidUTF8, offset: start) }
    return text
  }

  /// The string whose opening quote stands at `offset`.
  mutating func parseString() throws(JSONError) -> String {
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
