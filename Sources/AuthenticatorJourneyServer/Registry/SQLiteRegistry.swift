internal import AuthenticatorCoding
public import AuthenticatorCore
public import AuthenticatorCrypto
internal import Synchronization

/// A registry in one SQLite file (WAL, synced where the protocol says durable).
///
/// The file holds the keys of the step tokens and is readable by its owner alone. Several servers on one machine may
/// share it.
public final class SQLiteRegistry: JourneyRegistry {
  private let writer: RegistryWriter
  private let reader: RegistryReader
  private let limits: RegistryLimits
  private let counts = Mutex(Counts())

  /// Row counts as far as this process knows them, so that limits cost no scan, and when old rows were last removed.
  private struct Counts {
    var journeys: Int?
    var sessions: Int?
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

  // MARK: Token keys

  public func tokenKeys() async throws -> [TokenKeyRecord] {
    try await reader.read { connection in
      try connection.rows("SELECT id, secret, created_at FROM token_key ORDER BY created_at DESC, id") { row in
        TokenKeyRecord(
          id: try row.text(0), secret: SecretBytes(try row.bytes(1)),
          createdAt: UnixTime(milliseconds: row.integer(2)))
      }
    }
  }

  public func addTokenKey(_ key: TokenKeyRecord, forgettingBefore oldest: UnixTime) async throws {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        "INSERT INTO token_key (id, secret, created_at) VALUES (?1, ?2, ?3)", .text(key.id),
        .blob(key.secret.withUnsafeBytes { Array($0) }), .integer(key.createdAt.milliseconds))
      try connection.run("DELETE FROM token_key WHERE created_at < ?1", .integer(oldest.milliseconds))
    }
  }

  public func secret(_ name: String, orElse candidate: SecretBytes) async throws -> SecretBytes {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        "INSERT OR IGNORE INTO secret (name, value) VALUES (?1, ?2)", .text(name),
        .blob(candidate.withUnsafeBytes { Array($0) }))
      let stored = try connection.row("SELECT value FROM secret WHERE name = ?1", .text(name)) { try $0.bytes(0) }
      return SecretBytes(stored ?? [])
    }
  }

  // MARK: Users

  private static let userColumns = "realm, id, name, password, is_active"

  private static func user(_ row: SQLRow) throws -> UserRecord {
    var password: PasswordHash?
    if let text = try row.optionalText(3) {
      guard let hash = PasswordHash(text: text) else { throw RegistryError(.damaged, "a password hash is malformed") }
      password = hash
    }
    return UserRecord(
      id: try row.text(1), realm: try realm(row.text(0)), name: try row.text(2), password: password,
      isActive: row.integer(4) != 0)
  }

  private static func realm(_ text: String) throws -> Realm {
    guard let realm = Realm(text) else { throw RegistryError(.damaged, "a realm is malformed") }
    return realm
  }

  public func user(named name: String, in realm: Realm) async throws -> UserRecord? {
    try await reader.read { connection in
      try connection.row(
        "SELECT \(Self.userColumns) FROM user WHERE realm = ?1 AND name_key = ?2", .text(realm.path),
        .text(UserRecord.nameKey(name)), read: Self.user)
    }
  }

  public func user(id: String, in realm: Realm) async throws -> UserRecord? {
    try await reader.read { connection in
      try connection.row(
        "SELECT \(Self.userColumns) FROM user WHERE realm = ?1 AND id = ?2", .text(realm.path), .text(id),
        read: Self.user)
    }
  }

  public func addUser(_ user: UserRecord) async throws {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        "INSERT INTO user (realm, id, name, name_key, password, is_active) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        .text(user.realm.path), .text(user.id), .text(user.name), .text(UserRecord.nameKey(user.name)),
        Self.password(user), .integer(user.isActive ? 1 : 0))
    }
  }

  public func updateUser(_ user: UserRecord) async throws -> Bool {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        "UPDATE user SET password = ?3, is_active = ?4 WHERE realm = ?1 AND id = ?2", .text(user.realm.path),
        .text(user.id), Self.password(user), .integer(user.isActive ? 1 : 0)) == 1
    }
  }

  private static func password(_ user: UserRecord) -> SQLValue { user.password.map { .text($0.text) } ?? .null }

  // MARK: Attempts

  public func takeAttempt(
    _ subject: AttemptSubject, policy: LockoutPolicy, now: UnixTime
  ) async throws -> AttemptDecision {
    let limit = limits.attemptSubjects
    return try await writer.write(isDurable: true) { connection in
      let stored = try connection.row(
        "SELECT failures, locked_until FROM attempt WHERE realm = ?1 AND subject = ?2", .text(subject.realm.path),
        .text(subject.key)
      ) { ($0.integer(0), $0.isNull(1) ? nil : UnixTime(milliseconds: $0.integer(1))) }
      if let until = stored?.1, until > now { return .locked(until: until) }
      let failures = Int(stored?.0 ?? 0) + 1
      let lock = policy.lock(afterFailures: failures, at: now)
      if stored == nil { try Self.makeRoomForAttempt(connection, limit: limit) }
      try connection.run(
        """
        INSERT INTO attempt (realm, subject, failures, locked_until, updated_at) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (realm, subject) DO UPDATE SET failures = ?3, locked_until = ?4, updated_at = ?5
        """, .text(subject.realm.path), .text(subject.key), .integer(Int64(failures)),
        lock.map { .integer($0.milliseconds) } ?? .null, .integer(now.milliseconds))
      return .granted
    }
  }

  /// Names cost nothing to make up, so the oldest give way; every one of them has cost a password derivation.
  private static func makeRoomForAttempt(_ connection: SQLiteConnection, limit: Int) throws {
    let count = try connection.row("SELECT count(*) FROM attempt") { Int($0.integer(0)) } ?? 0
    guard count >= limit else { return }
    try connection.run("DELETE FROM attempt WHERE rowid IN (SELECT rowid FROM attempt ORDER BY updated_at LIMIT 64)")
  }

  public func resetAttempts(_ subject: AttemptSubject) async throws {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        "DELETE FROM attempt WHERE realm = ?1 AND subject = ?2", .text(subject.realm.path), .text(subject.key))
    }
  }

  // MARK: Journeys

  public func consumeStep(
    _ step: Int, ofJourney journey: JourneyID, expiresAt: UnixTime, now: UnixTime
  ) async throws -> Bool {
    guard expiresAt > now else { return false }
    return try await writer.write(isDurable: false) { connection in
      try self.sweepIfDue(connection, now: now)
      // Half of the random id is enough: two journeys that share it would refuse each other's steps, never allow them.
      let key = SQLValue.integer(Int64(bitPattern: journey.low))
      let later = try connection.run(
        "UPDATE step SET step = ?2, expires_at = ?3 WHERE journey = ?1 AND step < ?2", key, .integer(Int64(step)),
        .integer(expiresAt.milliseconds))
      if later == 1 { return true }
      if try connection.row("SELECT 1 FROM step WHERE journey = ?1", key, read: { _ in true }) == true { return false }
      try self.takeRoom(\.journeys, in: "step", limit: self.limits.journeys, connection)
      try connection.run(
        "INSERT INTO step (journey, step, expires_at) VALUES (?1, ?2, ?3)", key, .integer(Int64(step)),
        .integer(expiresAt.milliseconds))
      return true
    }
  }

  /// Counts a row about to be added. Throws `RegistryError` (`full`) when the table has as many as allowed.
  private func takeRoom(
    _ count: any WritableKeyPath<Counts, Int?> & Sendable, in table: String, limit: Int, _ connection: SQLiteConnection
  ) throws {
    let known = counts.withLock { $0[keyPath: count] }
    let rows = try known ?? connection.row("SELECT count(*) FROM \(table)") { Int($0.integer(0)) } ?? 0
    guard rows < limit else { throw RegistryError(.full, "too many rows of \(table)") }
    counts.withLock { $0[keyPath: count] = rows + 1 }
  }

  /// Removes what has expired, now and then.
  private func sweepIfDue(_ connection: SQLiteConnection, now: UnixTime) throws {
    let isDue = counts.withLock { counts -> Bool in
      if let last = counts.lastSweep, now < last.advanced(by: Self.sweepInterval), now >= last { return false }
      counts.lastSweep = now
      counts.journeys = nil
      counts.sessions = nil
      return true
    }
    guard isDue else { return }
    for table in ["step", "parked", "session"] {
      try connection.run("DELETE FROM \(table) WHERE expires_at <= ?1", .integer(now.milliseconds))
    }
  }

  public func rememberedJourneyCount() async throws -> Int {
    try await reader.read { try $0.row("SELECT count(*) FROM step") { Int($0.integer(0)) } ?? 0 }
  }

  public func park(_ state: String, under digest: [UInt8], expiresAt: UnixTime, now: UnixTime) async throws {
    let limit = limits.parkedJourneys
    try await writer.write(isDurable: true) { connection in
      try connection.run("DELETE FROM parked WHERE expires_at <= ?1", .integer(now.milliseconds))
      let count = try connection.row("SELECT count(*) FROM parked") { Int($0.integer(0)) } ?? 0
      guard count < limit else { throw RegistryError(.full, "parked journeys") }
      try connection.run(
        "INSERT INTO parked (digest, state, expires_at) VALUES (?1, ?2, ?3)", .blob(digest), .text(state),
        .integer(expiresAt.milliseconds))
    }
  }

  public func unpark(_ digest: [UInt8], now: UnixTime) async throws -> String? {
    try await writer.write(isDurable: true) { connection in
      let parked = try connection.row(
        "DELETE FROM parked WHERE digest = ?1 RETURNING state, expires_at", .blob(digest)
      ) { (try $0.text(0), $0.integer(1)) }
      guard let parked, parked.1 > now.milliseconds else { return nil }
      return parked.0
    }
  }

  // MARK: Sessions

  public func addSession(_ session: SessionRecord, now: UnixTime) async throws {
    let limit = limits.sessions
    let journeys = JSONValue.array(session.journeys.map(JSONValue.string)).serializedString()
    try await writer.write(isDurable: false) { connection in
      try self.sweepIfDue(connection, now: now)
      try self.takeRoom(\.sessions, in: "session", limit: limit, connection)
      try connection.run(
        """
        INSERT INTO session (digest, realm, user_id, username, journeys, created_at, expires_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """, .blob(session.tokenDigest), .text(session.realm.path), .text(session.userID), .text(session.username),
        .text(journeys), .integer(session.createdAt.milliseconds), .integer(session.expiresAt.milliseconds))
    }
  }

  public func session(_ tokenDigest: [UInt8], now: UnixTime) async throws -> SessionRecord? {
    try await reader.read { connection in
      try connection.row(
        """
        SELECT digest, realm, user_id, username, journeys, created_at, expires_at FROM session
        WHERE digest = ?1 AND expires_at > ?2
        """, .blob(tokenDigest), .integer(now.milliseconds)
      ) { row in
        guard let journeys = try? JSONValue.parse(try row.text(4)).arrayValue?.compactMap(\.stringValue) else {
          throw RegistryError(.damaged, "a session is malformed")
        }
        return SessionRecord(
          tokenDigest: try row.bytes(0), realm: try Self.realm(row.text(1)), userID: try row.text(2),
          username: try row.text(3), journeys: journeys, createdAt: UnixTime(milliseconds: row.integer(5)),
          expiresAt: UnixTime(milliseconds: row.integer(6)))
      }
    }
  }

  public func removeSession(_ tokenDigest: [UInt8]) async throws -> Bool {
    try await writer.write(isDurable: true) { connection in
      try connection.run("DELETE FROM session WHERE digest = ?1", .blob(tokenDigest)) == 1
    }
  }

  public func removeSessions(ofUser userID: String, realm: Realm) async throws {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        "DELETE FROM session WHERE realm = ?1 AND user_id = ?2", .text(realm.path), .text(userID))
    }
  }
}

