/// The layout of a store file: what a fresh file of this version contains, and how older ones become one.
package struct Schema: Sendable {
  /// Brings a file from `version` to the next one, within the transaction that also raises the version.
  package struct Step: Sendable {
    var version: Int64
    var statements: [String]
    package init(from version: Int64, _ statements: [String]) {
      self.version = version
      self.statements = statements
    }
  }

  /// `PRAGMA application_id`: "AuKs".
  package static let applicationID: Int64 = 0x4175_4B73

  /// `PRAGMA user_version`.
  package var version: Int64
  /// One statement for each object of the schema. The text in a file must be exactly this: whatever else is there
  /// (a trigger, a view, a changed column) was put there by somebody else.
  package var statements: [String]
  /// Steps from older versions, in order.
  package var steps: [Step]

  package init(version: Int64, statements: [String], steps: [Step]) {
    self.version = version
    self.statements = statements
    self.steps = steps
  }

  /// Version 1.
  ///
  /// Rowid tables throughout: they are several times faster to fill than tables without rowid.
  package static let current = Schema(
    version: 1,
    statements: [
      "CREATE TABLE head(name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT",
      """
      CREATE TABLE keys(id INTEGER PRIMARY KEY, tag TEXT NOT NULL UNIQUE, instance INTEGER NOT NULL, \
      party INTEGER NOT NULL, account INTEGER NOT NULL, slot INTEGER, name INTEGER, state INTEGER NOT NULL, \
      version INTEGER NOT NULL, record BLOB NOT NULL, status BLOB NOT NULL, material BLOB NOT NULL, \
      secrets BLOB) STRICT
      """,
      "CREATE INDEX keys_party ON keys(party)",
      "CREATE INDEX keys_account ON keys(account)",
      "CREATE INDEX keys_slot ON keys(slot) WHERE slot IS NOT NULL",
      "CREATE INDEX keys_name ON keys(name) WHERE name IS NOT NULL",
      """
      CREATE TABLE domains(name BLOB PRIMARY KEY, id BLOB NOT NULL, algorithm TEXT NOT NULL, log_n INTEGER NOT NULL, \
      r INTEGER NOT NULL, p INTEGER NOT NULL, salt BLOB NOT NULL, wrap BLOB NOT NULL, code BLOB NOT NULL) STRICT
      """,
      """
      CREATE TABLE ledger(kind INTEGER NOT NULL, name BLOB NOT NULL, owner TEXT, value BLOB NOT NULL, \
      PRIMARY KEY(kind, name)) STRICT
      """,
      "CREATE INDEX ledger_owner ON ledger(owner) WHERE owner IS NOT NULL",
      "CREATE TABLE intents(tag TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT",
    ],
    steps: [])
}
