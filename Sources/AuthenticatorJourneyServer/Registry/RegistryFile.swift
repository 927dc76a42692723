internal import CSQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The registry's file: made safely, recognized, and brought to the present schema.
enum RegistryFile {
  /// "AKJR"
  static let applicationID: Int64 = 0x414B_4A52

  /// Makes an empty file, readable by its owner alone, unless there is one.
  ///
  /// Throws `RegistryError`: `notARegistry` for a symbolic link, a directory or anything else that is no plain file.
  static func create(_ path: String) throws {
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else { throw RegistryError(.notARegistry, "not a plain file") }
      return
    }
    guard errno == ENOENT else { throw RegistryError(.failed, "the file cannot be looked at") }
    // An existing file is never opened here: closing it again would drop the locks of this process's connections.
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      // Another process may have made it at this moment.
      if errno == EEXIST { return }
      throw RegistryError(.failed, "the file cannot be made")
    }
    close(descriptor)
  }

  /// Recognizes the file and makes the tables it does not have yet: all of them when it is empty, the later ones when
  /// an earlier version made it.
  ///
  /// Throws `RegistryError`: `notARegistry`, `newer` (nothing was written), `damaged`, `busy`.
  static func prepare(_ connection: SQLiteConnection) throws {
    try recognize(connection)
    try switchToWAL(connection)
    try connection.execute("PRAGMA journal_size_limit = 16777216")
    try connection.execute("BEGIN IMMEDIATE")
    do {
      let stored = Int(clamping: try number("PRAGMA user_version", connection))
      // Another process may have brought it further than this one knows since it was recognized.
      guard stored <= RegistrySchema.version else { throw RegistryError(.newer, "written by a newer version") }
      if stored < RegistrySchema.version {
        for step in RegistrySchema.steps[max(stored, 0)...] {
          for statement in step { try connection.execute(statement) }
        }
        try connection.execute("PRAGMA application_id = \(applicationID)")
        try connection.execute("PRAGMA user_version = \(RegistrySchema.version)")
      }
      try check(connection)
      try connection.execute("COMMIT")
    } catch {
      // The transaction is over either way; the first error is the one to tell.
      try? connection.execute("ROLLBACK")
      throw error
    }
  }

  private static func recognize(_ connection: SQLiteConnection) throws {
    let objects = try number("SELECT count(*) FROM sqlite_schema", connection)
    let id = try number("PRAGMA application_id", connection)
    let stored = try number("PRAGMA user_version", connection)
    if objects == 0, id == 0, stored == 0 { return }
    guard id == applicationID else { throw RegistryError(.notARegistry, "a database of something else") }
    guard stored <= RegistrySchema.version else { throw RegistryError(.newer, "written by a newer version") }
  }

  /// A fresh file may be switched by several processes at once, and SQLite does not wait then.
  private static func switchToWAL(_ connection: SQLiteConnection) throws {
    for attempt in 1... {
      do {
        return try connection.execute("PRAGMA journal_mode = WAL")
      } catch let error as RegistryError where error.code == .busy && attempt < 100 {
        usleep(20_000)
      }
    }
  }

  /// The tables must be the ones of this version and nothing else: a trigger or view would run with our rights.
  private static func check(_ connection: SQLiteConnection) throws {
    let stored = try connection.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL") { try $0.text(0) }
    guard Set(stored) == Set(RegistrySchema.steps.joined()) else {
      throw RegistryError(.damaged, "the schema is not the expected one")
    }
  }

  private static func number(_ sql: String, _ connection: SQLiteConnection) throws -> Int64 {
    try connection.row(sql) { $0.integer(0) } ?? 0
  }
}
