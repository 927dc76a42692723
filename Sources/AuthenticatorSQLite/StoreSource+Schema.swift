import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
internal import CSQLite

extension StoreSource {
  // MARK: Checks

  func checkVersion(_ connection: Connection) throws -> Int64 {
    guard try connection.integer("PRAGMA application_id") == Schema.applicationID,
      let version = try connection.integer("PRAGMA user_version")
    else {
      throw AuthenticatorError(.notAStore, stage: "store.open", reason: "a database of another application")
    }
    guard version <= schema.version else {
      throw AuthenticatorError(
        .storeNewer, stage: "store.open", reason: "schema version \(version); \(schema.version) is known")
    }
    guard version == schema.version || schema.steps.contains(where: { $0.version == version }) else {
      throw AuthenticatorError(
        .storeDamaged, stage: "store.open", reason: "there was never a schema version \(version)")
    }
    return version
  }

  func schemaTexts(_ connection: Connection) throws -> [String] {
    var texts: [String] = []
    // Indexes that a constraint brings along have no text.
    try connection.run("SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_autoindex\\_%' ESCAPE '\\'") {
      row in
      texts.append(row.text(0))
    }
    return texts.sorted()
  }

  func readHead(_ connection: Connection) throws -> (StoreHead, [UInt8]) {
    var values: [String: [UInt8]] = [:]
    try connection.run("SELECT name, value FROM head LIMIT 16") { values[$0.text(0)] = $0.blob(1) }
    guard let id = values["id"], let secret = values["secret"], let code = values["code"], id.count == 16,
      secret.count == 32
    else { throw AuthenticatorError(.storeDamaged, stage: "store.open", reason: "the store's head is incomplete") }
    return (StoreHead(id: id, secret: SecretBytes(secret)), code)
  }

  /// Larger files are not read through at each opening.
  static let checkedPages: Int64 = 256

  /// Whether tables and indexes of a small store agree with each other.
  func isSound(_ connection: Connection) throws -> Bool {
    guard let pages = try connection.integer("PRAGMA page_count"), pages <= Self.checkedPages else { return true }
    var answer = ""
    do {
      try connection.run("PRAGMA integrity_check(1)") { answer = $0.text(0) }
    } catch let failure as SQLiteFailure where failure.isCorrupt { return false }
    return answer == "ok"
  }

  // MARK: Making and migrating

  func freshContent(_ head: StoreHead, _ code: [UInt8]) throws -> [UInt8] {
    do {
      let draft = try Connection(":memory:", flags: SQLITE_OPEN_READWRITE, busyTimeout: 0)
      try draft.execute("PRAGMA page_size = 4096")
      try draft.execute("BEGIN")
      for statement in schema.statements { try draft.execute(statement) }
      for (name, value) in [
        ("id", head.id), ("secret", head.secret.withUnsafeBytes { Array($0) }), ("code", code),
      ] {
        try draft.run("INSERT INTO head(name, value) VALUES(?1, ?2)", [.text(name), .blob(value)])
      }
      try draft.execute("PRAGMA application_id = \(Schema.applicationID)")
      try draft.execute("PRAGMA user_version = \(schema.version)")
      try draft.execute("COMMIT")
      var content = try draft.serialized()
      // File format versions 2 and 2: the file keeps a write-ahead log from its first use on.
      guard content.count >= 4096 else { throw SQLiteFailure(SQLITE_CORRUPT) }
      content[18] = 2
      content[19] = 2
      return content
    } catch let failure as SQLiteFailure { throw failure.error("store.create") }
  }

  /// Brings an older store up to date in one transaction.
  func migrate(_ connection: Connection) throws {
    try connection.execute("BEGIN IMMEDIATE")
    do {
      // Somebody else may have done it in the meantime.
      while let version = try connection.integer("PRAGMA user_version"), version < schema.version {
        guard let step = schema.steps.first(where: { $0.version == version }) else {
          throw AuthenticatorError(
            .storeDamaged, stage: "store.migrate", reason: "there was never a schema version \(version)")
        }
        for statement in step.statements { try connection.execute(statement) }
        try connection.execute("PRAGMA user_version = \(version + 1)")
      }
      try connection.execute("COMMIT")
    } catch {
      if connection.isInTransaction { try connection.execute("ROLLBACK") }
      throw error
    }
  }
}
