import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

/// `JourneyServer.setUser`.
@Suite struct UserListTests {
  private func harness(_ registry: any JourneyRegistry = InMemoryRegistry()) async throws -> Harness {
    try await Harness(registry: registry, users: [])
  }

  private func record(_ harness: Harness, _ name: String = "mira", in realm: Realm? = nil) async throws -> UserRecord? {
    try await harness.registry.user(named: name, in: realm ?? harness.realm)
  }

  @Test(arguments: RegistryKind.allCases) func addsAPersonToEveryRealmAtOnePrice(kind: RegistryKind) async throws {
    let directory = try TemporaryDirectory()
    let harness = try await harness(try kind.make(directory))
    #expect(try await !harness.registry.hasUsers())
    let realms = harness.server.configuration.realms
    #expect(try await harness.server.setUser(named: "mira", password: Harness.password, in: realms) == .added)
    #expect(try await harness.registry.hasUsers())
    let hashes = try await realms.asyncMap { try await record(harness, in: $0)?.password }
    #expect(hashes.count == 2 && hashes[0] != nil && Set(hashes).count == 1, "derived once")
    #expect(try await harness.login().token != nil)
  }

  @Test func leavesAloneWhatIsRight() async throws {
    let harness = try await harness()
    try await harness.server.addUser(named: "Mira", password: Harness.password, in: harness.realm)
    let before = try await record(harness)
    let token = try await harness.session()
    #expect(
      try await harness.server.setUser(named: "mira", password: Harness.password, in: [harness.realm]) == .unchanged)
    #expect(try await record(harness) == before)
    let both = [.root, harness.realm]
    #expect(try await harness.server.setUser(named: "mira", password: Harness.password, in: both) == .added)
    // The other realm's stored password serves again.
    #expect(try await record(harness, in: .root)?.password == before?.password)
    let info = try await harness.send(
      "POST", Harness.base + "/sessions", query: "_action=getSessionInfo", session: token)
    #expect(info.status == 200)
  }

  @Test func leavesPasswordsAloneThatWereDerivedApart() async throws {
    let harness = try await harness()
    let realms = harness.server.configuration.realms
    for realm in realms { try await harness.server.addUser(named: "mira", password: Harness.password, in: realm) }
    let before = try await realms.asyncMap { try await record(harness, in: $0) }
    #expect(try await harness.server.setUser(named: "mira", password: Harness.password, in: realms) == .unchanged)
    #expect(try await realms.asyncMap { try await record(harness, in: $0) } == before)
  }

  @Test func replacesAPasswordAndEndsItsSessions() async throws {
    let harness = try await harness()
    try await harness.server.setUser(named: "mira", password: "old password", in: [harness.realm])
    let token = try #require(try await harness.login("mira", "old password").token)
    let id = try await record(harness)?.id
    #expect(
      try await harness.server.setUser(named: "mira", password: Harness.password, in: [harness.realm]) == .changed)
    #expect(try await record(harness)?.id == id)
    #expect(try await harness.login("mira", "old password").token == nil)
    #expect(try await harness.login().token != nil)
    let info = try await harness.send(
      "POST", Harness.base + "/sessions", query: "_action=getSessionInfo", session: token)
    #expect(info.status == 401)
  }

  @Test func switchesOffAndOnOnlyWhenTold() async throws {
    let harness = try await harness()
    func set(_ isActive: Bool?) async throws -> UserChange {
      try await harness.server.setUser(
        named: "mira", password: Harness.password, isActive: isActive, in: [harness.realm])
    }
    #expect(try await set(false) == .added)
    #expect(try await record(harness)?.isActive == false)
    #expect(try await set(nil) == .unchanged)
    #expect(try await record(harness)?.isActive == false)
    #expect(try await set(true) == .changed)
    #expect(try await harness.login().token != nil)
  }

  @Test func refusesWhatNobodyCouldUse() async throws {
    let harness = try await harness()
    for (name, password) in [
      ("", "x"), ("mira", ""), (String(repeating: "x", count: 257), "x"), ("mira", String(repeating: "x", count: 1025)),
    ] {
      await #expect(throws: AuthenticatorError(.invalidRequest)) {
        try await harness.server.setUser(named: name, password: password, in: [harness.realm])
      }
    }
    let beta = try #require(Realm("/beta"))
    await #expect(throws: AuthenticatorError(.invalidRequest)) {
      try await harness.server.setUser(named: "mira", password: "x", in: [beta])
    }
    #expect(try await !harness.registry.hasUsers())
  }

  @Test func endsBetweenTwoDerivationsWhenCanceled() async throws {
    let harness = try await harness()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await harness.server.setUser(named: "mira", password: "x", in: [harness.realm])
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await !harness.registry.hasUsers())
  }
}

extension Sequence {
  fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async throws -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await body(element)) }
    return results
  }
}
