/// The pairs of a CBOR map, each key once, in the order CTAP2 writes them: lower major type first, then the shorter
/// encoding, then by bytes.
public struct CBORMap: Hashable, Sendable {
  /// One pair.
  public struct Entry: Hashable, Sendable {
    /// Never changes, since the order depends on it.
    public let key: CBORValue
    /// What stands under the key.
    public internal(set) var value: CBORValue
  }

  /// All pairs in canonical order.
  public private(set) var entries: [Entry] = []

  /// A map without pairs.
  public init() {}

  /// Takes pairs in any order; a key that occurs twice keeps its last value.
  public init(_ pairs: some Sequence<(CBORValue, CBORValue)>) {
    for (key, value) in pairs { self[key] = value }
  }

  /// The number of pairs.
  public var count: Int { entries.count }
  /// Whether there are no pairs.
  public var isEmpty: Bool { entries.isEmpty }
  /// The keys in canonical order.
  public var keys: [CBORValue] { entries.map(\.key) }

  /// The value under a key. Setting inserts in place or replaces; setting nil removes.
  public subscript(key: CBORValue) -> CBORValue? {
    get {
      let (index, isFound) = place(of: key)
      return isFound ? entries[index].value : nil
    }
    set {
      let (index, isFound) = place(of: key)
      switch (newValue, isFound) {
      case (let value?, true): entries[index].value = value
      case (let value?, false): entries.insert(Entry(key: key, value: value), at: index)
      case (nil, true): entries.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// Where the key is, or where it belongs.
  private func place(of key: CBORValue) -> (index: Int, isFound: Bool) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      switch CanonicalOrder.compare(entries[middle].key, key) {
      case .same: return (middle, true)
      case .before: low = middle + 1
      case .after: high = middle
      }
    }
    return (low, false)
  }

  // MARK: - For the decoder

  /// Appends a pair whose key was found to come after all others.
  mutating func appendLast(_ key: CBORValue, _ value: CBORValue) {
    entries.append(Entry(key: key, value: value))
  }

  /// How the last pair's key stands to this one; nil when there is none.
  func orderOfLast(to key: CBORValue) -> CanonicalOrder? {
    entries.last.map { CanonicalOrder.compare($0.key, key) }
  }

  /// Puts pairs that were appended in any order into canonical order; false when two have the same key.
  mutating func sort() -> Bool {
    entries.sort { CanonicalOrder.compare($0.key, $1.key) == .before }
    return zip(entries, entries.dropFirst()).allSatisfy { CanonicalOrder.compare($0.key, $1.key) == .before }
  }
}

extension CBORMap: Sequence {
  public func makeIterator() -> some IteratorProtocol<Entry> { entries.makeIterator() }
}

extension CBORMap: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) { self.init(elements) }
}
