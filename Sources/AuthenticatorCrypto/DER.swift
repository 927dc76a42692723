/// Reads the little of DER (X.690 section 10) that keys and signatures need, strictly: shortest lengths, shortest
/// integers, no indefinite form.
struct DERReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(bytes) }

  /// Whether everything was read.
  var isAtEnd: Bool { rest.isEmpty }

  /// The content of the next element, which must have this tag; nil when it has not or is malformed.
  mutating func read(tag: UInt8) -> ArraySlice<UInt8>? {
    guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      let octets = Int(first & 0x7F)
      guard (1...2).contains(octets), rest.count >= octets else { return nil }
      length = 0
      for _ in 0..<octets { length = length << 8 | Int(rest.popFirst() ?? 0) }
      guard length >= (octets == 1 ? 0x80 : 0x100) else { return nil }
    }
    guard rest.count >= length else { return nil }
    defer { rest = rest.dropFirst(length) }
    return rest.prefix(length)
  }

  /// The magnitude of the next element, an INTEGER that is not negative, without its sign octet.
  mutating func readUnsigned() -> ArraySlice<UInt8>? {
    guard let content = read(tag: 0x02), let first = content.first, first < 0x80 else { return nil }
    guard first == 0, content.count > 1 else { return content }
    let magnitude = content.dropFirst()
    guard let next = magnitude.first, next >= 0x80 else { return nil }
    return magnitude
  }
}

/// Appends DER elements.
enum DER {
  static func append(tag: UInt8, _ content: some Collection<UInt8>, to output: inout [UInt8]) {
    output.append(tag)
    let count = content.count
    switch count {
    case 0..<0x80: output.append(UInt8(count))
    case 0x80..<0x100: output.append(contentsOf: [0x81, UInt8(count)])
    default: output.append(contentsOf: [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)])
    }
    output.append(contentsOf: content)
  }

  /// Appends an INTEGER from a big-endian magnitude, which may have leading zeros.
  static func append(unsigned magnitude: some Collection<UInt8>, to output: inout [UInt8]) {
    var content = Array(magnitude.drop { $0 == 0 })
    if content.first.map({ $0 >= 0x80 }) ?? true { content.insert(0, at: 0) }
    append(tag: 0x02, content, to: &output)
  }
}
