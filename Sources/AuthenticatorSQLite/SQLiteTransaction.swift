import AuthenticatorCore
import AuthenticatorKeyStore
internal import CSQLite

/// Row access on an open connection; lives inside one transaction.
///
/// On a damaged file nothing is found by index, and nothing that was not found counts as absent.
struct SQLiteTransaction: RowTransaction {
  let connection: Connection
  /// Distinguishes this connection's versions from those of its predecessors.
  let generation: Int64
  let isDamaged: Bool

  private static let columns =
    "id, tag, instance, party, account, slot, name, state, version, record, status, material, secrets"
  private var source: String { isDamaged ? "keys NOT INDEXED" : "keys" }

  private static func row(_ row: Row) -> KeyRow {
    KeyRow(
      order: row.integer(0), tag: row.text(1),
      index: KeyIndex(
        instance: row.integer(2), party: row.integer(3), account: row.integer(4), slot: row.optionalInteger(5),
        name: row.optionalInteger(6)),
      state: row.integer(7), version: row.integer(8), record: row.blob(9), status: row.blob(10),
      material: row.blob(11), secrets: row.optionalBlob(12))
  }

  private static let unknowable = AuthenticatorError(
    .storeDamaged, stage: "store.read", reason: "what was not found may have been lost")

  func foreignVersion() throws -> Int64 {
    generation << 32 | (try connection.integer("PRAGMA data_version") ?? 0)
  }

  // MARK: Keys

  func key(_ tag: String) throws -> KeyRow? {
    let found = try select("tag = ?1", [.text(tag)])
    if found.isEmpty, isDamaged { throw Self.unknowable }
    return found.first
  }

  func keys(_ filter: KeyFilter) throws -> [KeyRow] {
    let (condition, value): (String, Int64) =
      switch filter.column {
      case .all: ("?1 = 0", 0)
      case .instance(let value): ("instance = ?1", value)
      case .party(let value): ("party = ?1", value)
      case .account(let value): ("account = ?1", value)
      case .slot(let value): ("slot = ?1", value)
      case .name(let value): ("name = ?1", value)
      }
    let admitted = "\(condition) AND (?2 = -1 OR (?2 >> state) & 1 = 1)"
    let values: [SQLiteValue] = [.integer(value), .integer(filter.states)]
    // What a damaged file still holds is read as a whole: pages of it would hide what cannot be reached.
    let found =
      if let page = filter.page, !isDamaged { try select(page, of: admitted, values) } else {
        try select(admitted, values)
      }
    if found.isEmpty, isDamaged { throw Self.unknowable }
    return found
  }

  /// Walks an index from its end: a page costs the same however many rows there are.
  private func select(
    _ page: KeyFilter.Page, of condition: String, _ values: [SQLiteValue]
  ) throws -> [KeyRow] {
    var found: [KeyRow] = []
    try connection.run(
      "SELECT \(Self.columns) FROM keys WHERE \(condition) AND id < ?3 ORDER BY id DESC LIMIT ?4",
      values + [.integer(page.before ?? .max), .integer(Int64(page.count))]
    ) { found.append(Self.row($0)) }
    return found.reversed()
  }

  private func select(_ condition: String, _ values: [SQLiteValue]) throws -> [KeyRow] {
    var found: [KeyRow] = []
    let query = "SELECT \(Self.columns) FROM \(source) WHERE \(condition) ORDER BY id"
    do {
      try connection.run(query, values) { found.append(Self.row($0)) }
    } catch let failure as SQLiteFailure where failure.isCorrupt && isDamaged {
      // Rows behind the damage can still be reached from the other end.
      var rest: [KeyRow] = []
      do { try connection.run("\(query) DESC", values) { rest.append(Self.row($0)) } } catch let failure
        as SQLiteFailure where failure.isCorrupt
      {}
      let known = Set(found.map(\.order))
      found += rest.reversed().filter { !known.contains($0.order) }
    }
    return found
  }

  func insert(_ row: KeyRow) throws {
    do {
      try connection.run(
        """
        INSERT INTO keys(tag, instance, party, account, slot, name, state, version, record, status, material, secrets) \
        VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        """,
        [
          .text(row.tag), .integer(row.index.instance), .integer(row.index.party), .integer(row.index.account),
          SQLiteValue(row.index.slot), SQLiteValue(row.index.name), .integer(row.state), .integer(row.version),
          .blob(row.record), .blob(row.status), .blob(row.material), SQLiteValue(row.secrets),
        ])
    } catch let failure as SQLiteFailure where failure.isDuplicate {
      throw AuthenticatorError(.keyExists, stage: "store.insert", underlying: failure)
    }
  }

