import AuthenticatorCrypto
import Synchronization

/// Rows in this process's memory.
package final class MemoryBackend: RowBackend {
  package let head: StoreHead
  private let tables = Mutex(MemoryTables())

  package init(head: StoreHead) { self.head = head }

  package var isWritable: Bool { true }
  package func checkWritable() throws {}

  package func read<Result: Sendable>(
    _ body: @Sendable (any RowTransaction) throws -> Result
  ) async throws -> Result {
    try tables.withLock { tables in
      let transaction = MemoryTransaction(tables)
      return try body(transaction)
    }
  }

  package func write<Result: Sendable>(
    _ durability: WriteDurability, _ body: @Sendable (any RowTransaction) throws -> Result
  ) async throws -> Result {
    try tables.withLock { tables in
      // The transaction owns the tables while it runs, so that changing them copies nothing.
      let transaction = MemoryTransaction(tables)
      tables = MemoryTables()
      do {
        let result = try body(transaction)
        tables = transaction.tables
        return result
      } catch {
        transaction.undo()
        tables = transaction.tables
        throw error
      }
    }
  }

  package func foreignVersion() throws -> Int64? { 0 }

  package func scrub() async throws {}
}

struct MemoryTables {
  struct LedgerKey: Hashable {
    let kind: LedgerKind
    let name: [UInt8]
  }
  struct LedgerValue {
    let owner: String?
    let value: [UInt8]
  }

  var nextOrder: Int64 = 1
  var keys: [String: KeyRow] = [:]
  var tagsByColumn: [KeyFilter.Column: Set<String>] = [:]
  var domains: [[UInt8]: DomainRow] = [:]
  var ledger: [LedgerKey: LedgerValue] = [:]
  var owned: [String: Set<LedgerKey>] = [:]
  var intents: [String: [UInt8]] = [:]

  /// Puts, replaces or removes a row and keeps the look-up sets in step; returns the former row.
  @discardableResult
  mutating func setKey(_ tag: String, to row: KeyRow?) -> KeyRow? {
    let former = keys[tag]
    for column in former?.index.columns ?? [] {
      tagsByColumn[column]?.remove(tag)
      if tagsByColumn[column]?.isEmpty == true { tagsByColumn[column] = nil }
    }
    keys[tag] = row
    for column in row?.index.columns ?? [] { tagsByColumn[column, default: []].insert(tag) }
    return former
  }

  @discardableResult
  mutating func setValue(_ key: LedgerKey, to value: LedgerValue?) -> LedgerValue? {
    let former = ledger[key]
    if let owner = former?.owner {
      owned[owner]?.remove(key)
      if owned[owner]?.isEmpty == true { owned[owner] = nil }
    }
    ledger[key] = value
    if let owner = value?.owner { owned[owner, default: []].insert(key) }
    return former
  }
}

extension KeyIndex {
  fileprivate var columns: [KeyFilter.Column] {
    [.instance(instance), .party(party), .account(account)]
      + [slot.map { .slot($0) }, name.map { .name($0) }]
      .compactMap { $0 }
  }
}
