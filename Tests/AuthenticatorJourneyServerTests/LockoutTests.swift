import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

@Suite struct LockoutTests {
  @Test(arguments: ["mira", "nobody"]) func locksNamesThatExistAndNamesThatDoNot(name: String) async throws {
    let harness = try await Harness()
    for _ in 0..<5 { #expect(try await harness.login(name, "wrong").status == 200) }
    let answer = try await harness.login(name, Harness.password)
    #expect(answer.status == 401)
    #expect(answer.message == "Your account has been locked.")
    #expect(answer.response.fields.contains(HTTPField("Retry-After", "31")))
    #expect(harness.events.all.contains(.attemptLocked(realm: harness.realm)))
    harness.clock.advance(by: 31)
    #expect((try await harness.login(name).token != nil) == (name == "mira"))
  }

  @Test func doesNotCountWhatItRefused() async throws {
    let harness = try await Harness()
    for _ in 0..<5 { _ = try await harness.login("mira", "wrong") }
    // These met the lock; they must not have made it longer.
    for _ in 0..<50 { #expect(try await harness.login().status == 401) }
    harness.clock.advance(by: 31)
    #expect(try await harness.login().token != nil)
  }

  @Test func locksLongerAndInTheEndForGood() async throws {
    let harness = try await Harness {
      $0.lockout = LockoutPolicy(
        failuresBeforeLock: 2, firstLock: .seconds(10), longestLock: .seconds(25), failuresForGood: 6)
    }
    _ = try await harness.login("mira", "wrong")
    _ = try await harness.login("mira", "wrong")
    for wait in [10, 20, 25, 25] as [Int64] {
      harness.clock.advance(by: wait - 1)
      #expect(try await harness.login("mira", "wrong").status == 401)
      harness.clock.advance(by: 1)
      #expect(try await harness.login("mira", "wrong").status == 200)
    }
    harness.clock.advance(by: 1_000_000)
    let locked = try await harness.login()
    #expect(locked.status == 401)
    #expect(!locked.response.fields.contains { $0.name == "Retry-After" })
    try await harness.server.unlock(userNamed: "Mira", in: harness.realm)
    #expect(try await harness.login().token != nil)
  }

  @Test func forgetsFailuresAfterASuccess() async throws {
    let harness = try await Harness()
    for _ in 0..<3 {
      for _ in 0..<4 { _ = try await harness.login("mira", "wrong") }
      #expect(try await harness.login().token != nil)
    }
  }

  @Test func givesNoMoreVerdictsThanPaidForWhenAskedInParallel() async throws {
    let harness = try await Harness()
    let pages = try await withThrowingTaskGroup(of: Answer.self) { group in
      for _ in 0..<40 { group.addTask { try await harness.start("Login") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let verdicts = try await withThrowingTaskGroup(of: Int.self) { group in
      for page in pages {
        group.addTask { try await harness.post(harness.credentials(page, "mira", "wrong")).status }
      }
      return try await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
    }
    #expect(verdicts == 5)
  }

  @Test func refusesLoginsBeyondItsQueueWithoutCountingThem() async throws {
    let harness = try await Harness {
      $0.limits.passwordWidth = 1
      $0.limits.passwordQueue = 1
      $0.lockout = LockoutPolicy(failuresBeforeLock: 1000)
    }
    let pages = try await withThrowingTaskGroup(of: Answer.self) { group in
      for _ in 0..<60 { group.addTask { try await harness.start("Login") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for page in pages { group.addTask { try await harness.post(harness.credentials(page)).status } }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(statuses.isSubset(of: [200, 503]))
    #expect(statuses.contains(503))
    #expect(try await harness.login().token != nil)
  }

  @Test(arguments: [("192.0.2.7", true), ("127.0.0.1", false), ("::1", false), ("", false)])
  func limitsTheFailuresOfAnAddress(peer: String, isLimited: Bool) async throws {
    let harness = try await Harness { $0.limits.failuresPerAddress = 3 }
    func login(_ name: String, _ password: String, from peer: String) async throws -> ServerResponse {
      let step = harness.credentials(try await harness.start("Login"), name, password)
      return await harness.server.handle(
        ServerRequest(method: "POST", path: Harness.base + "/authenticate", body: step.serialized(), peer: peer))
    }
    for name in ["a", "b", "c"] { #expect(try await login(name, "wrong", from: peer).status == 200) }
    let refused = try await login("mira", Harness.password, from: peer)
    #expect(refused.status == (isLimited ? 429 : 200))
    #expect(refused.fields.contains(HTTPField("Retry-After", "61")) == isLimited)
    #expect(try await login("mira", Harness.password, from: "192.0.2.8").status == 200)
    harness.clock.advance(by: 60)
    #expect(try await login("mira", Harness.password, from: peer).status == 200)
  }

  @Test func storesPasswordsAnewWhenTheCostHasChanged() async throws {
    let old = try await Harness()
    let new = try await Harness(registry: old.registry, clock: old.clock) { $0.passwordCost.logN = 7 }
    let user = { try #require(try await old.registry.user(named: "mira", in: old.realm)) }
    #expect(try await user().password?.parameters.logN == 6)
    #expect(try await new.login("mira", "wrong").status == 200)
    #expect(try await user().password?.parameters.logN == 6)
    #expect(try await new.login().token != nil)
    #expect(try await user().password?.parameters.logN == 7)
    #expect(try await old.login().token != nil)
  }

  @Test func takesPasswordsUpToTheirLimit() async throws {
    let harness = try await Harness()
    let longest = String(repeating: "ä", count: 512)
    try await harness.server.addUser(named: "long", password: longest, in: harness.realm)
    #expect(try await harness.login("long", longest).token != nil)
    #expect(try await harness.login("long", longest + "x").status == 200)
    await #expect(throws: AuthenticatorError(.invalidRequest)) {
      try await harness.server.addUser(named: "longer", password: longest + "x", in: harness.realm)
    }
    await #expect(throws: AuthenticatorError(.invalidRequest)) {
      try await harness.server.addUser(named: "none", password: "", in: harness.realm)
    }
    await #expect(throws: RegistryError(.conflict)) {
      try await harness.server.addUser(named: "MIRA", password: "x", in: harness.realm)
    }
  }
}
