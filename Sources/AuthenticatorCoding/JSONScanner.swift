/// One value of a JSON text, by its place in the text. The nodes of a text stand in the order of the values: what an
/// array or object holds comes behind it, each member as its name and its value.
struct JSONNode {
  enum Kind: UInt8 {
    case null, `true`, `false`, integer, number, string, array, object
  }

  var kind: Kind
  /// Whether a string stands for itself: in ASCII, without escapes.
  var isPlain = false
  /// Where it begins; a string begins behind its quote.
  var start: UInt32
  /// Where it ends; a string ends before its quote.
  var end: UInt32
  /// The place of the node behind it and all that it holds.
  var next: UInt32 = 0
}

/// A recursive-descent scanner over a buffer it does not own: checks everything and notes where the values are. The
/// depth limit bounds the recursion.
struct JSONScanner {
  let base: UnsafePointer<UInt8>
  let end: Int
  let limits: JSONLimits
  var offset = 0
  private var depth = 0
  private var nodes: [JSONNode] = []
  private var values = 0
  /// Reused for strings with escapes.
  var scratch: [UInt8] = []

  init(base: UnsafePointer<UInt8>, end: Int, limits: JSONLimits) {
    self.base = base
    self.end = end
    self.limits = limits
  }

  /// The nodes of a whole text.
  static func scan(
    _ buffer: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits
  ) throws(JSONError) -> [JSONNode] {
    guard let base = buffer.baseAddress, !buffer.isEmpty else { throw JSONError(.unexpectedEnd, offset: 0) }
    var scanner = JSONScanner(base: base, end: buffer.count, limits: limits)
    try scanner.scanText()
    return scanner.nodes
  }

  private mutating func scanText() throws(JSONError) {
    // Places are kept in 32 bits.
    guard end <= min(limits.bytes, Int(Int32.max)) else { throw JSONError(.tooLong, offset: limits.bytes) }
    nodes.reserveCapacity(min(end / 12, 1 << 12) + 8)
    if end >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF { throw JSONError(.byteOrderMark, offset: 0) }
    skipSpace()
    try scanValue()
    skipSpace()
    guard offset == end else { throw error(.trailingContent) }
  }

  func error(_ kind: JSONError.Kind) -> JSONError {
    JSONError(offset >= end && kind == .unexpectedByte ? .unexpectedEnd : kind, offset: offset)
  }

  private mutating func skipSpace() {
    while offset < end {
      switch base[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  /// The next byte; zero, which no grammar rule wants, at the end.
  var next: UInt8 { offset < end ? base[offset] : 0 }

  private mutating func scanValue() throws(JSONError) {
    values += 1
    guard values <= limits.values else { throw error(.tooManyValues) }
    switch next {
    case UInt8(ascii: "\""): try scanString()
    case UInt8(ascii: "{"): try scanObject()
    case UInt8(ascii: "["): try scanArray()
    case UInt8(ascii: "t"): try scanWord("true", .true)
    case UInt8(ascii: "f"): try scanWord("false", .false)
    case UInt8(ascii: "n"): try scanWord("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try scanNumber()
    default: throw error(.unexpectedByte)
    }
  }

  /// Notes a value that holds no others.
  private mutating func note(_ kind: JSONNode.Kind, from start: Int, isPlain: Bool = false) {
    nodes.append(
      JSONNode(
        kind: kind, isPlain: isPlain, start: UInt32(truncatingIfNeeded: start),
        end: UInt32(truncatingIfNeeded: offset), next: UInt32(truncatingIfNeeded: nodes.count + 1)))
  }

  private mutating func scanWord(_ word: StaticString, _ kind: JSONNode.Kind) throws(JSONError) {
    let start = offset
    for index in 0..<word.utf8CodeUnitCount {
      guard next == word.utf8Start[index] else { throw error(.unexpectedByte) }
      offset += 1
    }
    note(kind, from: start)
  }

  private mutating func scanNumber() throws(JSONError) {
    var scanner = JSONNumberScanner(base: base, end: end, offset: offset)
    let start = offset
    let found = scanner.scan()
    offset = scanner.offset
    guard let found else { throw JSONError(offset >= end ? .unexpectedEnd : .invalidNumber, offset: offset) }
    guard offset - start <= limits.textBytes else { throw JSONError(.textTooLong, offset: start) }
    if case .integer = found { note(.integer, from: start) } else { note(.number, from: start) }
  }

  private mutating func scanString() throws(JSONError) {
    offset += 1
    let start = offset
    let isPlain = try skipString()
    note(.string, from: start, isPlain: isPlain)
    offset += 1
  }

  /// Steps into an array or object and notes where it stands.
  private mutating func enter(_ kind: JSONNode.Kind) throws(JSONError) -> Int {
    depth += 1
    guard depth <= min(limits.depth, 512) else { throw error(.tooDeep) }
    note(kind, from: offset)
    offset += 1
    skipSpace()
    return nodes.count - 1
  }

  private mutating func leave(_ place: Int) {
    depth -= 1
    offset += 1
    nodes[place].end = UInt32(truncatingIfNeeded: offset)
    nodes[place].next = UInt32(truncatingIfNeeded: nodes.count)
  }

  private mutating func scanArray() throws(JSONError) {
    let place = try enter(.array)
    if next == UInt8(ascii: "]") { return leave(place) }
    while true {
      try scanValue()
      skipSpace()
      switch next {
      case UInt8(ascii: ","):
        offset += 1
        skipSpace()
      case UInt8(ascii: "]"): return leave(place)
      default: throw error(.unexpectedByte)
      }
    }
  }

  private mutating func scanObject() throws(JSONError) {
    let place = try enter(.object)
    if next == UInt8(ascii: "}") { return leave(place) }
    var names = JSONNames()
    while true {
      guard next == UInt8(ascii: "\"") else { throw error(.unexpectedByte) }
      let (start, name) = (offset, nodes.count)
      try scanString()
      skipSpace()
      guard next == UInt8(ascii: ":") else { throw error(.unexpectedByte) }
      offset += 1
      skipSpace()
      try scanValue()
      let isNew = nodes.withUnsafeBufferPointer { nodes in
        names.insert(name, of: place, in: JSONNodeReader(UnsafeBufferPointer(start: base, count: end), nodes))
      }
      guard isNew else { throw JSONError(.duplicateMember, offset: start) }
      skipSpace()
      switch next {
      case UInt8(ascii: ","):
        offset += 1
        skipSpace()
      case UInt8(ascii: "}"): return leave(place)
      default: throw error(.unexpectedByte)
      }
    }
  }
}
