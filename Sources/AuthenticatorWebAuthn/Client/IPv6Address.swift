/// An IPv6 address in the one form in which URLs are written (URL Standard section 3.5, "IPv6 serializer").
enum IPv6Address {
  /// Whether the text, without brackets, is in this form: eight pieces in lower-case hexadecimal without leading zeros,
  /// the first of the longest runs of zeros, when it has two or more, written as `::`.
  static func isSerialized(_ text: Substring) -> Bool {
    guard text.utf8.count <= 39, let pieces = pieces(text) else { return false }
    return serialize(pieces) == text
  }

  /// The eight pieces; nil for text that is no address. The dotted form of the last two is none that is written.
  private static func pieces(_ text: Substring) -> [UInt16]? {
    guard let gap = text.firstRange(of: "::") else {
      let pieces = list(text)
      return pieces?.count == 8 ? pieces : nil
    }
    guard let head = list(text[..<gap.lowerBound]), let tail = list(text[gap.upperBound...]),
      head.count + tail.count <= 6
    else { return nil }
    return head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail
  }

  private static func list(_ text: Substring) -> [UInt16]? {
    if text.isEmpty { return [] }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    // Signs, which the reader of numbers takes, are in no serialized piece.
    let pieces = parts.compactMap { UInt16($0, radix: 16) }
    return pieces.count == parts.count ? pieces : nil
  }

  private static func serialize(_ pieces: [UInt16]) -> String {
    var gap = 0..<0
    var index = 0
    while index < pieces.count {
      let end = pieces[index...].firstIndex { $0 != 0 } ?? pieces.count
      if end - index > max(gap.count, 1) { gap = index..<end }
      index = max(end, index + 1)
    }
    func text(_ pieces: ArraySlice<UInt16>) -> String { pieces.map { String($0, radix: 16) }.joined(separator: ":") }
    return gap.isEmpty ? text(pieces[...]) : text(pieces[..<gap.lowerBound]) + "::" + text(pieces[gap.upperBound...])
  }
}
