import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

/// A challenge is good for one answer, within its time and its run.
@Suite struct WebAuthnOneUseTests {
  private func harness(registry: any JourneyRegistry = InMemoryRegistry()) async throws -> Harness {
    let trees = try BuiltInJourneys.all() + [WebAuthnTrees.tree(WebAuthnAuthenticationNode())]
    return try await Harness.webAuthn(journeys: trees, registry: registry)
  }

  @Test func neverTakesAnAnswerTwice() async throws {
    let harness = try await harness()
    var passkey = try Passkey()
    try await harness.register(&passkey)
    let page = try await harness.question("WebAuthn", user: "mira")
    let answer = try passkey.assertion(for: page)
    #expect(try await harness.post(try page.answered(answer)).outcome == "success")
    #expect(try await harness.post(try page.answered(answer)).errorCode == "110")
    // Nor does another run take it for its own challenge, whichever node asked.
    #expect(try await harness.end { _ in answer }.outcome == "failure")
    let other = try await harness.question("LoginUsernameless", user: nil)
    #expect(try await harness.post(try other.answered(answer)).status == 401)
    #expect(harness.refusals == ["challengeMismatch", "challengeMismatch"])
  }

  @Test(arguments: RegistryKind.allCases) func letsOneOfManyPostsIn(kind: RegistryKind) async throws {
    let directory = try TemporaryDirectory()
    let harness = try await harness(registry: try kind.make(directory))
    var passkey = try Passkey()
    try await harness.register(&passkey)
    let page = try await harness.question("LoginWebAuthn", user: "mira")
    let step = try page.answered(try passkey.assertion(for: page))
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<40 { group.addTask { try await harness.post(step).token != nil } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
  }

  @Test func aRefusedAnswerUsesTheChallengeUp() async throws {
    let harness = try await harness()
    var passkey = try Passkey()
    try await harness.register(&passkey)
    let page = try await harness.question("WebAuthn", user: "mira")
    #expect(try await harness.post(try page.answered("nonsense")).outcome == "failure")
    #expect(try await harness.post(try page.answered(try passkey.assertion(for: page))).status == 401)
  }

  @Test func aChallengeRunsOut() async throws {
    let harness = try await harness()
    var passkey = try Passkey()
    try await harness.register(&passkey)
    let page = try await harness.question("WebAuthn", user: "mira")
    harness.clock.advance(by: 301)
    #expect(try await harness.post(try page.answered(try passkey.assertion(for: page))).errorCode == "110")
  }

  @Test(arguments: RegistryKind.allCases) func storesOneOfManyPosts(kind: RegistryKind) async throws {
    let directory = try TemporaryDirectory()
    let harness = try await harness(registry: try kind.make(directory))
    let passkey = try Passkey()
    let page = try await harness.login(journey: "RegisterWebAuthn")
    let step = try page.answered(try passkey.registration(for: page))
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<40 { group.addTask { try await harness.post(step).token != nil } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
    #expect(try await harness.webAuthnDevices().count == 1)
    #expect(try await harness.post(step).errorCode == "110")
  }
}
