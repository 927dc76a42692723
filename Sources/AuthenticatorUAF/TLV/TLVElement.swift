import AuthenticatorCoding

/// One element: a tag with bytes or with further elements (FIDO UAF Authenticator Commands, section "TLV").
public struct TLVElement: Hashable, Sendable {
  /// What it is.
  public let tag: UAFTag
  /// The value's bytes, of a composite as well.
  public let value: [UInt8]
  /// The whole element with tag and length, as received: what signatures cover.
  public let rawBytes: [UInt8]
  /// What a composite consists of, in order; empty for other tags.
  public let elements: [TLVElement]

  /// The most bytes an assertion may have.
  public static let maximumBytes = 4096
  static let maximumDepth = 4
  static let maximumElements = 256

  /// Reads one element of an assertion that fills the input.
  /// - Throws: `TLVError`.
  public init(_ bytes: [UInt8]) throws(TLVError) {
    try self.init(bytes, maximumBytes: Self.maximumBytes, known: UAFTag.known)
  }

  /// Reads one element that fills the input.
  /// - Parameter known: critical tags beside these are refused.
  init(_ bytes: [UInt8], maximumBytes: Int, known: Set<UAFTag>) throws(TLVError) {
    guard bytes.count <= maximumBytes else { throw .tooLarge }
    var budget = Self.maximumElements
    var reader = ByteReader(bytes)
    self = try Self.read(&reader, base: 0, depth: 1, budget: &budget, known: known)
    guard reader.isAtEnd else { throw .trailingBytes(offset: reader.offset) }
  }

  private init(tag: UAFTag, value: [UInt8], rawBytes: [UInt8], elements: [TLVElement]) {
    self.tag = tag
    self.value = value
    self.rawBytes = rawBytes
    self.elements = elements
  }

  private static func read(
    _ reader: inout ByteReader, base: Int, depth: Int, budget: inout Int, known: Set<UAFTag>
  ) throws(TLVError) -> TLVElement {
    let start = base + reader.offset
    budget -= 1
    guard budget >= 0 else { throw .tooLarge }
    guard depth <= maximumDepth else { throw .tooDeep }
    let tag: UAFTag
    let length: Int
    let value: [UInt8]
    do {
      tag = UAFTag(rawValue: try reader.readUInt16(order: .littleEndian))
      length = Int(try reader.readUInt16(order: .littleEndian))
      value = try reader.readBytes(count: length)
    } catch {
      throw .truncated(offset: start)
    }
    guard tag.rawValue & 0xC000 == 0 else { throw .malformed(tag) }
    if tag.isCritical, !known.contains(tag) { throw .unknownCriticalTag(tag) }
    var elements: [TLVElement] = []
    if tag.isComposite {
      var inner = ByteReader(value)
      while !inner.isAtEnd {
        elements.append(try read(&inner, base: start + 4, depth: depth + 1, budget: &budget, known: known))
      }
    }
    return TLVElement(
      tag: tag, value: value, rawBytes: TLVWriter.header(tag, count: length) + value, elements: elements)
  }

  // MARK: Taking a composite apart

  /// The only element of a tag.
  /// - Throws: `missing`, `repeated`.
  func only(_ tag: UAFTag) throws(TLVError) -> TLVElement {
    guard let element = try optional(tag) else { throw .missing(tag) }
    return element
  }

  /// The only element of a tag, or nil.
  /// - Throws: `repeated`.
  func optional(_ tag: UAFTag) throws(TLVError) -> TLVElement? {
    let found = elements.filter { $0.tag == tag }
    guard found.count <= 1 else { throw .repeated(tag) }
    return found.first
  }

  /// Refuses every known tag but these; tags that nobody knows and are not critical may stand anywhere.
  /// - Throws: `unexpected`.
  func admit(_ tags: Set<UAFTag>) throws(TLVError) {
    for element in elements where UAFTag.known.contains(element.tag) && !tags.contains(element.tag) {
      throw .unexpected(element.tag)
    }
  }

  /// The value, of a length in these bounds.
  /// - Throws: `malformed`.
  func bytes(_ count: ClosedRange<Int>) throws(TLVError) -> [UInt8] {
    guard count.contains(value.count) else { throw .malformed(tag) }
    return value
  }
}
