/// Keeps the entries used last, in two generations: when the younger one is full, the older one goes, and what was not
/// used since the last change of generations goes with it. Costs no more when full than before.
struct BoundedCache<Key: Hashable, Value> {
  private var young: [Key: Value] = [:]
  private var old: [Key: Value] = [:]
  private let generation: Int
  /// What was asked for last: the same thing is often asked for again, and to compare costs less than to hash.
  private var last: (key: Key, value: Value)?

  /// Keeps at most `limit` entries.
  init(limit: Int) { generation = max(1, limit / 2) }

  mutating func value(_ key: Key) -> Value? {
    if let last, last.key == key { return last.value }
    if let value = young[key] {
      last = (key, value)
      return value
    }
    guard let value = old.removeValue(forKey: key) else { return nil }
    insert(value, for: key)
    return value
  }

  mutating func insert(_ value: Value, for key: Key) {
    if young.count >= generation, young[key] == nil {
      old = young
      young = Dictionary(minimumCapacity: generation)
    }
    young[key] = value
    last = (key, value)
    if !old.isEmpty { old[key] = nil }
  }

  mutating func remove(_ key: Key) {
    if last?.key == key { last = nil }
    young[key] = nil
    old[key] = nil
  }

  mutating func removeAll() {
    last = nil
    if !young.isEmpty { young = [:] }
    if !old.isEmpty { old = [:] }
  }
}