  func update(_ row: KeyRow) throws {
    // The other look-up values never change, and naming a column in an update rewrites its index whether it changed or
    // not; a key's name changes once at most.
    let name = SQLiteValue(row.index.name)
    let values: [SQLiteValue] = [
      .text(row.tag), name, .integer(row.state), .integer(row.version), .blob(row.status),
    ]
    let isDone = try connection.change(
      "UPDATE keys SET state = ?3, version = ?4, status = ?5 WHERE tag = ?1 AND name IS ?2", values)
    if isDone > 0 { return }
    try connection.run("UPDATE keys SET name = ?2, state = ?3, version = ?4, status = ?5 WHERE tag = ?1", values)
  }

  func removeKey(_ tag: String) throws {
    try connection.run("DELETE FROM keys WHERE tag = ?1", [.text(tag)])
    try connection.run("DELETE FROM ledger WHERE owner = ?1", [.text(tag)])
  }

  // MARK: Domains

  func domain(_ name: [UInt8]) throws -> DomainRow? {
    var found: DomainRow?
    try connection.run(
      "SELECT id, algorithm, log_n, r, p, salt, wrap, code FROM domains WHERE name = ?1", [.blob(name)]
    ) { row in
      found = DomainRow(
        id: row.blob(0), algorithm: row.text(1), logN: row.integer(2), r: row.integer(3), p: row.integer(4),
        salt: row.blob(5), wrap: row.blob(6), code: row.blob(7))
    }
    if found == nil, isDamaged { throw Self.unknowable }
    return found
  }

  func setDomain(_ name: [UInt8], to row: DomainRow?) throws {
    guard let row else { return try connection.run("DELETE FROM domains WHERE name = ?1", [.blob(name)]) }
    try connection.run(
      """
      INSERT INTO domains(name, id, algorithm, log_n, r, p, salt, wrap, code) \
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \
      ON CONFLICT(name) DO UPDATE SET id = ?2, algorithm = ?3, log_n = ?4, r = ?5, p = ?6, salt = ?7, wrap = ?8, \
      code = ?9
      """,
      [
        .blob(name), .blob(row.id), .text(row.algorithm), .integer(row.logN), .integer(row.r), .integer(row.p),
        .blob(row.salt), .blob(row.wrap), .blob(row.code),
      ])
  }

  // MARK: Ledger and intents

  func value(_ kind: LedgerKind, _ name: [UInt8]) throws -> [UInt8]? {
    var found: [UInt8]?
    try connection.run(
      "SELECT value FROM ledger WHERE kind = ?1 AND name = ?2", [.integer(kind.rawValue), .blob(name)]
    ) { found = $0.blob(0) }
    if found == nil, isDamaged { throw Self.unknowable }
    return found
  }

  func setValue(_ kind: LedgerKind, _ name: [UInt8], owner: String?, to value: [UInt8]?) throws {
    // A value's name says whose it is: the owner never changes, nor does its index have to be written again.
    guard let value else {
      return try connection.run(
        "DELETE FROM ledger WHERE kind = ?1 AND name = ?2", [.integer(kind.rawValue), .blob(name)])
    }
    try connection.run(
      """
      INSERT INTO ledger(kind, name, owner, value) VALUES(?1, ?2, ?3, ?4) \
      ON CONFLICT(kind, name) DO UPDATE SET value = ?4
      """,
      [.integer(kind.rawValue), .blob(name), SQLiteValue(owner), .blob(value)])
  }

  func intents() throws -> [IntentRow] {
    var found: [IntentRow] = []
    try connection.run("SELECT tag, content FROM intents ORDER BY tag") { row in
      found.append(IntentRow(tag: row.text(0), content: row.blob(1)))
    }
    return found
  }

  func setIntent(_ tag: String, to content: [UInt8]?) throws {
    guard let content else { return try connection.run("DELETE FROM intents WHERE tag = ?1", [.text(tag)]) }
    try connection.run(
      "INSERT INTO intents(tag, content) VALUES(?1, ?2) ON CONFLICT(tag) DO UPDATE SET content = ?2",
      [.text(tag), .blob(content)])
  }
}
