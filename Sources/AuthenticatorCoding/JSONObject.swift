/// The members of a JSON object, in order, each name once.
///
/// Names are compared as Swift compares strings, so two that differ only in Unicode composition are the same name.
/// Two objects are equal when they have the same members in any order.
public struct JSONObject: Sendable {
  /// A name with its value.
  public struct Member: Hashable, Sendable {
    /// The name, unescaped.
    public let name: String
    /// The value.
    public var value: JSONValue

    /// Makes a member.
    public init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// All members in order.
  public private(set) var members: [Member] = []
  /// The places of the names, once there are too many to search.
  private var places: [String: Int]?

  private static let searchLimit = 16

  /// Makes an object without members.
  public init() {}

  /// Takes members; a name that occurs twice keeps its first place and its last value.
  public init(_ members: some Sequence<(String, JSONValue)>) { self.init(Array(members)) }

  /// Takes members; a name that occurs twice keeps its first place and its last value.
  public init(_ members: [(String, JSONValue)]) {
    self.members.reserveCapacity(members.count)
    for (name, value) in members { self[name] = value }
  }

  /// For members whose names are known to differ.
  init(checked members: [Member]) {
    self.members = members
    indexIfLarge()
  }

  /// The number of members.
  public var count: Int { members.count }
  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }
  /// The names in order.
  public var names: [String] { members.map(\.name) }

  /// The value of a member. Setting appends or replaces in place; setting nil removes.
  public subscript(name: String) -> JSONValue? {
    get { place(of: name).map { members[$0].value } }
    set {
      guard let newValue else {
        if let place = place(of: name) {
          members.remove(at: place)
          places = nil
          indexIfLarge()
        }
        return
      }
      if let place = place(of: name) {
        members[place].value = newValue
      } else {
        add(name, newValue)
      }
    }
  }

  private mutating func add(_ name: String, _ value: JSONValue) {
    members.append(Member(name: name, value: value))
    if places != nil {
      places?[name] = members.count - 1
    } else {
      indexIfLarge()
    }
  }

  private mutating func indexIfLarge() {
    guard places == nil, members.count > Self.searchLimit else { return }
    var places: [String: Int] = [:]
    for (place, member) in members.enumerated() { places[member.name] = place }
    self.places = places
  }

  private func place(of name: String) -> Int? {
    if let places { return places[name] }
    // By index: a closure over members would copy each one's value.
    for place in members.indices where members[place].name == name { return place }
    return nil
  }
}

extension JSONObject: Hashable {
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
  }

  public func hash(into hasher: inout Hasher) {
    var combined = 0
    for member in members {
      var one = Hasher()
      one.combine(member)
      combined ^= one.finalize()
    }
    hasher.combine(combined)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

extension JSONObject: Sequence {
  public func makeIterator() -> some IteratorProtocol<Member> { members.makeIterator() }
}
