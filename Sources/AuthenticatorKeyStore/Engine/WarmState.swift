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

  /// The values of a counter that are reserved and not given out yet.
  struct Block {
    var next: UInt32
    let last: UInt32
  }

  private var version: Int64 = 0
  private var epoch: UInt64 = 0
  private var keys = BoundedCache<KeyTag, WarmKey>(limit: 1024)
  private var records = BoundedCache<KeyTag, KeyRecord>(limit: 1024)
  private var queries = BoundedCache<KeyQuery, [KeyRecord]>(limit: 256)
  private var blocks: [CounterID: Block] = [:]
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
    records.removeAll()
    queries.removeAll()
    blocks.removeAll()
  }

  /// Forgets what is known of one key, after or during a change of it.
  mutating func forget(_ tag: KeyTag) {
    epoch &+= 1
    keys.remove(tag)
    records.remove(tag)
    queries.removeAll()
    blocks[.key(tag)] = nil
  }

  /// Forgets the record of a key whose last use was written down; the opened key stays good.
  mutating func forgetRecord(_ tag: KeyTag) {
    epoch &+= 1
    records.remove(tag)
    queries.removeAll()
  }

  private func isCurrent(_ token: Token, _ version: Int64) -> Bool {
    token.epoch == epoch && version == self.version
  }

  mutating func key(_ tag: KeyTag) -> WarmKey? { keys.value(tag) }
  mutating func record(_ tag: KeyTag) -> KeyRecord? { records.value(tag) }
  mutating func result(of query: KeyQuery) -> [KeyRecord]? { queries.value(query) }

  mutating func insert(_ key: WarmKey, read version: Int64, _ token: Token) {
    if isCurrent(token, version) { keys.insert(key, for: key.tag) }
  }

  mutating func insert(_ record: KeyRecord, read version: Int64, _ token: Token) {
    if isCurrent(token, version) { records.insert(record, for: record.tag) }
  }

  mutating func insert(_ result: [KeyRecord], of query: KeyQuery, read version: Int64, _ token: Token) {
    if result.count <= Self.rowLimit, isCurrent(token, version) { queries.insert(result, for: query) }
  }

  /// The next reserved value; nil when there is none.
  mutating func next(of counter: CounterID) -> UInt32? {
    guard let block = blocks[counter], block.next <= block.last else { return nil }
    if block.next == block.last { blocks[counter] = nil } else { blocks[counter]?.next += 1 }
    return block.next
  }

  /// Keeps the rest of a reservation, unless a later one is there already.
  mutating func insert(_ block: Block, of counter: CounterID, read version: Int64, _ token: Token) {
    guard isCurrent(token, version), block.next <= block.last else { return }
    if let present = blocks[counter], present.last >= block.last { return }
    if blocks.count >= 4096 { blocks.removeAll() }
    blocks[counter] = block
  }
}
