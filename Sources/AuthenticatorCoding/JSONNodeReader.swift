/// Reads the nodes of a text that was scanned, where text and nodes lie.
struct JSONNodeReader {
  let text: UnsafeBufferPointer<UInt8>
  let nodes: UnsafeBufferPointer<JSONNode>

  init(_ text: UnsafeBufferPointer<UInt8>, _ nodes: UnsafeBufferPointer<JSONNode>) {
    self.text = text
    self.nodes = nodes
  }

  /// The bytes of a node in the text.
  func content(at place: Int) -> UnsafeBufferPointer<UInt8> {
    let node = nodes[place]
    return UnsafeBufferPointer(rebasing: text[Int(node.start)..<Int(node.end)])
  }

  /// The text of a string or name.
  func string(at place: Int) -> String {
    let content = content(at: place)
    return nodes[place].isPlain ? String(decoding: content, as: UTF8.self) : JSONScanner.text(of: content)
  }

  /// The value of an integer.
  func integer(at place: Int) -> Int64 {
    let content = content(at: place)
    guard let base = content.baseAddress else { return 0 }
    var scanner = JSONNumberScanner(base: base, end: content.count, offset: 0)
    guard case .integer(let value) = scanner.scan() else { return 0 }
    return value
  }

  /// Whether two names are one.
  func isSameName(_ left: Int, _ right: Int) -> Bool {
    guard nodes[left].isPlain, nodes[right].isPlain else { return string(at: left) == string(at: right) }
    return content(at: left).isIdentical(to: content(at: right))
  }

  /// The place of a member's value in the object at `place`; nil: it has none of this name.
  func member(_ name: StaticString, of place: Int) -> Int? {
    let end = Int(nodes[place].next)
    var at = place + 1
    while at < end {
      if isNamed(at, name) { return at + 1 }
      at = Int(nodes[at + 1].next)
    }
    return nil
  }

  private func isNamed(_ place: Int, _ name: StaticString) -> Bool {
    name.withUTF8Buffer { name in
      guard nodes[place].isPlain else {
        return string(at: place).isIdentical(to: String(decoding: name, as: UTF8.self))
      }
      return content(at: place).isIdentical(to: name)
    }
  }

  // MARK: The tree

  /// A value with all that it holds, copied.
  func value(at place: Int) -> JSONValue {
    switch nodes[place].kind {
    case .null: return .null
    case .true: return .bool(true)
    case .false: return .bool(false)
    case .integer: return .integer(integer(at: place))
    case .number: return .number(JSONNumber(checked: string(at: place)))
    case .string: return .string(string(at: place))
    case .array:
      var elements: [JSONValue] = []
      let end = Int(nodes[place].next)
      var at = place + 1
      while at < end {
        elements.append(value(at: at))
        at = Int(nodes[at].next)
      }
      return .array(elements)
    case .object:
      let end = Int(nodes[place].next)
      var members: [JSONObject.Member] = []
      // Most objects have no more; growing to this step by step would allocate three times.
      if end > place + 1 { members.reserveCapacity(4) }
      var at = place + 1
      while at < end {
        members.append(JSONObject.Member(name: string(at: at), value: value(at: at + 1)))
        at = Int(nodes[at + 1].next)
      }
      return .object(JSONObject(checked: members))
    }
  }
}

/// The names of an object that is being scanned.
struct JSONNames {
  private var count = 0
  /// All of them, once there are too many to compare with each.
  private var known: Set<String>?

  private static let comparisonLimit = 16

  /// Takes in the name at `place`, whose object stands at `object`.
  /// - Returns: whether it is a new one.
  mutating func insert(_ place: Int, of object: Int, in reader: JSONNodeReader) -> Bool {
    count += 1
    if known == nil, count > Self.comparisonLimit {
      known = Set(Self.places(before: place, of: object, in: reader).map(reader.string))
    }
    if known != nil { return known?.insert(reader.string(at: place)).inserted ?? true }
    var at = object + 1
    while at < place {
      if reader.isSameName(at, place) { return false }
      at = Int(reader.nodes[at + 1].next)
    }
    return true
  }

  private static func places(before place: Int, of object: Int, in reader: JSONNodeReader) -> [Int] {
    var places: [Int] = []
    var at = object + 1
    while at < place {
      places.append(at)
      at = Int(reader.nodes[at + 1].next)
    }
    return places
  }
}
