import AuthenticatorCore

/// Collects an answer's header from the lines as they arrive, within limits.
struct HeaderLines {
  private(set) var fields: [HTTPField] = []
  private var bytes = 0
  private var isComplete = false
  private let maximumFields: Int
  private let maximumBytes: Int

  init(maximumFields: Int, maximumBytes: Int) {
    self.maximumFields = maximumFields
    self.maximumBytes = maximumBytes
  }

  /// Takes one line with its end; false: the answer is to be refused.
  ///
  /// A status line starts over, since interim answers (1xx) come first; what follows the empty line, and no status
  /// line, is a trailer, which is counted and dropped.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    bytes += line.count
    guard bytes <= maximumBytes else { return false }
    var text = line[...]
    while let last = text.last, last == 0x0A || last == 0x0D { text = text.dropLast() }
    if text.starts(with: "HTTP/".utf8) {
      fields = []
      isComplete = false
      return true
    }
    if text.isEmpty {
      isComplete = true
      return true
    }
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex,
      let first = text.first, first != 0x20, first != 0x09,
      !text.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D })
    else { return false }
    if isComplete { return true }
    guard fields.count < maximumFields else { return false }
    fields.append(
      HTTPField(
        String(decoding: text[..<colon], as: UTF8.self),
        String(decoding: Self.trimmed(text[(colon + 1)...]), as: UTF8.self)))
    return true
  }

  private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    var rest = text
    while let first = rest.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
    while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
    return rest
  }
}
