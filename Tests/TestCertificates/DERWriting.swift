/// Writes DER elements for tests.
public enum DERWriting {
  public static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag] + length(content.count) + content }

  public static func element(_ tag: UInt8, parts: [[UInt8]]) -> [UInt8] { element(tag, Array(parts.joined())) }

  public static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, parts: parts) }

  public static func set(_ parts: [UInt8]...) -> [UInt8] { element(0x31, parts: parts) }

  public static func integer(_ value: UInt8) -> [UInt8] { element(0x02, value < 0x80 ? [value] : [0, value]) }

  public static func enumerated(_ value: UInt8) -> [UInt8] { element(0x0A, [value]) }

  public static func octets(_ content: [UInt8]) -> [UInt8] { element(0x04, content) }

  public static func bits(_ content: [UInt8]) -> [UInt8] { element(0x03, [0] + content) }

  public static func boolean(_ value: Bool) -> [UInt8] { element(0x01, [value ? 0xFF : 0x00]) }

  public static func text(_ value: String, tag: UInt8 = 0x0C) -> [UInt8] { element(tag, Array(value.utf8)) }

  /// An explicit context tag; numbers above 30 take more than one octet.
  public static func context(_ number: Int, _ content: [UInt8]) -> [UInt8] {
    let head: [UInt8] =
      number < 31
      ? [0xA0 | UInt8(number)]
      : number < 128 ? [0xBF, UInt8(number)] : [0xBF, 0x80 | UInt8(number >> 7), UInt8(number & 0x7F)]
    return head + length(content.count) + content
  }

  /// An OBJECT IDENTIFIER from its dotted form.
  public static func identifier(_ dotted: String) -> [UInt8] {
    let arcs = dotted.split(separator: ".").compactMap { Int($0) }
    var content: [UInt8] = []
    for arc in [arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2) {
      var groups = [UInt8(arc & 0x7F)]
      var rest = arc >> 7
      while rest > 0 {
        groups.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
        rest >>= 7
      }
      content += groups
    }
    return element(0x06, content)
  }

  private static func length(_ count: Int) -> [UInt8] {
    switch count {
    case 0..<0x80: [UInt8(count)]
    case 0x80..<0x100: [0x81, UInt8(count)]
    default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    }
  }
}
