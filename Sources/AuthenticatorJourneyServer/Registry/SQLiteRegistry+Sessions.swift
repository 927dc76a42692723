internal import AuthenticatorCoding
public import AuthenticatorCore

extension SQLiteRegistry {
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
