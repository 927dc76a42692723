import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
internal import CSQLite
internal import Glibc

/// How an open connection reaches the write-ahead log.
enum LogAccess {
  /// By an index in shared memory, together with other processes: the rule.
  case shared
  /// By an index of its own, under an exclusive lock: where the index finds no room.
  case alone
  /// Not at all, there is none: where the file or its folder may not be written.
  case snapshot
}

/// An open store file with everything checked that can be checked without its keys.
struct OpenedFile {
  let connection: Connection
  let access: LogAccess
  let file: StoreFile
  let identity: StoreFile.Identity
  let head: StoreHead
  /// Tells whether the head, and the device secret, are right.
  let headCode: [UInt8]
  let isWritable: Bool
  let isDamaged: Bool
}

/// How a store file is opened, each time.
struct StoreSource: Sendable {
  var path: String
  var schema: Schema
  var isReadOnly: Bool
  var createIfMissing: Bool
  /// In milliseconds.
  var busyTimeout: Int32
  /// The content of a fresh store: its head and the head's code.
  var makeHead: @Sendable () throws -> (head: StoreHead, code: [UInt8], unique: String)

  /// Opens the file; a missing one is made first, or is `storeMissing`.
  func open() throws -> OpenedFile {
    guard let file = try StoreFile(path, makesFolder: createIfMissing && !isReadOnly) else { throw missing }
    if try file.identity() == nil {
      guard createIfMissing, !isReadOnly else { throw missing }
      file.removeStaleDrafts()
      let (head, code, unique) = try makeHead()
      _ = try file.create(try freshContent(head, code), unique: unique)
    }
    return try open(file)
  }

  /// Opens the same store again after its handle was given up.
  func reopen(as id: [UInt8]) throws -> OpenedFile {
    guard let file = try StoreFile(path, makesFolder: false) else { throw gone }
    let opened = try open(file)
    guard opened.head.id == id else { throw gone }
    return opened
  }

  private var missing: AuthenticatorError { AuthenticatorError(.storeMissing, stage: "store.open") }
  private var gone: AuthenticatorError {
    AuthenticatorError(.storageFailed, stage: "store.open", reason: "the store's file is gone or was replaced")
  }

  // MARK: Opening

  private func open(_ file: StoreFile) throws -> OpenedFile {
    guard let identity = try file.identity() else { throw missing }
    // SQLite takes an empty file for a new database; here it is what is left of something else.
    guard identity.size >= 512 else {
      throw AuthenticatorError(.notAStore, stage: "store.open", reason: "the file is too short")
    }
    guard try file.size(of: "-journal") == 0 else {
      throw AuthenticatorError(.storeDamaged, stage: "store.open", reason: "a rollback journal stands beside the store")
    }
    let mayChange = !isReadOnly && !file.isOnReadOnlyMedium
    // What is not ours keeps its mode like its bytes.
    if mayChange, try file.isOpenToOthers(), hasOurMark(file) { try file.tightenMode() }
    let isWritable = mayChange && identity.isOwnerWritable
    let deadline = Deadline(milliseconds: busyTimeout)
    while true {
      do {
        return try openSomehow(file, identity, isWritable)
      } catch let failure as SQLiteFailure {
        // The first one to open recovers the log; others are told to come back without being made to wait.
        guard failure.isBusy, !deadline.hasPassed else {
          throw failure.isForeign
            ? AuthenticatorError(.notAStore, stage: "store.open", underlying: failure) : failure.error("store.open")
        }
        usleep(3000)
      }
    }
  }

  /// Opens the file as one among several; where there is no room or no right for that, as far as there is. A full disk
  /// must not keep a key from signing, nor must a folder that nothing can be added to.
  private func openSomehow(
    _ file: StoreFile, _ identity: StoreFile.Identity, _ isWritable: Bool
  ) throws -> OpenedFile {
    // Nothing is put beside a file that its owner made read-only: it would have that mode too, and outlive it.
    if !identity.isOwnerWritable, try file.size(of: "-wal") == 0 {
      return try open(file, identity, isWritable: false, .snapshot)
    }
    do {
      return try open(file, identity, isWritable: isWritable, .shared)
    } catch let failure as SQLiteFailure where failure.lacksRoomOrRight {
      if isWritable {
        do { return try open(file, identity, isWritable: true, .alone) } catch let failure as SQLiteFailure
          where failure.lacksRoomOrRight
        {}
      }
      guard try file.size(of: "-wal") == 0 else { throw failure }
      do { return try open(file, identity, isWritable: false, .snapshot) } catch is SQLiteFailure { throw failure }
    }
  }

