import AuthenticatorCore

/// Changes tables in place and remembers how they were.
final class MemoryTransaction: RowTransaction {
  private(set) var tables: MemoryTables
  private var changes: [Change] = []

  private enum Change {
    case key(String, KeyRow?)
    case domain([UInt8], DomainRow?)
    case value(MemoryTables.LedgerKey, MemoryTables.LedgerValue?)
    case intent(String, [UInt8]?)
  }

  init(_ tables: MemoryTables) { self.tables = tables }

  /// Takes every change back, the last one first.
  func undo() {
    for change in changes.reversed() {
      switch change {
      case .key(let tag, let row): tables.setKey(tag, to: row)
      case .domain(let name, let row): tables.domains[name] = row
      case .value(let key, let value): tables.setValue(key, to: value)
      case .intent(let tag, let content): tables.intents[tag] = content
      }
    }
    changes = []
  }

  func foreignVersion() throws -> Int64 { 0 }

  func key(_ tag: String) throws -> KeyRow? { tables.keys[tag] }

  func keys(_ filter: KeyFilter) throws -> [KeyRow] {
    let rows =
      if filter.column == .all { Array(tables.keys.values) } else {
        (tables.tagsByColumn[filter.column] ?? []).compactMap { tables.keys[$0] }
      }
    let admitted = rows.filter(filter.admits).sorted { $0.order < $1.order }
    guard let page = filter.page else { return admitted }
    let before = page.before ?? .max
    return Array(admitted.prefix { $0.order < before }.suffix(page.count))
  }

  func insert(_ row: KeyRow) throws {
    guard tables.keys[row.tag] == nil else { throw AuthenticatorError(.keyExists, stage: "store.insert") }
    var row = row
    row.order = tables.nextOrder
    tables.nextOrder += 1
    changes.append(.key(row.tag, tables.setKey(row.tag, to: row)))
  }

  func update(_ row: KeyRow) throws {
    guard var present = tables.keys[row.tag] else { throw AuthenticatorError(.keyNotFound, stage: "store.update") }
    present.state = row.state
    present.version = row.version
    present.status = row.status
    present.index = row.index
    changes.append(.key(row.tag, tables.setKey(row.tag, to: present)))
  }

  func removeKey(_ tag: String) throws {
    changes.append(.key(tag, tables.setKey(tag, to: nil)))
    for key in tables.owned[tag] ?? [] { changes.append(.value(key, tables.setValue(key, to: nil))) }
  }

  func domain(_ name: [UInt8]) throws -> DomainRow? { tables.domains[name] }

  func setDomain(_ name: [UInt8], to row: DomainRow?) throws {
    changes.append(.domain(name, tables.domains[name]))
    tables.domains[name] = row
  }

  func value(_ kind: LedgerKind, _ name: [UInt8]) throws -> [UInt8]? {
    tables.ledger[.init(kind: kind, name: name)]?.value
  }

  func setValue(_ kind: LedgerKind, _ name: [UInt8], owner: String?, to value: [UInt8]?) throws {
    let key = MemoryTables.LedgerKey(kind: kind, name: name)
    changes.append(.value(key, tables.setValue(key, to: value.map { .init(owner: owner, value: $0) })))
  }

  func intents() throws -> [IntentRow] {
    tables.intents.sorted { $0.key < $1.key }.map { IntentRow(tag: $0.key, content: $0.value) }
  }

  func setIntent(_ tag: String, to content: [UInt8]?) throws {
    changes.append(.intent(tag, tables.intents[tag]))
    tables.intents[tag] = content
  }
}