// MARK: - Devices

extension SQLiteRegistry {
  private static let deviceColumns =
    "family, realm, external_id, user_id, uuid, name, device_id, key, counter, attributes, created_at, last_access_at"

  private static func device(_ row: SQLRow) throws -> DeviceRecord {
    guard let key = try? JSONValue.parse(try row.text(7)).objectValue,
      let attributes = try? JSONValue.parse(try row.text(9)).objectValue
    else { throw RegistryError(.damaged, "a device's key is malformed") }
    return DeviceRecord(
      family: DeviceRecord.Family(rawValue: try row.text(0)), realm: try realm(row.text(1)),
      externalID: try row.text(2), userID: try row.text(3), uuid: try row.text(4), name: try row.text(5),
      deviceID: try row.text(6), key: key, counter: row.integer(8), attributes: attributes,
      createdAt: UnixTime(milliseconds: row.integer(10)), lastAccessAt: UnixTime(milliseconds: row.integer(11)))
  }

  private static func find(
    _ externalID: String, _ family: DeviceRecord.Family, _ realm: Realm, _ connection: SQLiteConnection
  ) throws -> DeviceRecord? {
    try connection.row(
      "SELECT \(deviceColumns) FROM device WHERE family = ?1 AND realm = ?2 AND external_id = ?3",
      .text(family.rawValue), .text(realm.path), .text(externalID), read: device)
  }

