import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import DeviceAuthenticators
import Testing

/// The credential that would sign in is found among many without a look at each, and always the right one.
@Suite struct CredentialIndexTests {
  private static let many = 40

  /// A signed-out client over a store of many users' credentials.
  private struct Crowd {
    let bench: Bench
    let shelf: CredentialShelf

    init() async throws {
      bench = try Bench()
      try await bench.load()
      shelf = CredentialShelf(
        context: bench.device.context, scope: CredentialScope(instance: Bench.server, party: "com.example.app"),
        authenticators: bench.configuration.authenticators, emit: { _ in })
    }

    /// Adds user `number`'s credential.
    /// - Parameter time: when the server says it was made, in seconds.
    func add(
      _ number: Int, at time: Int? = nil, hint: String? = nil, isVoid: Bool = false, isIndexed: Bool = true
    ) async throws {
      bench.device.environment.clock.advance(by: .seconds(1))
      let owner = shelf.scope.owner("user_\(number)")
      let attributes = CredentialAttributes(
        policy: .biometryAny, hint: hint ?? "user\(number)@example.com", platform: "ios", name: nil)
      let state = isVoid ? try await bench.device.verifier.enrollmentState() : nil
      let record = try await shelf.store.stage(
        KeyRequest(
          owner: owner, algorithms: [.es256], slot: shelf.scope.slot("user_\(number)"), attributes: attributes.bytes),
        as: .biometricOnly,
        access: KeyAccess(gate: .verified([.fingerprint]), enrollment: isVoid ? .currentSet : .ignored),
        enrollmentState: state, ticket: nil)
      let made = UnixTime(milliseconds: Int64(time ?? number) * 1000)
      let details = CredentialDetails(createdAt: made, updatedAt: made)
      if isIndexed {
        try await shelf.commit(record, as: "tdc_\(number)", details)
      } else {
        _ = try await shelf.store.commit(
          record.tag, externalID: Array("tdc_\(number)".utf8), details: details.bytes)
      }
    }

    func found(hint: String? = nil, id: String? = nil) async throws -> String? {
      try await bench.client.select(id: id, hint: hint, asksServer: true).credential?.id
    }
  }

  @Test func findsTheNewestAndTheNamedAmongMany() async throws {
    let crowd = try await Crowd()
    for number in 1...Self.many {
      try await crowd.add(number)
      #expect(try await crowd.found() == "tdc_\(number)")
    }
    #expect(try await crowd.found(hint: " USER1@example.com") == "tdc_1")
    #expect(try await crowd.found(hint: "user20@example.com") == "tdc_20")
    #expect(try await crowd.found(hint: "user99@example.com") == nil)
    #expect(try await crowd.found(id: "tdc_3") == "tdc_3")
    #expect(try await crowd.found(hint: "user4@example.com", id: "tdc_3") == nil)
  }

