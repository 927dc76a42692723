internal import CSQLite
internal import CSQLiteShims

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// One value of a row or a parameter.
enum SQLValue {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])
}

/// A connection to the registry's file. Belongs to one queue; prepared statements are kept.
final class SQLiteConnection {
  private let database: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  /// Opens a database that exists, or an empty file that `RegistryFile` made.
  ///
  /// Throws `RegistryError`.
  init(path: String, isReader: Bool) throws {
    var handle: OpaquePointer?
    let access = isReader ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let code = sqlite3_open_v2(
      path, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE, nil)
    guard let handle, code == SQLITE_OK else {
      sqlite3_close_v2(handle)
      throw RegistryError(.failed, "the file cannot be opened", libraryCode: code)
    }
    database = handle
    // Before the first statement: switching to WAL and recovery meet other processes.
    sqlite3_busy_timeout(handle, 5_000)
    authkit_sqlite_set_option(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    authkit_sqlite_set_option(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1 << 22)
    do {
      try execute("PRAGMA cell_size_check = ON")
      try execute("PRAGMA cache_size = -2048")
    } catch {
      sqlite3_close_v2(handle)
      throw error
    }
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(database)
  }

  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes(database)) }

  /// Runs statements without parameters and rows.
  func execute(_ sql: String) throws {
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw Self.error(code) }
  }

  /// Runs one statement; returns how many rows it changed.
  @discardableResult
  func run(_ sql: String, _ values: SQLValue...) throws -> Int {
    try step(sql, values) { _ in }
    return changes
  }

  /// The rows of a statement.
  func rows<Row>(_ sql: String, _ values: SQLValue..., read: (SQLRow) throws -> Row) throws -> [Row] {
    var rows: [Row] = []
    try step(sql, values) { rows.append(try read($0)) }
    return rows
  }

  /// The first row of a statement; nil when there is none.
  func row<Row>(_ sql: String, _ values: SQLValue..., read: (SQLRow) throws -> Row) throws -> Row? {
    var row: Row?
    try step(sql, values) { if row == nil { row = try read($0) } }
    return row
  }

  private func step(_ sql: String, _ values: [SQLValue], each: (SQLRow) throws -> Void) throws {
    let statement = try prepare(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1), to: statement) }
    while true {
      let code = sqlite3_step(statement)
      switch code {
      case SQLITE_ROW: try each(SQLRow(statement: statement))
      case SQLITE_DONE: return
      default: throw Self.error(code)
      }
    }
  }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard let statement, code == SQLITE_OK else { throw Self.error(code) }
    statements[sql] = statement
    return statement
  }

  private func bind(_ value: SQLValue, at index: Int32, to statement: OpaquePointer) throws {
    let code: Int32
    switch value {
    case .null: code = sqlite3_bind_null(statement, index)
    case .integer(let number): code = sqlite3_bind_int64(statement, index, number)
    case .text(let text):
      // The count, not the terminating zero, says how long the text is: it may hold zeros itself.
      code = text.withCString { authkit_sqlite_bind_text(statement, index, $0, Int32(clamping: text.utf8.count)) }
    case .blob(let bytes):
      code = bytes.withUnsafeBytes {
        authkit_sqlite_bind_blob(statement, index, $0.baseAddress, Int32(clamping: $0.count))
      }
    }
    guard code == SQLITE_OK else { throw Self.error(code) }
  }

  /// The registry's word for a result code of SQLite.
  static func error(_ code: Int32) -> RegistryError {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: RegistryError(.busy, "another process holds the file", libraryCode: code)
    case SQLITE_CONSTRAINT: RegistryError(.conflict, "a row is there already", libraryCode: code)
    case SQLITE_NOTADB: RegistryError(.notARegistry, "the file is no database", libraryCode: code)
    case SQLITE_CORRUPT: RegistryError(.damaged, "the file is damaged", libraryCode: code)
    case SQLITE_FULL: RegistryError(.failed, "the disk is full", libraryCode: code)
    default: RegistryError(.failed, "the database failed", libraryCode: code)
    }
  }
}

/// The row a statement stands at; good until its next step.
struct SQLRow {
  fileprivate let statement: OpaquePointer

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  /// Text; throws `RegistryError` (`damaged`) when it is not UTF-8.
  func text(_ column: Int32) throws -> String {
    guard let text = String(validating: try bytes(column), as: UTF8.self) else {
      throw RegistryError(.damaged, "a text is not UTF-8")
    }
    return text
  }

  func optionalText(_ column: Int32) throws -> String? { isNull(column) ? nil : try text(column) }

  func bytes(_ column: Int32) throws -> [UInt8] {
    guard let pointer = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: pointer, count: Int(sqlite3_column_bytes(statement, column))))
  }
}
