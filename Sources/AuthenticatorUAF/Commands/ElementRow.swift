import AuthenticatorCoding

/// The elements of a composite, taken one after the other: commands keep the order of their tables.
struct ElementRow {
  private var rest: ArraySlice<TLVElement>

  /// Passes over what nobody knows; unknown tags that are critical were refused by the reader.
  init(_ element: TLVElement) {
    rest = element.elements.filter { UAFTag.knownInCommands.contains($0.tag) }[...]
  }

  /// The next element, which must have this tag.
  mutating func next(_ tag: UAFTag) throws(TLVError) -> TLVElement {
    guard let element = optional(tag) else {
      throw rest.contains { $0.tag == tag } ? .outOfOrder(tag) : .missing(tag)
    }
    return element
  }

  /// The next element if it has this tag.
  mutating func optional(_ tag: UAFTag) -> TLVElement? {
    guard rest.first?.tag == tag else { return nil }
    return rest.popFirst()
  }

  /// All next elements of this tag.
  mutating func all(_ tag: UAFTag) -> [TLVElement] {
    var found: [TLVElement] = []
    while let element = optional(tag) { found.append(element) }
    return found
  }

  /// Nothing may be left.
  func expectEnd() throws(TLVError) {
    if let element = rest.first { throw .unexpected(element.tag) }
  }
}

extension TLVElement {
  /// A command or an answer: a UINT16 length cannot say more.
  static let maximumCommandBytes = 4 + Int(UInt16.max)

  /// Reads a command or an answer.
  init(command bytes: [UInt8]) throws(TLVError) {
    try self.init(bytes, maximumBytes: Self.maximumCommandBytes, known: UAFTag.knownInCommands)
  }

  /// A number of one byte.
  var uint8: UInt8 {
    get throws(TLVError) { try bytes(1...1)[0] }
  }

  /// A number of two bytes, little-endian.
  var uint16: UInt16 {
    get throws(TLVError) {
      let bytes = try bytes(2...2)
      return UInt16(bytes[0]) | UInt16(bytes[1]) << 8
    }
  }

  /// A text of so many bytes of UTF-8.
  func text(_ count: ClosedRange<Int>) throws(TLVError) -> String {
    guard let text = String(validating: try bytes(count), as: UTF8.self) else { throw .malformed(tag) }
    return text
  }
}

extension TLVWriter {
  /// Appends bytes, as many as the tag allows.
  mutating func write(_ tag: UAFTag, _ value: [UInt8], _ count: ClosedRange<Int>) throws(TLVError) {
    guard count.contains(value.count) else { throw .malformed(tag) }
    try write(tag, value)
  }

  mutating func write(_ tag: UAFTag, text: String, _ count: ClosedRange<Int>) throws(TLVError) {
    guard count.contains(text.utf8.count) else { throw .malformed(tag) }
    try write(tag, Array(text.utf8))
  }

  mutating func write(_ tag: UAFTag, uint8 value: UInt8) throws(TLVError) { try write(tag, [value]) }

  mutating func write(_ tag: UAFTag, uint16 value: UInt16) throws(TLVError) {
    try write(tag, [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)])
  }
}

/// How long the values of commands may be.
enum CommandLimits {
  static let appID = 1...512
  static let hash = 1...32
  static let accessToken = 1...32
  /// In bytes: a longer name is refused and never cut, since two users could become one.
  static let username = 1...128
  static let verificationToken = 1...4096
  static let keyHandle = 1...4096
  static let transaction = 1...Int(UInt16.max)
  static let assertion = 1...TLVElement.maximumBytes
  static let extensionID = 1...32
}
