import AuthenticatorCore
internal import CSQLite

/// A result code of SQLite. Holds no text from a statement, as that could repeat a value.
public struct SQLiteFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The extended result code.
  public let code: Int32
  public var description: String { "SQLite \(code): \(String(cString: sqlite3_errstr(code)))" }

  init(_ code: Int32) { self.code = code }

  private var primary: Int32 { code & 0xFF }

  var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }
  var isCorrupt: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }
  /// Whether the log or its index could not be made for want of room or of the right to.
  var lacksRoomOrRight: Bool {
    [SQLITE_FULL, SQLITE_READONLY, SQLITE_CANTOPEN].contains(primary)
      || [18, 19, 20, 21].map({ SQLITE_IOERR | $0 << 8 }).contains(code)  // SHMOPEN, SHMSIZE, SHMLOCK, SHMMAP
  }
  /// SQLITE_NOMEM, or SQLITE_IOERR_NOMEM.
  var isOutOfMemory: Bool { primary == SQLITE_NOMEM || code == SQLITE_IOERR | 12 << 8 }
  var isForeign: Bool { primary == SQLITE_NOTADB }
  /// A second row with a unique value (SQLITE_CONSTRAINT_UNIQUE).
  var isDuplicate: Bool { code == SQLITE_CONSTRAINT | 8 << 8 }
  /// Whether the handle's idea of the file may differ from the file from now on.
  var isPoisonous: Bool {
    [SQLITE_IOERR, SQLITE_FULL, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_NOMEM, SQLITE_CANTOPEN].contains(primary)
  }

  /// The failure in the package's vocabulary.
  /// - Parameter file: where it happened; nil where the caller's errors tell.
  func error(_ stage: String, file: String? = nil) -> AuthenticatorError {
    let reason = file.map { "\(description): \($0)" } ?? description
    return AuthenticatorError(authenticatorCode, stage: stage, reason: reason, underlying: self)
  }

  private var authenticatorCode: AuthenticatorError.Code {
    if isBusy { return .busy }
    if isCorrupt { return .storeDamaged }
    return isOutOfMemory ? .outOfMemory : .storageFailed
  }
}
