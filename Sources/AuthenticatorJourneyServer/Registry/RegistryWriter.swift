internal import Dispatch
internal import Synchronization

/// The one writer of a registry in this process: whatever waits is written in one transaction (group commit), what must
/// be durable in one that is synced to the disk.
///
/// The others survive the end of the process, not a power failure. They go first, so that they wait for the disk on
/// nobody else's account.
final class RegistryWriter: Sendable {
  /// One write. `run` returns what to do once the outcome of the whole transaction is known.
  private struct Job: Sendable {
    let isDurable: Bool
    let run: @Sendable (SQLiteConnection) -> @Sendable ((any Error)?) -> Void
    let refuse: @Sendable (any Error) -> Void
  }

  private struct Pending {
    var jobs: [Job] = []
    var isScheduled = false
  }

  /// What the queue alone touches.
  private final class Desk: @unchecked Sendable {
    // Unchecked because the connection is used on the writer's serial queue only.
    var connection: SQLiteConnection?
    var isFull: Bool?
  }

  private static let batchLimit = 256

  private let path: String
  private let queue = DispatchQueue(label: "journey-server.registry.writer")
  private let pending = Mutex(Pending())
  private let desk = Desk()

  init(path: String, connection: SQLiteConnection) {
    self.path = path
    desk.connection = connection
  }

  /// Runs `body` in a transaction and returns when that is committed.
  @discardableResult
  func write<Result: Sendable>(
    isDurable: Bool, _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      let job = Job(isDurable: isDurable) { connection in
        let result = Swift.Result { try Self.attempt(body, connection) }
        return { failure in
          // A refusal stands, whatever became of the others; a success only if it was committed.
          if let failure, case .success = result {
            continuation.resume(throwing: failure)
          } else {
            continuation.resume(with: result)
          }
        }
      } refuse: {
        continuation.resume(throwing: $0)
      }
      enqueue(job)
    }
  }

  /// One of several writes must not leave half of itself behind when it fails.
  private static func attempt<Result>(
    _ body: (SQLiteConnection) throws -> Result, _ connection: SQLiteConnection
  ) throws -> Result {
    try connection.run("SAVEPOINT one")
    do {
      let result = try body(connection)
      try connection.run("RELEASE one")
      return result
    } catch {
      try connection.run("ROLLBACK TO one")
      try connection.run("RELEASE one")
      throw error
    }
  }

  private func enqueue(_ job: Job) {
    let mustSchedule = pending.withLock { pending in
      pending.jobs.append(job)
      defer { pending.isScheduled = true }
      return !pending.isScheduled
    }
    if mustSchedule { queue.async { self.drain() } }
  }

  private func drain() {
    while true {
      let jobs = pending.withLock { pending -> [Job] in
        let jobs = Array(pending.jobs.prefix(Self.batchLimit))
        pending.jobs.removeFirst(jobs.count)
        if jobs.isEmpty { pending.isScheduled = false }
        return jobs
      }
      if jobs.isEmpty { return }
      commit(jobs.filter { !$0.isDurable }, isDurable: false)
      commit(jobs.filter(\.isDurable), isDurable: true)
    }
  }

  private func commit(_ jobs: [Job], isDurable: Bool) {
    if jobs.isEmpty { return }
    let connection: SQLiteConnection
    do {
      connection = try open()
      try sync(connection, isDurable)
      try connection.run("BEGIN IMMEDIATE")
    } catch {
      abandon(after: error)
      for job in jobs { job.refuse(error) }
      return
    }
    let finishers = jobs.map { $0.run(connection) }
    do {
      try connection.run("COMMIT")
      for finish in finishers { finish(nil) }
    } catch {
      // What failed is told to everybody; whether this works too changes nothing.
      try? connection.execute("ROLLBACK")
      abandon(after: error)
      for finish in finishers { finish(error) }
    }
  }

  private func open() throws -> SQLiteConnection {
    if let connection = desk.connection { return connection }
    let connection = try SQLiteConnection(path: path, isReader: false)
    try RegistryFile.prepare(connection)
    desk.connection = connection
    desk.isFull = nil
    return connection
  }

  private func sync(_ connection: SQLiteConnection, _ isFull: Bool) throws {
    guard desk.isFull != isFull else { return }
    try connection.execute(isFull ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
    desk.isFull = isFull
  }

  /// After a failed sync the kernel forgets which pages were not written, so the connection's view is worth nothing.
  private func abandon(after error: any Error) {
    guard (error as? RegistryError)?.code == .failed else { return }
    desk.connection = nil
  }
}

/// The reader of a registry: a connection of its own, so that no look-up waits for a disk to sync.
final class RegistryReader: Sendable {
  private final class Desk: @unchecked Sendable {
    // Unchecked because the connection is used on the reader's serial queue only.
    let connection: SQLiteConnection
    init(_ connection: SQLiteConnection) { self.connection = connection }
  }

  private let queue = DispatchQueue(label: "journey-server.registry.reader")
  private let desk: Desk

  init(connection: SQLiteConnection) { desk = Desk(connection) }

  func read<Result: Sendable>(
    _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [desk] in continuation.resume(with: Swift.Result { try body(desk.connection) }) }
    }
  }
}
