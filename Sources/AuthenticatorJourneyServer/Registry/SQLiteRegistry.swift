internal import AuthenticatorCore
internal import Synchronization

/// A registry in one SQLite file (WAL, synced where the protocol says durable).
///
/// The file holds the keys of the step tokens and is readable by its owner alone. Several servers on one machine may
/// share it.
public final class SQLiteRegistry: JourneyRegistry {
  let writer: RegistryWriter
  let reader: RegistryReader
  let limits: RegistryLimits
  private let counts = Mutex(Counts())

  /// Row counts as far as this process knows them, so that limits cost no scan, and when old rows were last removed.
  struct Counts {
    var journeys: Int?
    var sessions: Int?
    var clientSessions: Int?
    var usedChallenges: Int?
    var lastSweep: UnixTime?
  }

  private static let sweepInterval: Duration = .seconds(30)

  /// Opens the file, or makes it.
  ///
  /// Blocks while it does. Throws `RegistryError`: `notARegistry` (also for a symbolic link), `newer`, `damaged`,
  /// `busy`, `failed`.
  public init(path: String, limits: RegistryLimits = .default) throws {
    self.limits = limits
    try RegistryFile.create(path)
    let connection = try SQLiteConnection(path: path, isReader: false)
    try RegistryFile.prepare(connection)
    writer = RegistryWriter(path: path, connection: connection)
    reader = RegistryReader(connection: try SQLiteConnection(path: path, isReader: true))
  }

  // MARK: - What the parts share

  static func realm(_ text: String) throws -> Realm {
    guard let realm = Realm(text) else { throw RegistryError(.damaged, "a realm is malformed") }
    return realm
  }

  /// Counts a row about to be added. Throws `RegistryError` (`full`) when the table has as many as allowed.
  func takeRoom(
    _ count: any WritableKeyPath<Counts, Int?> & Sendable, in table: String, limit: Int, _ connection: SQLiteConnection
  ) throws {
    let known = counts.withLock { $0[keyPath: count] }
    let rows = try known ?? connection.row("SELECT count(*) FROM \(table)") { Int($0.integer(0)) } ?? 0
    guard rows < limit else { throw RegistryError(.full, "too many rows of \(table)") }
    counts.withLock { $0[keyPath: count] = rows + 1 }
  }

  /// Counts rows that were removed.
  func giveRoom(_ count: any WritableKeyPath<Counts, Int?> & Sendable, rows: Int) {
    counts.withLock { counts in
      if let known = counts[keyPath: count] { counts[keyPath: count] = max(known - rows, 0) }
    }
  }

  /// Removes what has expired, now and then.
  func sweepIfDue(_ connection: SQLiteConnection, now: UnixTime) throws {
    let isDue = counts.withLock { counts -> Bool in
      if let last = counts.lastSweep, now < last.advanced(by: Self.sweepInterval), now >= last { return false }
      counts.lastSweep = now
      counts.journeys = nil
      counts.sessions = nil
      counts.clientSessions = nil
      counts.usedChallenges = nil
      return true
    }
    guard isDue else { return }
    for table in ["step", "parked", "session", "used_challenge"] {
      try connection.run("DELETE FROM \(table) WHERE expires_at <= ?1", .integer(now.milliseconds))
    }
    try removeOldClientSessions(connection, now: now)
  }
}
