/// One element to be written: tag, then content. Lengths can be bent.
public struct TestTLV: Sendable {
  public var tag: UInt16
  public var content: [UInt8]
  /// Written in place of the content's length.
  public var length: UInt16?

  public init(_ tag: UInt16, _ content: [UInt8]) {
    self.tag = tag
    self.content = content
  }

  public init(_ tag: UInt16, parts: [TestTLV]) { self.init(tag, parts.flatMap(\.bytes)) }

  public var bytes: [UInt8] {
    Self.number(tag) + Self.number(length ?? UInt16(truncatingIfNeeded: content.count)) + content
  }

  /// Little endian.
  public static func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}

extension [TestTLV] {
  /// Replaces the content of the first element of this tag.
  public mutating func set(_ tag: UInt16, _ content: [UInt8]) {
    guard let index = firstIndex(where: { $0.tag == tag }) else { return }
    self[index].content = content
  }

  public mutating func remove(_ tag: UInt16) { removeAll { $0.tag == tag } }
}
