import AuthenticatorCoding

/// Bytes as the server writes and reads them: signed numbers.
enum SignedBytes {
  /// Numbers from -128 to 127, joined by commas without spaces: the server reads each with a parser for signed bytes.
  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 5)
    for byte in bytes {
      if !text.isEmpty { text.append(UInt8(ascii: ",")) }
      text += String(Int8(bitPattern: byte)).utf8
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads a list of numbers, signed or not: -128 to 255. Nil for anything else.
  static func decode(_ list: [JSONValue], maximumCount: Int) -> [UInt8]? {
    guard list.count <= maximumCount else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(list.count)
    for value in list {
      guard let number = value.wholeNumberValue, (-128...255).contains(number) else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: number))
    }
    return bytes
  }
}
