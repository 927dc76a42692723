/// Strings and their escapes.
extension JSONScanner {
  /// Moves over bytes that stand for themselves; tells whether all of them were ASCII.
  private mutating func skipPlain() -> Bool {
    let plain = JSONPlainText(base, from: offset, to: end)
    offset = plain.end
    return plain.isASCII
  }

  /// Checks the string whose content begins at `offset`, and moves to the quote that ends it.
  /// - Returns: whether it stands for itself: in ASCII, without escapes.
  mutating func skipString() throws(JSONError) -> Bool {
    let start = offset
    let isASCII = skipPlain()
    if offset - start > limits.textBytes { throw JSONError(.textTooLong, offset: start) }
    switch next {
    case 0x22:
      if isASCII { return true }
      let content = UnsafeBufferPointer(start: base + start, count: offset - start)
      guard String(validating: content, as: UTF8.self) != nil else { throw JSONError(.invalidUTF8, offset: start) }
      return false
    case 0x5C:
      _ = try unescape(from: start)
      return false
    default: throw offset < end ? error(.controlCharacter) : error(.unexpectedByte)
    }
  }

  /// The text of a string that was checked before.
  /// - Parameter content: what stands between its quotes.
  static func text(of content: UnsafeBufferPointer<UInt8>) -> String {
    guard let base = content.baseAddress, content.contains(0x5C) else {
      return String(decoding: content, as: UTF8.self)
    }
    // As far as the quote behind it, which ends it again.
    let limits = JSONLimits(bytes: .max, textBytes: .max)
    var scanner = JSONScanner(base: base, end: content.count + 1, limits: limits)
    _ = scanner.skipPlain()
    return (try? scanner.unescape(from: 0)) ?? ""
  }

  /// Goes on with a string whose first escape stands at `offset`, and moves to the quote that ends it.
  private mutating func unescape(from start: Int) throws(JSONError) -> String {
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
