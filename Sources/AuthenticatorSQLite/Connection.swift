internal import CSQLite
internal import CSQLiteShims
internal import Glibc

/// A value bound to a statement.
enum SQLiteValue {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  case null

  init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
  init(_ text: String?) { self = text.map { .text($0) } ?? .null }
  init(_ bytes: [UInt8]?) { self = bytes.map { .blob($0) } ?? .null }
}

/// An open database with its prepared statements. Closed by its deinit; never leaves the lock that guards it.
final class Connection {
  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]
  /// Nil: as the library was built.
  private var isSynchronous: Bool?
  /// The header of the log's index before `version` was read; while it stays the same, so does the version.
  private var header = [UInt8](repeating: 0, count: Int(AUTHKIT_WAL_HEADER_SIZE))
  private var version: Int64?
  /// A handle must not be used, nor closed, on the other side of a fork.
  private let process = getpid()

  /// Opens without touching the file's content.
  init(_ path: String, flags: Int32, busyTimeout: Int32) throws {
    var handle: OpaquePointer?
    let status = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_FULLMUTEX, nil)
    guard status == SQLITE_OK, let handle else {
      let code = handle.map { sqlite3_extended_errcode($0) } ?? status
      sqlite3_close_v2(handle)
      throw SQLiteFailure(code)
    }
    self.handle = handle
    sqlite3_extended_result_codes(handle, 1)
    // Before any statement: already the first one may meet another process.
    sqlite3_busy_timeout(handle, busyTimeout)
  }

  deinit {
    guard process == getpid() else { return }
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  func setBusyTimeout(_ milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  func setOption(_ option: Int32, _ isOn: Bool) throws {
    try check(authkit_sqlite_set_option(handle, option, isOn ? 1 : 0))
  }

  func setLimit(_ limit: Int32, _ value: Int32) { sqlite3_limit(handle, limit, value) }

  private func check(_ status: Int32) throws {
    guard status == SQLITE_OK else { throw SQLiteFailure(sqlite3_extended_errcode(handle)) }
  }

  /// Whether each commit waits for the disk.
  func setSynchronous(_ isFull: Bool) throws {
    guard isFull != isSynchronous else { return }
    try execute("PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")")
    isSynchronous = isFull
  }

  /// Runs statements that are not kept: schema, pragmas that act while they are prepared.
  func execute(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

  /// Runs one kept statement and reads every row it returns.
  func run(_ sql: String, _ values: [SQLiteValue] = [], row: (Row) throws -> Void = { _ in }) throws {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (offset, value) in values.enumerated() { try bind(value, at: Int32(truncatingIfNeeded: offset + 1), statement) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: try row(Row(statement: statement))
      case SQLITE_DONE: return
      default: throw SQLiteFailure(sqlite3_extended_errcode(handle))
      }
    }
  }

  /// Runs one kept statement; returns how many rows it changed.
  func change(_ sql: String, _ values: [SQLiteValue]) throws -> Int {
    try run(sql, values)
    return Int(sqlite3_changes(handle))
  }

  /// The first column of the first row; nil: there is no row.
  func integer(_ sql: String, _ values: [SQLiteValue] = []) throws -> Int64? {
    var result: Int64?
    try run(sql, values) { row in if result == nil { result = row.integer(0) } }
    return result
  }

  /// `PRAGMA data_version`: changes when another connection has written. Never waits: nil when it would have to.
  ///
  /// Asked at every signature. The statement costs two system calls; that nobody has committed since it ran is seen in
  /// shared memory. The comparison can only err towards running it again: the header is noted before the statement
  /// runs.
  func versionWithoutWaiting(thenWaiting patience: Int32) throws -> Int64? {
    if let version, authkit_sqlite_wal_is_unchanged(handle, header) == 1 { return version }
    version = nil
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, patience) }
    let isNoted = authkit_sqlite_wal_header(handle, &header) == 1
    do {
      let current = try integer("PRAGMA data_version")
      if isNoted { version = current }
      return current
    } catch let failure as SQLiteFailure where failure.isBusy {
      return nil
    }
  }

  private func prepared(_ sql: String) throws -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    guard let statement else { throw SQLiteFailure(SQLITE_MISUSE) }
    statements[sql] = statement
    return statement
  }

  private func bind(_ value: SQLiteValue, at position: Int32, _ statement: OpaquePointer) throws {
    let status =
      switch value {
      case .integer(let number): sqlite3_bind_int64(statement, position, number)
      case .null: sqlite3_bind_null(statement, position)
      case .blob(let bytes):
        bytes.withUnsafeBytes {
          authkit_sqlite_bind_blob(statement, position, $0.baseAddress, Int32(clamping: $0.count))
        }
      case .text(var text):
        text.withUTF8 { utf8 in
          utf8.withMemoryRebound(to: CChar.self) {
            authkit_sqlite_bind_text(statement, position, $0.baseAddress, Int32(clamping: $0.count))
          }
        }
      }
    try check(status)
  }

  /// The database as one byte string; for a database in memory.
  func serialized() throws -> [UInt8] {
    var size: sqlite3_int64 = 0
    guard let bytes = sqlite3_serialize(handle, "main", &size, 0) else { throw SQLiteFailure(SQLITE_NOMEM) }
    defer { sqlite3_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
  }
}

/// The current row of a running statement. Lenient about types: what a column does not hold reads as empty, and the
/// sealed halves of a record tell that it was altered.
struct Row {
  fileprivate let statement: OpaquePointer

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  func blob(_ column: Int32) -> [UInt8] {
    guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
  }

  func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }

  func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
