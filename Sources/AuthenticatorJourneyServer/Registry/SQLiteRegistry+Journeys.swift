public import AuthenticatorCore

extension SQLiteRegistry {
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
}
