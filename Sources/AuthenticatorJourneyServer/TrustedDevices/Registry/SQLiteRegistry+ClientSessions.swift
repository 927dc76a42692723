internal import AuthenticatorCoding
public import AuthenticatorCore

extension SQLiteRegistry {
  private static let columns =
    "id, client_id, realm, user_id, strategy, tasks, created_at, updated_at, expires_at, ending"

  private static func session(_ row: SQLRow) throws -> ClientSessionRecord {
    guard let tasks = try? JSONValue.parse(try row.text(5)).arrayValue?.compactMap(\.stringValue) else {
      throw RegistryError(.damaged, "a client's session is malformed")
    }
    var ending: ClientSessionRecord.Ending?
    if let word = try row.optionalText(9) {
      guard let known = ClientSessionRecord.Ending(rawValue: word) else {
        throw RegistryError(.damaged, "a client's session is malformed")
      }
      ending = known
    }
    return ClientSessionRecord(
      id: try row.text(0), clientID: try row.text(1), realm: try realm(row.text(2)), userID: try row.text(3),
      strategy: try row.text(4), tasks: tasks, createdAt: UnixTime(milliseconds: row.integer(6)),
      updatedAt: UnixTime(milliseconds: row.integer(7)), expiresAt: UnixTime(milliseconds: row.integer(8)),
      ending: ending)
  }

  private static func all(ofClient clientID: String, _ connection: SQLiteConnection) throws -> [ClientSessionRecord] {
    try connection.rows(
      "SELECT \(columns) FROM client_session WHERE client_id = ?1 ORDER BY created_at DESC, rowid DESC",
      .text(clientID), read: session)
  }

  // MARK: Signing in

  public func signIn(_ signIn: ClientSignIn, now: UnixTime) async throws -> ClientSignInResult {
    let session = signIn.session
    let limit = limits.sessions
    return try await writer.write(isDurable: true) { connection in
      try self.sweepIfDue(connection, now: now)
      if let challenge = signIn.challenge, try Self.isUsed(challenge, connection) { return .challengeUsed }
      let sessions = try Self.all(ofClient: session.clientID, connection)
      if let conflict = signIn.conflict(with: sessions, now: now) { return conflict }
      if let id = signIn.deviceID, try !Self.noteUse(id, session.realm, at: now, connection) { return .deviceGone }
      try self.takeRoom(\.clientSessions, in: "client_session", limit: limit, connection)
      if let challenge = signIn.challenge { try Self.use(challenge, connection) }
      try Self.insert(session, connection)
      let forgotten =
        try Self.forget(
          beyond: TrustedDeviceBounds.sessionsPerClient, where: "client_id = ?2", now, connection,
          .text(session.clientID))
        + Self.forget(
          beyond: TrustedDeviceBounds.sessionsPerUser, where: "realm = ?2 AND user_id = ?3", now, connection,
          .text(session.realm.path), .text(session.userID))
      self.giveRoom(\.clientSessions, rows: forgotten)
      return .signedIn
    }
  }

  private static func insert(_ session: ClientSessionRecord, _ connection: SQLiteConnection) throws {
    try connection.run(
      "INSERT INTO client_session (\(columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)", .text(session.id),
      .text(session.clientID), .text(session.realm.path), .text(session.userID), .text(session.strategy),
      .text(json(session.tasks)), .integer(session.createdAt.milliseconds), .integer(session.updatedAt.milliseconds),
      .integer(session.expiresAt.milliseconds), session.ending.map { .text($0.rawValue) } ?? .null)
  }

  private static func json(_ tasks: [String]) -> String {
    JSONValue.array(tasks.map(JSONValue.string)).serializedString()
  }

  /// Removes the sessions of a group beyond its limit, those that are over first, then the oldest; returns how many.
  private static func forget(
    beyond limit: Int, where condition: StaticString, _ now: UnixTime, _ connection: SQLiteConnection,
    _ first: SQLValue, _ second: SQLValue = .null
  ) throws -> Int {
    try connection.run(
      """
      DELETE FROM client_session WHERE rowid IN (SELECT rowid FROM client_session WHERE \(condition)
        ORDER BY ending IS NULL AND expires_at > ?1 DESC, created_at DESC, rowid DESC LIMIT -1 OFFSET ?4)
      """, .integer(now.milliseconds), first, second, .integer(Int64(limit)))
  }

  /// Removes sessions whose time has been over for a while.
  func removeOldClientSessions(_ connection: SQLiteConnection, now: UnixTime) throws {
    let limit = now.advanced(by: .zero - TrustedDeviceBounds.retention)
    try connection.run("DELETE FROM client_session WHERE expires_at <= ?1", .integer(limit.milliseconds))
  }

  // MARK: Looking up and ending

  public func clientSessions(ofClient clientID: String) async throws -> [ClientSessionRecord] {
    try await reader.read { try Self.all(ofClient: clientID, $0) }
  }

  public func endClientSessions(
    _ id: String?, ofClient clientID: String, at time: UnixTime
  ) async throws -> [ClientSessionRecord] {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        """
        UPDATE client_session SET ending = ?3, updated_at = ?4
        WHERE client_id = ?1 AND (?2 IS NULL OR id = ?2) AND ending IS NULL AND expires_at > ?4
        """, .text(clientID), id.map(SQLValue.text) ?? .null,
        .text(ClientSessionRecord.Ending.removed.rawValue), .integer(time.milliseconds))
      return try Self.all(ofClient: clientID, connection).filter { id == nil || $0.id == id }
    }
  }

  public func completeTask(
    _ task: String, ofSession id: String, client clientID: String, at time: UnixTime
  ) async throws -> ClientSessionRecord? {
    try await writer.write(isDurable: true) { connection in
      guard var session = try Self.all(ofClient: clientID, connection).first(where: { $0.id == id }) else {
        return nil
      }
      session.tasks.removeAll { $0 == task }
      session.updatedAt = time
      try connection.run(
        "UPDATE client_session SET tasks = ?2, updated_at = ?3 WHERE id = ?1", .text(id),
        .text(Self.json(session.tasks)), .integer(time.milliseconds))
      return session
    }
  }

  public func revokeClientSessions(ofUser userID: String, realm: Realm, at time: UnixTime) async throws {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        """
        UPDATE client_session SET ending = ?3, updated_at = ?4
        WHERE realm = ?1 AND user_id = ?2 AND ending IS NULL AND expires_at > ?4
        """, .text(realm.path), .text(userID), .text(ClientSessionRecord.Ending.revoked.rawValue),
        .integer(time.milliseconds))
    }
  }
}
