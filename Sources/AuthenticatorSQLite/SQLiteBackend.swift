import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
internal import CSQLite
internal import Glibc
import Synchronization

/// Rows in an SQLite file.
///
/// Every statement that may wait or touch the disk runs on a thread of its own. The one exception is
/// `foreignVersion()`: it looks at a few words of shared memory, every other millisecond also at the file's name, waits
/// for no other process, and saves each signature two changes of thread.
final class SQLiteBackend: RowBackend {
  let head: StoreHead
  /// What the head's code must be, given the right device secret.
  let headCode: [UInt8]
  let isWritable: Bool
  private let thread: BlockingThread
  private let slot: Mutex<Slot>
  /// With the absolute path of the file that was opened first.
  private let source: StoreSource
  private let process = getpid()

  /// What is open at the moment.
  private struct Slot: ~Copyable {
    var opened: OpenedFile?
    var generation: Int64
    var isDamaged: Bool
    /// When the file's name was last looked at outside a transaction.
    var lookedAt: Duration?
  }

  /// How long what is remembered may outlive the file: to look at each signature would cost as much as finding its key.
  private static let lookInterval = Duration.milliseconds(2)

  /// Opens the store at `source`; makes it, if asked to, when there is none.
  static func open(_ source: StoreSource) async throws -> SQLiteBackend {
    let thread = BlockingThread()
    return try await thread.run { try SQLiteBackend(source, thread) }
  }

  private init(_ source: StoreSource, _ thread: BlockingThread) throws {
    self.thread = thread
    let opened = try source.open()
    var source = source
    source.path = opened.file.path
    self.source = source
    head = opened.head
    headCode = opened.headCode
    isWritable = opened.isWritable
    slot = Mutex(
      Slot(opened: opened.access == .shared ? opened : nil, generation: 1, isDamaged: opened.isDamaged))
  }

  /// Whether the file is damaged: what can be read may be used, nothing is written.
  var isDamaged: Bool { slot.withLock { $0.isDamaged } }

  // MARK: Transactions

  func read<Result: Sendable>(
    _ body: @Sendable (any RowTransaction) throws -> Result
  ) async throws -> Result {
    try await thread.run {
      try self.withTransaction("store.read") { connection in
        try connection.run("BEGIN")
      } body: {
        try body($0)
      }
    }
  }

  func write<Result: Sendable>(
    _ durability: WriteDurability, _ body: @Sendable (any RowTransaction) throws -> Result
  ) async throws -> Result {
    guard isWritable else { throw readOnly }
    return try await thread.run {
      try self.withTransaction("store.write", isWrite: true) { connection in
        connection.setBusyTimeout(durability == .lazy ? 0 : self.source.busyTimeout)
        // Without waiting for the disk, a commit costs a fiftieth; the next durable one takes it along.
        try connection.setSynchronous(durability == .durable)
        try connection.run("BEGIN IMMEDIATE")
      } body: {
        try body($0)
      }
    }
  }

  func checkWritable() throws {
    guard isWritable else { throw readOnly }
    if slot.withLockIfAvailable({ $0.isDamaged }) ?? false { throw Self.damaged("store.write") }
  }

  private var readOnly: AuthenticatorError {
    AuthenticatorError(.storageFailed, stage: "store.write", reason: "the store is read-only: \(source.path)")
  }

  private static func damaged(_ stage: String) -> AuthenticatorError {
    AuthenticatorError(.storeDamaged, stage: stage, reason: "a damaged store is not written")
  }