  public func addDevice(_ device: DeviceRecord, limit: Int) async throws -> DeviceAddition {
    try await writer.write(isDurable: true) { connection in
      if let stored = try Self.find(device.externalID, device.family, device.realm, connection) {
        return stored.userID == device.userID && stored.key == device.key ? .alreadyPresent : .conflict
      }
      if limit > 0 {
        let count = try connection.row(
          "SELECT count(*) FROM device WHERE realm = ?1 AND user_id = ?2 AND family = ?3", .text(device.realm.path),
          .text(device.userID), .text(device.family.rawValue)
        ) { Int($0.integer(0)) }
        guard count ?? 0 < limit else { return .limitReached }
      }
      try connection.run(
        "INSERT INTO device (\(Self.deviceColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        .text(device.family.rawValue), .text(device.realm.path), .text(device.externalID), .text(device.userID),
        .text(device.uuid), .text(device.name), .text(device.deviceID), .text(device.key.serializedString()),
        .integer(device.counter), .text(device.attributes.serializedString()), .integer(device.createdAt.milliseconds),
        .integer(device.lastAccessAt.milliseconds))
      return .added
    }
  }

  public func device(
    _ externalID: String, family: DeviceRecord.Family, realm: Realm
  ) async throws -> DeviceRecord? {
    try await reader.read { try Self.find(externalID, family, realm, $0) }
  }

