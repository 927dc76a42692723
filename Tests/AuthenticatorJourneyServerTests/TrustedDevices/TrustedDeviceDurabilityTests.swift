import AuthenticatorJourneyServer
import Testing

@Suite struct TrustedDeviceDurabilityTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func everythingIsThereAfterARestart() async throws {
    let clock = ManualClock()
    let first = try await FrontendHarness(registry: try SQLiteRegistry(path: directory.file()), clock: clock)
    let (app, key, id) = try await first.enrolled()
    let pending = try await app.begin(id)
    let used = try await app.begin(id)
    #expect(try await app.finish(used, key, id).status == 200)
    let session = try #require(try await app.sessionID())

    let second = try await FrontendHarness(
      registry: try SQLiteRegistry(path: directory.file()), clock: clock, users: [])
    let later = second.app()
    later.token = app.token
    #expect(try await later.sessionID() == session)
    #expect(try await later.send("GET", "me/trusted_devices").response[0]?["id"] == .string(id))
    _ = try await later.send("DELETE", "client/sessions")
    #expect(try await later.finish(used, key, id).code == "trusted_device_challenge_not_found")
    #expect(try await later.finish(pending, key, id).response["status"] == "complete")
  }

  @Test func twoServersShareOneRegistry() async throws {
    let clock = ManualClock()
    let one = try await FrontendHarness(registry: try SQLiteRegistry(path: directory.file()), clock: clock)
    let two = try await FrontendHarness(
      registry: try SQLiteRegistry(path: directory.file()), clock: clock, users: [])
    let (app, key, id) = try await one.enrolled()
    let begun = try await app.begin(id)
    let other = two.app()
    other.token = app.token
    let answers = try await withThrowingTaskGroup(of: FrontendAnswer.self) { group in
      for index in 0..<20 { group.addTask { try await (index % 2 == 0 ? app : other).finish(begun, key, id) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count { $0.status == 200 } == 1)
    #expect(try await app.sessionID() != nil)
    #expect(try await other.sessionID() == app.sessionID())
  }
}