  private func withTransaction<Result: Sendable>(
    _ stage: String, isWrite: Bool = false, begin: (Connection) throws -> Void,
    body: (any RowTransaction) throws -> Result
  ) throws -> Result {
    try checkProcess()
    return try slot.withLock { slot in
      if isWrite, slot.isDamaged { throw Self.damaged(stage) }
      let opened = try reopen(&slot)
      let connection = opened.connection
      // A makeshift keeps others out, or does not see them: it lasts no longer than it is needed.
      defer { if opened.access != .shared { slot.opened = nil } }
      var isCommitting = false
      do {
        defer { if isWrite { connection.setBusyTimeout(source.busyTimeout) } }
        try begin(connection)
        let transaction = SQLiteTransaction(
          connection: connection, generation: slot.generation, isDamaged: slot.isDamaged)
        let result = try body(transaction)
        isCommitting = true
        try connection.run("COMMIT")
        return result
      } catch {
        throw close(&slot, after: error, isCommitting: isCommitting && isWrite, stage)
      }
    }
  }

  /// Rolls back, and gives the handle up when its idea of the file may be wrong: after a failed synchronization a
  /// second one may report success although the pages are lost.
  private func close(
    _ slot: inout Slot, after error: any Error, isCommitting: Bool, _ stage: String
  ) -> any Error {
    var isPoisoned = false
    if let connection = slot.opened?.connection, connection.isInTransaction {
      do { try connection.execute("ROLLBACK") } catch { isPoisoned = true }
    }
    guard let failure = error as? SQLiteFailure else {
      if isPoisoned { slot.opened = nil }
      return error
    }
    if failure.isCorrupt { slot.isDamaged = true }
    if isPoisoned || failure.isPoisonous || (isCommitting && !failure.isBusy) { slot.opened = nil }
    return failure.error(stage, file: source.path)
  }

  private func reopen(_ slot: inout Slot) throws -> OpenedFile {
    if let opened = slot.opened {
      // A file put in place of ours must not be mistaken for it, and ours would be lost with its last handle.
      if try opened.file.isStill(opened.identity) { return opened }
      slot.opened = nil
      throw AuthenticatorError(.storageFailed, stage: "store.open", reason: "the store's file was replaced")
    }
    let opened = try source.reopen(as: head.id)
    slot.generation += 1
    slot.isDamaged = slot.isDamaged || opened.isDamaged
    slot.opened = opened
    return opened
  }

  private func checkProcess() throws {
    guard getpid() == process else {
      throw AuthenticatorError(
        .storageFailed, stage: "store", reason: "the store was opened before a fork; open it again in the child")
    }
  }

  // MARK: Versions and traces

  func foreignVersion() throws -> Int64? {
    try checkProcess()
    return try slot.withLockIfAvailable { slot -> Int64? in
      guard let opened = slot.opened else { return nil }
      // By the machine's clock, whatever time the caller's environment tells: it is the machine's file.
      let uptime = SystemClock.uptime()
      if slot.lookedAt.map({ uptime - $0 >= Self.lookInterval }) ?? true {
        // Nothing is current of a file that is gone: the next transaction says so.
        guard try opened.file.isStill(opened.identity) else { return nil }
        slot.lookedAt = uptime
      }
      do {
        let version = try opened.connection.versionWithoutWaiting(thenWaiting: source.busyTimeout)
        return version.map { slot.generation << 32 | $0 }
      } catch {
        throw close(&slot, after: error, isCommitting: false, "store.version")
      }
    } ?? nil
  }

  func scrub() async throws {
    guard isWritable else { return }
    try await thread.run {
      try self.checkProcess()
      try self.slot.withLock { slot in
        if slot.isDamaged { return }
        let opened = try self.reopen(&slot)
        let connection = opened.connection
        defer { if opened.access != .shared { slot.opened = nil } }
        do {
          // Waits for readers, within bounds; if one stays, the next call or the last closing does it.
          try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
          throw self.close(&slot, after: error, isCommitting: false, "store.scrub")
        }
      }
    }
  }
}

/// A thread for calls that block.
actor BlockingThread {
  private let executor = QueueExecutor(label: "AuthenticatorKit.SQLite")

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func run<Result: Sendable>(_ body: @Sendable () throws -> Result) throws -> Result { try body() }
}
