/// A JSON text that was read once and is looked into where it lies: nothing is copied out of it before it is asked for.
///
/// For messages of which every member is looked at once; whoever keeps a value, changes it or passes it on wants a
/// `JSONValue`. It is as strict as `JSONValue.parse`.
public final class JSONDocument: Sendable {
  private let text: [UInt8]
  private let nodes: [JSONNode]

  /// Reads one JSON text in UTF-8.
  public init(_ text: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
    self.text = text
    nodes = try text.withUnsafeBufferPointer { buffer -> Result<[JSONNode], JSONError> in
      do throws(JSONError) { return .success(try JSONScanner.scan(buffer, limits)) } catch { return .failure(error) }
    }.get()
  }

  /// Reads one JSON text from a string.
  public convenience init(_ text: String, limits: JSONLimits = .default) throws(JSONError) {
    try self.init(Array(text.utf8), limits: limits)
  }

  /// The same view of a value that was read or made otherwise.
  public convenience init(_ value: JSONValue) throws(JSONError) {
    try self.init(value.serialized(), limits: JSONLimits(bytes: .max, depth: 512, textBytes: .max, values: .max))
  }

  /// The value that the text is.
  public var root: JSONElement { JSONElement(document: self, place: 0) }

  func bytes(at place: Int) -> ArraySlice<UInt8> { text[Int(nodes[place].start)..<Int(nodes[place].end)] }

  func read<Value>(_ body: (JSONNodeReader) -> Value) -> Value {
    text.withUnsafeBufferPointer { text in nodes.withUnsafeBufferPointer { body(JSONNodeReader(text, $0)) } }
  }
}

/// A value in a `JSONDocument`. Absent and of another type are both nil; nothing is converted.
public struct JSONElement: Sendable {
  let document: JSONDocument
  let place: Int

  private var kind: JSONNode.Kind { document.read { $0.nodes[place].kind } }

  /// Whether this is an object.
  public var isObject: Bool { kind == .object }

  /// `true` or `false`.
  public var boolValue: Bool? {
    switch kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// An integer that was written as one: neither `true`, `"1"`, `1.0` nor `1e0`.
  public var intValue: Int? {
    document.read { $0.nodes[place].kind == .integer ? Int(exactly: $0.integer(at: place)) : nil }
  }

  /// The text of a string.
  public var stringValue: String? {
    document.read { $0.nodes[place].kind == .string ? $0.string(at: place) : nil }
  }

  /// The elements of an array.
  public var elements: JSONElements? {
    document.read { reader in
      guard reader.nodes[place].kind == .array else { return nil }
      return JSONElements(document: document, place: place + 1, end: Int(reader.nodes[place].next))
    }
  }

  /// The member of an object.
  public subscript(name: StaticString) -> JSONElement? {
    document.read { reader in
      guard reader.nodes[place].kind == .object else { return nil }
      return reader.member(name, of: place).map { JSONElement(document: document, place: $0) }
    }
  }

  /// The members of an object in order.
  public var members: JSONMembers? {
    document.read { reader in
      guard reader.nodes[place].kind == .object else { return nil }
      return JSONMembers(document: document, place: place + 1, end: Int(reader.nodes[place].next))
    }
  }

  /// The bytes of a string that is base64url without padding, in its one canonical form; nil for anything else.
  public var base64URLValue: [UInt8]? {
    document.read { reader in
      guard reader.nodes[place].kind == .string else { return nil }
      guard reader.nodes[place].isPlain else { return try? Base64URL.decode(reader.string(at: place)) }
      return try? Base64Alphabet.url.decode(reader.content(at: place), padding: .forbidden)
    }
  }

  /// How many bytes a string is in base64url without padding, in its one canonical form; nil for anything else.
  public var base64URLCount: Int? {
    document.read { reader in
      guard reader.nodes[place].kind == .string else { return nil }
      guard reader.nodes[place].isPlain else { return (try? Base64URL.decode(reader.string(at: place)))?.count }
      return Base64Alphabet.url.count(ofCanonical: reader.content(at: place))
    }
  }

  /// The bytes that the value has in the text, as they stand there; of a string, what is between the quotes.
  public var textBytes: ArraySlice<UInt8> { document.bytes(at: place) }

  /// The value with all that it holds, copied.
  public var value: JSONValue { document.read { $0.value(at: place) } }
}

/// The elements of an array in a `JSONDocument`.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
  let document: JSONDocument
  var place: Int
  let end: Int

  public mutating func next() -> JSONElement? {
    guard place < end else { return nil }
    defer { place = document.read { Int($0.nodes[place].next) } }
    return JSONElement(document: document, place: place)
  }

  /// Counts the elements, without looking at them.
  public var count: Int { reduce(0) { count, _ in count + 1 } }
}

/// The members of an object in a `JSONDocument`.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
  let document: JSONDocument
  var place: Int
  let end: Int

  public mutating func next() -> (name: String, value: JSONElement)? {
    guard place < end else { return nil }
    let value = JSONElement(document: document, place: place + 1)
    let (name, next) = document.read { ($0.string(at: place), Int($0.nodes[place + 1].next)) }
    place = next
    return (name, value)
  }
}
