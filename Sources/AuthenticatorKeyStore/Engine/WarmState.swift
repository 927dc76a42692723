import AuthenticatorCore
import Synchronization

/// A key that is ready to sign without a look at its row.
final class WarmKey: Sendable {
  let tag: KeyTag
  let access: KeyAccess
  let opened: any OpenedKey
  /// When `lastUsedAt` was last written, in milliseconds; nil: never.
  let lastTouch: Mutex<Int64?>

  init(_ record: KeyRecord, opened: any OpenedKey) {
    tag = record.tag
    access = record.access
    self.opened = opened
    lastTouch = Mutex(record.lastUsedAt?.milliseconds)
  }
}

/// What this process remembers of its store. Everything here is worthless as soon as another process has written,
/// which `version` tells.
struct WarmState {
  /// Proof that nothing was changed by this process since a read began.
  struct Token: Sendable {
    fileprivate let epoch: UInt64
  }

  /// Values of a counter that are reserved. Remembered when all were given out too, since the next reservation depends
  /// on how soon that was.
  struct Block {
    fileprivate var next: UInt32
    fileprivate var left: UInt32
    fileprivate let last: UInt32
    fileprivate let size: UInt32
    fileprivate let reservedAt: Duration

    /// A reservation whose first value is given out already.
    init(_ values: ClosedRange<UInt32>, at uptime: Duration) {
      next = values.lowerBound &+ 1
      last = values.upperBound
      left = last - values.lowerBound
      size = left &+ 1
      reservedAt = uptime
    }
  }

  /// What is known of a key that has no warm one, and what proves it current.
  struct Known: Sendable {
    let key: StoredKey
    let version: Int64
    let token: Token
  }

  private var version: Int64 = 0
  private var epoch: UInt64 = 0
  private var keys = BoundedCache<KeyTag, WarmKey>(limit: 1024)
  private var rows = BoundedCache<KeyTag, StoredKey>(limit: 1024)
  private var queries = BoundedCache<KeyQuery, [KeyRecord]>(limit: 256)
  private var items = BoundedCache<ItemName, [UInt8]?>(limit: 256)
  private var blocks: [CounterID: Block] = [:]
  /// Longer items are not kept: what is looked at often is small. They stay in ordinary memory, as the copies of
  /// whoever read them do; keys, PINs and what they are derived from are no items.
  private static let itemLimit = 64
  /// Longer results are not kept.
  private static let rowLimit = 16

  var token: Token { Token(epoch: epoch) }

  /// Forgets everything when another process has written since.
  mutating func synchronize(_ version: Int64) {
    guard version != self.version else { return }
    self.version = version
    forget()
  }

  mutating func forget() {
    epoch &+= 1
    keys.removeAll()
    rows.removeAll()
    queries.removeAll()
    items.removeAll()
    blocks.removeAll()
  }

  /// Forgets what is known of one key, after or during a change of it.
  mutating func forget(_ tag: KeyTag) {
    epoch &+= 1
    keys.remove(tag)
    rows.remove(tag)
    queries.removeAll()
    // Among them are those that live and die with the key.
    items.removeAll()
    blocks[.key(tag)] = nil
  }

  /// Forgets one item, after or during a change of it.
  mutating func forget(_ item: ItemName) {
    epoch &+= 1
    items.remove(item)
  }

  /// Forgets the record of a key whose last use was written down; the opened key stays good.
  mutating func forgetRecord(_ tag: KeyTag) {
    epoch &+= 1
    rows.remove(tag)
    queries.removeAll()
  }

  private func isCurrent(_ token: Token, _ version: Int64) -> Bool {
    token.epoch == epoch && version == self.version
  }

  mutating func key(_ tag: KeyTag) -> WarmKey? { keys.value(tag) }
  mutating func record(_ tag: KeyTag) -> KeyRecord? { rows.value(tag)?.record }
  mutating func row(_ tag: KeyTag) -> Known? {
    rows.value(tag).map { Known(key: $0, version: version, token: token) }
  }
  mutating func result(of query: KeyQuery) -> [KeyRecord]? { queries.value(query) }
  /// Nil: nothing is known; a nil inside: the item is not there.
  mutating func item(_ name: ItemName) -> [UInt8]?? { items.value(name) }

  mutating func insert(_ key: WarmKey, read version: Int64, _ token: Token) {
    if isCurrent(token, version) { keys.insert(key, for: key.tag) }
  }

  mutating func insert(_ key: StoredKey, read version: Int64, _ token: Token) {
    if isCurrent(token, version) { rows.insert(key, for: key.record.tag) }
  }

  mutating func insert(_ result: [StoredKey], of query: KeyQuery, read version: Int64, _ token: Token) {
    guard result.count <= Self.rowLimit, isCurrent(token, version) else { return }
    queries.insert(result.map(\.record), for: query)
    // Whoever asks for a key opens it next.
    for key in result { rows.insert(key, for: key.record.tag) }
  }

  mutating func insert(_ item: [UInt8]?, of name: ItemName, read version: Int64, _ token: Token) {
    guard item?.count ?? 0 <= Self.itemLimit, isCurrent(token, version) else { return }
    items.insert(item, for: name)
  }

  /// The next reserved value; nil when there is none.
  mutating func next(of counter: CounterID) -> UInt32? {
    guard var block = blocks[counter], block.left > 0 else { return nil }
    let value = block.next
    block.next &+= 1
    block.left -= 1
    blocks[counter] = block
    return value
  }

  /// How many values to reserve next. Twice as many as last time when those lasted for less than a second: otherwise
  /// the disk, which makes each reservation durable, would bound how fast a busy key signs.
  func reservation(of counter: CounterID, standard: UInt32, at uptime: Duration) -> UInt32 {
    guard standard > 1, let former = blocks[counter], former.left == 0, uptime - former.reservedAt < .seconds(1) else {
      return standard
    }
    return max(standard, min(former.size, Self.blockLimit / 2) * 2)
  }

  private static let blockLimit: UInt32 = 4096

  /// Keeps the rest of a reservation, unless a later one is there already.
  mutating func insert(_ block: Block, of counter: CounterID, read version: Int64, _ token: Token) {
    guard isCurrent(token, version), block.left > 0 else { return }
    if let present = blocks[counter], present.last >= block.last { return }
    if blocks.count >= 4096 { blocks.removeAll() }
    blocks[counter] = block
  }
}
