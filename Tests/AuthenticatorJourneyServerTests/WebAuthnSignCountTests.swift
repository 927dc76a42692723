import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

/// Signature counters and backup flags from one sign-in to the next.
@Suite struct WebAuthnSignCountTests {
  @Test(arguments: RegistryKind.allCases) func theCounterOnlyRises(kind: RegistryKind) async throws {
    let directory = try TemporaryDirectory()
    let clock = ManualClock()
    let registry = try kind.make(directory)
    let first = try await Harness.webAuthn(registry: registry, clock: clock)
    var passkey = try Passkey()
    passkey.counter = 5
    try await first.register(&passkey)
    // From one server to the next, and where the registry is a file, from one process to the next.
    let second = try await Harness.webAuthn(
      registry: kind == .sqlite ? try kind.make(directory) : registry, clock: clock, users: [])
    for (counter, isRight) in [(5, false), (6, true), (6, false), (0, false), (UInt32.max, true), (7, false)]
      as [(UInt32, Bool)]
    {
      passkey.counter = counter
      for harness in isRight ? [second] : [first, second] {
        #expect((try await harness.authenticate(passkey).token != nil) == isRight, "\(counter)")
      }
    }
    #expect(try await first.webAuthnDevices().first?.counter == Int64(UInt32.max))
    #expect(Set(first.refusals + second.refusals) == ["signCountMismatch"])
  }

  @Test func parallelSignInsNeverLowerTheCounter() async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    passkey.counter = 1
    try await harness.register(&passkey)
    var steps: [(counter: UInt32, step: JSONValue)] = []
    for counter: UInt32 in (2...25).shuffled() {
      passkey.counter = counter
      let page = try await harness.question("LoginWebAuthn", user: "mira")
      steps.append((counter, try page.answered(try passkey.assertion(for: page))))
    }
    let accepted = try await withThrowingTaskGroup(of: UInt32?.self) { group in
      for (counter, step) in steps {
        group.addTask { try await harness.post(step).token == nil ? nil : counter }
      }
      return try await group.reduce(into: [UInt32]()) { if let counter = $1 { $0.append(counter) } }
    }
    #expect(accepted.contains(25))
    #expect(try await harness.webAuthnDevices().first?.counter == 25)
  }

  @Test func tellsAMismatchApartWhenTold() async throws {
    let node = WebAuthnAuthenticationNode { $0.detectsSignCountMismatch = true }
    let trees = try BuiltInJourneys.all() + [WebAuthnTrees.tree(node, state: "username")]
    let harness = try await Harness.webAuthn(journeys: trees)
    var passkey = try Passkey()
    passkey.counter = 5
    try await harness.register(&passkey)
    for (counter, outcome) in [
      (5, "successSignCountMismatch"), (4, "successSignCountMismatch"), (0, "successSignCountMismatch"), (6, "success"),
    ] as [(UInt32, String)] {
      passkey.counter = counter
      harness.clock.advance(by: 1)
      let end = try await harness.end { try passkey.assertion(for: $0) }
      #expect(end.outcome == outcome && end.state == "mira")
      let device = try #require(try await harness.webAuthnDevices().first)
      #expect(device.lastAccessAt == harness.clock.now)
      #expect(device.counter == Int64(max(counter, 5)))
    }
    // Everything else must be right all the same.
    passkey.counter = 1
    passkey.key = try PrivateKey.generate(.es256)
    #expect(try await harness.end { try passkey.assertion(for: $0) }.outcome == "failure")
  }

  @Test func backUpStatesFollowThePolicy() async throws {
    for policy in [false, true] {
      let harness = try await Harness.webAuthn {
        if policy { $0.webAuthn.backupEligibilityPolicy = .allowUpgrade }
      }
      var passkey = try Passkey()
      try await harness.register(&passkey)
      passkey.bend = { $0.flags |= 0x18 }
      #expect((try await harness.authenticate(passkey).token != nil) == policy)
      let device = try #require(try await harness.webAuthnDevices().first)
      #expect(device.attributes["backedUp"] == .bool(policy))
      #expect(device.attributes["rpId"] == "id.example.org")
      passkey.bend = { _ in }
      // Eligible once, eligible for ever.
      #expect((try await harness.authenticate(passkey).token != nil) == !policy)
    }
  }
}