  public func devices(
    ofUser userID: String, family: DeviceRecord.Family, realm: Realm
  ) async throws -> [DeviceRecord] {
    try await reader.read { connection in
      try connection.rows(
        """
        SELECT \(Self.deviceColumns) FROM device WHERE realm = ?1 AND user_id = ?2 AND family = ?3
        ORDER BY created_at, rowid
        """, .text(realm.path), .text(userID), .text(family.rawValue), read: Self.device)
    }
  }

  public func touchDevice(_ device: DeviceRecord, at time: UnixTime) async throws {
    try await writer.write(isDurable: false) { connection in
      try connection.run(
        "UPDATE device SET last_access_at = ?4 WHERE family = ?1 AND realm = ?2 AND external_id = ?3",
        .text(device.family.rawValue), .text(device.realm.path), .text(device.externalID),
        .integer(time.milliseconds))
    }
  }

  public func advanceDevice(_ device: DeviceRecord) async throws -> Bool {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        """
        UPDATE device SET counter = ?4, attributes = ?5, last_access_at = ?6
        WHERE family = ?1 AND realm = ?2 AND external_id = ?3 AND (counter < ?4 OR counter = 0 AND ?4 = 0)
        """, .text(device.family.rawValue), .text(device.realm.path), .text(device.externalID),
        .integer(device.counter), .text(device.attributes.serializedString()),
        .integer(device.lastAccessAt.milliseconds)) == 1
    }
  }

  public func removeDevice(
    _ externalID: String, ofUser userID: String, family: DeviceRecord.Family, realm: Realm
  ) async throws -> DeviceRecord? {
    try await writer.write(isDurable: true) { connection in
      guard let stored = try Self.find(externalID, family, realm, connection), stored.userID == userID else {
        return nil
      }
      try connection.run(
        "DELETE FROM device WHERE family = ?1 AND realm = ?2 AND external_id = ?3", .text(family.rawValue),
        .text(realm.path), .text(externalID))
      return stored
    }
  }
}
