import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

/// Steps that were taken, journeys that wait, and sessions.
extension JourneyRegistryTests {
  @Test(arguments: RegistryKind.allCases) func takesStepsForwardOnly(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    let (one, two) = (try journey(1), try journey(2))
    func take(_ step: Int, _ id: JourneyID) async throws -> Bool {
      try await registry.consumeStep(step, ofJourney: id, expiresAt: later(300), now: start)
    }
    #expect(try await take(1, one))
    #expect(try await take(1, one) == false)
    #expect(try await take(3, one))
    #expect(try await take(2, one) == false)
    #expect(try await take(1, two))
    #expect(try await registry.rememberedJourneyCount() == 2)
    #expect(try await registry.consumeStep(9, ofJourney: two, expiresAt: start, now: start) == false)
  }

  @Test(arguments: RegistryKind.allCases) func letsOneOfManyTakeAStep(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    let id = try journey(1)
    let (expiry, now) = (later(300), start)
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<100 {
        group.addTask { try await registry.consumeStep(1, ofJourney: id, expiresAt: expiry, now: now) }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
  }

  @Test(arguments: RegistryKind.allCases) func boundsTheJourneysItRemembers(kind: RegistryKind) async throws {
    let registry = try kind.make(directory, limits: RegistryLimits(journeys: 3))
    for number in 1...3 as ClosedRange<UInt8> {
      #expect(
        try await registry.consumeStep(1, ofJourney: try journey(number), expiresAt: later(300), now: start))
    }
    let fourth = try journey(4)
    await #expect(throws: RegistryError(.full)) {
      try await registry.consumeStep(1, ofJourney: fourth, expiresAt: later(300), now: start)
    }
    // Those under way go on, and room comes back when they are over.
    #expect(try await registry.consumeStep(2, ofJourney: try journey(1), expiresAt: later(300), now: start))
    let much = later(10_000)
    #expect(
      try await registry.consumeStep(
        1, ofJourney: fourth, expiresAt: much.advanced(by: .seconds(300)), now: much))
    #expect(try await registry.rememberedJourneyCount() == 1)
  }

  @Test(arguments: RegistryKind.allCases) func givesAParkedJourneyBackOnce(kind: RegistryKind) async throws {
    let registry = try kind.make(directory, limits: RegistryLimits(parkedJourneys: 2))
    try await registry.park("one", under: [1], expiresAt: later(10), now: start)
    try await registry.park("two", under: [2], expiresAt: later(20), now: start)
    await #expect(throws: RegistryError(.full)) {
      try await registry.park("three", under: [3], expiresAt: later(20), now: start)
    }
    #expect(try await registry.unpark([9], now: start) == nil)
    #expect(try await registry.unpark([1], now: later(10)) == nil)
    #expect(try await registry.unpark([2], now: later(10)) == "two")
    #expect(try await registry.unpark([2], now: later(10)) == nil)
    try await registry.park("three", under: [3], expiresAt: later(20), now: start)
  }

  @Test(arguments: RegistryKind.allCases) func keepsSessionsUntilTheyEnd(kind: RegistryKind) async throws {
    let registry = try kind.make(directory, limits: RegistryLimits(sessions: 3))
    func session(_ number: UInt8, user: String = "u1") -> SessionRecord {
      SessionRecord(
        tokenDigest: [UInt8](repeating: number, count: 32), realm: alpha, userID: user, username: "Mira",
        journeys: ["Login", "a\"b"], createdAt: start, expiresAt: later(100))
    }
    for number in 1...3 as ClosedRange<UInt8> {
      try await registry.addSession(session(number, user: number == 3 ? "u2" : "u1"), now: start)
    }
    await #expect(throws: RegistryError(.full)) { try await registry.addSession(session(4), now: start) }
    #expect(try await registry.session(session(1).tokenDigest, now: later(99)) == session(1))
    #expect(try await registry.session(session(1).tokenDigest, now: later(100)) == nil)
    #expect(try await registry.removeSession(session(1).tokenDigest))
    #expect(try await registry.removeSession(session(1).tokenDigest) == false)
    try await registry.removeSessions(ofUser: "u1", realm: alpha)
    #expect(try await registry.session(session(2).tokenDigest, now: start) == nil)
    #expect(try await registry.session(session(3).tokenDigest, now: start) != nil)
    // What has expired makes room.
    try await registry.addSession(session(5), now: later(200))
    try await registry.addSession(session(6), now: later(200))
    try await registry.addSession(session(7), now: later(200))
  }
}
