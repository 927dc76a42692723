/// Keeps the entries used last; when it is full, the older half goes.
struct BoundedCache<Key: Hashable, Value> {
  private var entries: [Key: (value: Value, used: UInt64)] = [:]
  private var clock: UInt64 = 0
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  mutating func value(_ key: Key) -> Value? {
    guard let position = entries.index(forKey: key) else { return nil }
    clock &+= 1
    entries.values[position].used = clock
    return entries.values[position].value
  }

  mutating func insert(_ value: Value, for key: Key) {
    clock &+= 1
    entries[key] = (value, clock)
    guard entries.count > limit else { return }
    let middle = entries.values.map(\.used).sorted()[entries.count / 2]
    entries = entries.filter { $0.value.used >= middle }
  }

  mutating func remove(_ key: Key) { entries[key] = nil }

  mutating func removeAll() { entries = [:] }
}
