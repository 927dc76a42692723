/// The parameters of a query, decoded.
struct QueryItems: Sendable {
  private var items: [(name: String, value: String)] = []

  static let maximumCount = 64

  init() {}

  /// Reads `a=b&c=d` with percent-encoding and `+` for a space.
  ///
  /// Throws `RESTFailure` (400) for malformed encoding, a parameter that occurs twice, or more than 64 of them.
  init(_ query: String?) throws(RESTFailure) {
    guard let query, !query.isEmpty else { return }
    for part in query.utf8.split(separator: UInt8(ascii: "&"), maxSplits: Self.maximumCount + 1) {
      guard items.count < Self.maximumCount else { throw .badRequest("Too many query parameters") }
      let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(pair[0], plusIsSpace: true),
        let value = pair.count > 1 ? PercentEncoding.decode(pair[1], plusIsSpace: true) : ""
      else { throw .badRequest("Malformed query") }
      guard self[name] == nil else { throw .badRequest("Query parameter given twice") }
      items.append((name, value))
    }
  }

  subscript(name: String) -> String? { items.first { $0.name == name }?.value }

  /// A flag: `true` in any case is true, everything else false.
  func flag(_ name: String) -> Bool { self[name]?.lowercased() == "true" }
}

/// Percent-encoding (RFC 3986 section 2.1).
enum PercentEncoding {
  /// Nil for a broken escape, an encoded NUL or bytes that are not UTF-8.
  static func decode(_ text: Substring.UTF8View.SubSequence, plusIsSpace: Bool) -> String? {
    guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return String(text) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
        guard high << 4 | low != 0 else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }
}
