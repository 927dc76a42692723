public import AuthenticatorCore

extension SQLiteRegistry {
  public func takeAttempt(
    _ subject: AttemptSubject, policy: LockoutPolicy, now: UnixTime
  ) async throws -> AttemptDecision {
    let limit = limits.attemptSubjects
    return try await writer.write(isDurable: true) { connection in
      let stored = try connection.row(
        "SELECT failures, locked_until FROM attempt WHERE realm = ?1 AND subject = ?2", .text(subject.realm.path),
        .text(subject.key.text)
      ) { ($0.integer(0), $0.isNull(1) ? nil : UnixTime(milliseconds: $0.integer(1))) }
      if let until = stored?.1, until > now { return .locked(until: until) }
      // Whatever stands in the file, counting on from it must neither trap nor unlock.
      let failures = Int(min(max(stored?.0 ?? 0, 0), Int64(Int32.max))) + 1
      let lock = policy.lock(afterFailures: failures, at: now)
      if stored == nil { try Self.makeRoomForAttempt(connection, limit: limit) }
      try connection.run(
        """
        INSERT INTO attempt (realm, subject, failures, locked_until, updated_at) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (realm, subject) DO UPDATE SET failures = ?3, locked_until = ?4, updated_at = ?5
        """, .text(subject.realm.path), .text(subject.key.text), .integer(Int64(failures)),
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
        "DELETE FROM attempt WHERE realm = ?1 AND subject = ?2", .text(subject.realm.path), .text(subject.key.text))
    }
  }
}