  private func open(
    _ file: StoreFile, _ identity: StoreFile.Identity, isWritable: Bool, _ access: LogAccess
  ) throws -> OpenedFile {
    let connection = try connect(file, isWritable, access)
    try connection.setOption(SQLITE_DBCONFIG_DEFENSIVE, true)
    try connection.setOption(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    try connection.setOption(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    try connection.setOption(SQLITE_DBCONFIG_ENABLE_VIEW, false)
    // A file that turns out to be none of ours is left as it is: closing it must not write the log back.
    let hasLog = try file.size(of: "-wal") > 0
    try connection.setOption(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, hasLog)
    connection.setLimit(SQLITE_LIMIT_LENGTH, 16 << 20)
    connection.setLimit(SQLITE_LIMIT_ATTACHED, 0)
    try connection.execute("PRAGMA cell_size_check = ON")
    try connection.execute("PRAGMA temp_store = MEMORY")
    try connection.execute("PRAGMA mmap_size = 0")
    if access == .alone { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }

    let version = try checkVersion(connection)
    try connection.execute("PRAGMA cache_size = -16384")
    if version != schema.version {
      guard isWritable else {
        throw AuthenticatorError(.storageFailed, stage: "store.open", reason: "an older store must be writable once")
      }
      try prepareForWriting(connection)
      try migrate(connection)
    }
    guard try schemaTexts(connection) == schema.statements.sorted() else {
      throw AuthenticatorError(.storeDamaged, stage: "store.open", reason: "the schema is not the one of this version")
    }
    let (head, code) = try readHead(connection)
    if isWritable, version == schema.version { try prepareForWriting(connection) }
    let isDamaged = try !isSound(connection)
    if !isDamaged { try connection.setOption(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false) }
    return OpenedFile(
      connection: connection, access: access, file: file, identity: identity, head: head, headCode: code,
      isWritable: isWritable, isDamaged: isDamaged)
  }

  private func connect(_ file: StoreFile, _ isWritable: Bool, _ access: LogAccess) throws -> Connection {
    if isWritable {
      return try Connection(file.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, busyTimeout: busyTimeout)
    }
    // Without shared memory a log cannot be read; on a medium that never changes it need not be.
    guard try access == .snapshot || (file.isOnReadOnlyMedium && file.size(of: "-wal") == 0) else {
      return try Connection(file.path, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW, busyTimeout: busyTimeout)
    }
    return try snapshot(file)
  }

  /// The main file alone, which is neither locked nor given company.
  private func snapshot(_ file: StoreFile) throws -> Connection {
    try Connection(
      "file:\(file.path.percentEncoded)?immutable=1",
      flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOFOLLOW, busyTimeout: busyTimeout)
  }

  /// Whether the main file says that it is a store, of a version that is known here. What keeps it from being read is
  /// told when it is opened in earnest.
  private func hasOurMark(_ file: StoreFile) -> Bool {
    do {
      let connection = try snapshot(file)
      return try connection.integer("PRAGMA application_id") == Schema.applicationID
        && (connection.integer("PRAGMA user_version") ?? .max) <= schema.version
    } catch {
      return false
    }
  }

  private func prepareForWriting(_ connection: Connection) throws {
    try connection.execute("PRAGMA secure_delete = ON")
    try connection.setSynchronous(true)
    var mode = ""
    try connection.run("PRAGMA journal_mode") { mode = $0.text(0) }
    if mode != "wal" { try connection.run("PRAGMA journal_mode = WAL") { mode = $0.text(0) } }
    guard mode == "wal" else {
      throw AuthenticatorError(.storageFailed, stage: "store.open", reason: "no write-ahead log can be kept here")
    }
  }
}

/// A bound on waiting, by the clock that no one sets.
private struct Deadline {
  let end: Int64

  init(milliseconds: Int32) { end = Self.now &+ Int64(milliseconds) }

  var hasPassed: Bool { Self.now >= end }

  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
  }
}

extension String {
  /// For the path of an SQLite URI: everything but letters, digits, slash, dot, dash and underscore is escaped.
  fileprivate var percentEncoded: String {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/.-_".utf8)
    let digits = Array("0123456789ABCDEF")
    var result = ""
    for byte in utf8 {
      if plain.contains(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return result
  }
}
