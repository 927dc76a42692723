import AuthenticatorCoding

/// The words of a piece of JavaScript, comments left out.
enum ScriptToken: Hashable {
  case name(String)
  case string(String)
  case number(JSONValue)
  /// A bracket, comma, colon or any other sign, one byte.
  case mark(UInt8)

  /// Takes a text apart. What is no JavaScript comes out as marks; nothing is refused.
  static func tokens(_ text: String) -> [ScriptToken] {
    var scanner = ScriptScanner(bytes: Array(text.utf8))
    var tokens: [ScriptToken] = []
    while let token = scanner.next() { tokens.append(token) }
    return tokens
  }
}

private struct ScriptScanner {
  let bytes: [UInt8]
  var offset = 0
  /// Up to where strings of a quote were read that did not end: nor does another one that begins in there.
  private var unended: [UInt8: Int] = [:]

  init(bytes: [UInt8]) { self.bytes = bytes }

  private subscript(ahead: Int) -> UInt8? {
    bytes.indices.contains(offset + ahead) ? bytes[offset + ahead] : nil
  }

  mutating func next() -> ScriptToken? {
    skipSpace()
    guard let byte = self[0] else { return nil }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      if let text = string(endingWith: byte) { return .string(text) }
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
    case UInt8(ascii: "-"):
      if let digit = self[1], (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) { return number() }
    default:
      if Self.isNamePart(byte) { return .name(name()) }
    }
    offset += 1
    return .mark(byte)
  }

  private mutating func skipSpace() {
    while let byte = self[0] {
      switch (byte, self[1]) {
      case (0x09...0x0D, _), (0x20, _): offset += 1
      case (UInt8(ascii: "/"), UInt8(ascii: "/")):
        while let byte = self[0], byte != 0x0A { offset += 1 }
      case (UInt8(ascii: "/"), UInt8(ascii: "*")):
        offset += 2
        while self[0] != nil, self[0] != UInt8(ascii: "*") || self[1] != UInt8(ascii: "/") { offset += 1 }
        offset = min(offset + 2, bytes.count)
      default: return
      }
    }
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
    default: false
    }
  }

  private mutating func name() -> String {
    let start = offset
    while let byte = self[0], Self.isNamePart(byte) { offset += 1 }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func number() -> ScriptToken {
    let start = offset
    offset += 1
    while let byte = self[0], Self.isNamePart(byte) || byte == UInt8(ascii: ".") { offset += 1 }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    if let integer = Int64(text) { return .number(.integer(integer)) }
    // JavaScript's other spellings (hexadecimal, with exponent) stand in none of the scripts.
    return Double(text).map { .number(.double($0)) } ?? .name(text)
  }

  /// Nil, and nothing read, when the string does not end on its line.
  private mutating func string(endingWith quote: UInt8) -> String? {
    guard offset >= unended[quote] ?? 0 else { return nil }
    let start = offset
    offset += 1
    var text: [UInt8] = []
    while let byte = self[0], byte != 0x0A {
      offset += 1
      switch byte {
      case quote: return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += escape()
      default: text.append(byte)
      }
    }
    unended[quote] = offset
    offset = start
    return nil
  }

  private mutating func escape() -> [UInt8] {
    guard let byte = self[0] else { return [] }
    offset += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "x"): return hexadecimal(2).map { Self.encoded([UInt16($0)]) } ?? [byte]
    case UInt8(ascii: "u"):
      guard let first = hexadecimal(4) else { return [byte] }
      guard (0xD800..<0xDC00).contains(first), self[0] == UInt8(ascii: "\\"), self[1] == UInt8(ascii: "u") else {
        return Self.encoded([UInt16(first)])
      }
      let start = offset
      offset += 2
      guard let second = hexadecimal(4), (0xDC00..<0xE000).contains(second) else {
        offset = start
        return Self.encoded([UInt16(first)])
      }
      return Self.encoded([UInt16(first), UInt16(second)])
    default: return [byte]
    }
  }

  /// Half of a pair becomes the replacement character.
  private static func encoded(_ units: [UInt16]) -> [UInt8] { Array(String(decoding: units, as: UTF16.self).utf8) }

  private mutating func hexadecimal(_ count: Int) -> UInt32? {
    let digits = bytes[offset..<min(offset + count, bytes.count)]
    guard digits.count == count, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { return nil }
    offset += count
    return value
  }
}