  /// The index is relied upon where the window is full, and there it finds the same: also what is older than the
  /// window, and a newest one that stands anywhere in it.
  @Test(arguments: [15, 16, 17]) func findsTheSameOnBothSidesOfTheWindow(_ count: Int) async throws {
    for newest in [1, 2, count] {
      let crowd = try await Crowd()
      for number in 1...count { try await crowd.add(number, at: number == newest ? 1000 : number) }
      #expect(try await crowd.found() == "tdc_\(newest)")
      for number in 1...count { #expect(try await crowd.found(hint: "user\(number)@example.com") == "tdc_\(number)") }
    }
    let ordered = try await Crowd()
    for number in 1...count { try await ordered.add(number) }
    #expect(try await ordered.found() == "tdc_\(count)")
    let looked = try await ordered.shelf.candidates(id: nil, hint: nil)
    #expect(looked.isComplete == (count < 16))
    #expect(looked.credentials.count == min(count, 16))
  }

  @Test func looksAtAFewOnly() async throws {
    let crowd = try await Crowd()
    for number in 1...Self.many { try await crowd.add(number) }
    #expect(try await crowd.shelf.candidates(id: nil, hint: nil).credentials.count == 16)
    #expect(try await !crowd.shelf.candidates(id: nil, hint: nil).isComplete)
    let named = try await crowd.shelf.candidates(id: nil, hint: "user7@example.com")
    #expect(named.credentials.map(\.id) == ["tdc_7"])
    #expect(named.isComplete)
  }

  /// The server's clock was set back: what was made last is not the newest.
  @Test(arguments: [1, 15, 16, 17, 30]) func searchesAllWhereTheOrderIsBroken(_ newest: Int) async throws {
    let crowd = try await Crowd()
    for number in 1...Self.many { try await crowd.add(number, at: number == newest ? 1000 : number) }
    #expect(try await crowd.found() == "tdc_\(newest)")
  }

  @Test func takesTheNewestOfThoseThatShareAHint() async throws {
    let crowd = try await Crowd()
    for number in 1...Self.many { try await crowd.add(number, hint: number % 10 == 3 ? "family@example.com" : nil) }
    #expect(try await crowd.found(hint: "family@example.com") == "tdc_33")
    try await crowd.bench.devices.forgetLocalCredentials(userID: "user_33")
    #expect(try await crowd.found(hint: "family@example.com") == "tdc_23")
    try await crowd.add(33, at: 50, hint: "family@example.com")
    #expect(try await crowd.found(hint: "family@example.com") == "tdc_33")
  }

  @Test func goesOnToOlderOnesWhenTheLatestCannotSign() async throws {
    let crowd = try await Crowd()
    for number in 1...Self.many { try await crowd.add(number, isVoid: number > 10) }
    try crowd.bench.device.verifier.enroll("left-thumb")
    #expect(try await crowd.found() == "tdc_10")
  }

  @Test func saysThatAllAreVoidOfMany() async throws {
    let crowd = try await Crowd()
    for number in 1...20 { try await crowd.add(number, isVoid: true) }
    try crowd.bench.device.verifier.enroll("left-thumb")
    let availability = try await crowd.bench.devices.availability()
    #expect(availability == .unavailable(.localKeyMissing))
  }

  @Test func takesInWhatStoodBeforeThereWasAnIndex() async throws {
    let crowd = try await Crowd()
    for number in 1...10 { try await crowd.add(number, isIndexed: false) }
    for number in 11...Self.many { try await crowd.add(number) }
    #expect(try await crowd.found(hint: "user5@example.com") == "tdc_5")
    #expect(try await crowd.shelf.candidates(id: nil, hint: nil).credentials.count == 16)
  }

  @Test func searchesAllWithoutAnIndex() async throws {
    let crowd = try await Crowd()
    for number in 1...20 { try await crowd.add(number, isIndexed: false) }
    for number in 21...24 { try await crowd.add(number) }
    #expect(try await crowd.found() == "tdc_24")
    #expect(try await crowd.found(hint: "user2@example.com") == "tdc_2")
    #expect(try await crowd.shelf.candidates(id: nil, hint: nil).isComplete)
  }

  @Test func searchesAllWhereTheIndexCannotBeRead() async throws {
    let crowd = try await Crowd()
    for number in 1...Self.many { try await crowd.add(number) }
    let scope = crowd.shelf.scope
    try await crowd.shelf.store.setItem(scope.item("hint", of: "user2@example.com"), to: Array("{".utf8))
    #expect(try await crowd.found(hint: "user2@example.com") == "tdc_2")
    try await crowd.shelf.store.setItem(scope.item("index"), to: [9])
    #expect(try await crowd.found() == "tdc_\(Self.many)")
    #expect(try await crowd.found(hint: "user3@example.com") == "tdc_3")
  }

  @Test func bearsTheStoreFailingAtEachStepOfACommit() async throws {
    let dry = try await Crowd()
    for number in 1...17 { try await dry.add(number) }
    dry.bench.device.store.repair()
    try await dry.add(18)
    for step in 0..<dry.bench.device.store.calls.count {
      let crowd = try await Crowd()
      for number in 1...17 { try await crowd.add(number) }
      crowd.bench.device.store.repair()
      crowd.bench.device.store.failCall(at: step)
      let isEnrolled: Bool
      do {
        try await crowd.add(18)
        isEnrolled = true
      } catch {
        isEnrolled = false
      }
      crowd.bench.device.store.repair()
      #expect(try await crowd.found() == (isEnrolled ? "tdc_18" : "tdc_17"), "store call \(step)")
      #expect(try await crowd.found(hint: "user17@example.com") == "tdc_17", "store call \(step)")
    }
  }
}
