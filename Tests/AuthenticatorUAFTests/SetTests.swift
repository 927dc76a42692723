import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorUAF
import Testing

/// Several authenticators that answer together, and several that could answer.
struct SetTests {
  private static let both: JSONValue = ["accepted": [[["aaid": ["FFFF#A006"]], ["aaid": ["FFFF#A005"]]]]]

  private static func keyIDs(_ message: UAFMessage?) throws -> [UAFKeyID] {
    let response = try UAFResponse(try #require(message).uafProtocolMessage)
    return try response.assertions.map { try AuthenticationAssertion($0.assertion).signedData.keyID }
  }

  // MARK: One user

  @Test func oneUserSignsWithAllMembersAndIsAskedForOnce() async throws {
    let kit = try UAFKit()
    var keys: [String: [UAFKeyID]] = [:]
    for name in ["mira", "bob"] {
      keys[name] = [
        try await kit.register(.silent, username: name).keyID,
        try await kit.register(.presence, username: name, steps: .match()).keyID,
      ]
    }
    for name in ["bob", "mira"] {
      let shown = kit.prompts.count
      let result = await kit.authenticate(
        UAFKit.authentication(policy: Self.both), steps: .choose(name), .match())
      #expect(try Self.keyIDs(result.message) == keys[name])
      #expect(kit.prompts.dropFirst(shown).map(\.kind) == [.choose, .presence])
    }
  }

  @Test func aSetThatNoUserCanServeIsNoChoice() async throws {
    let kit = try UAFKit()
    let mira = try await kit.register(.silent, username: "mira").keyID
    let bob = try await kit.register(.presence, username: "bob", steps: .match()).keyID
    let shown = kit.prompts.count
    let result = await kit.authenticate(UAFKit.authentication(policy: Self.both))
    #expect(result.error == AuthenticatorError(.keyAccessDenied))
    #expect(result.error?.reason == "no user has a key of every authenticator of the set")
    #expect(kit.prompts.count == shown)
    // It keeps no other way out.
    let wider: JSONValue = [
      "accepted": [[["aaid": ["FFFF#A006"]], ["aaid": ["FFFF#A005"]]], [["aaid": ["FFFF#A006"]]]]
    ]
    #expect(try Self.keyIDs(await kit.authenticate(UAFKit.authentication(policy: wider)).message) == [mira])
    // Where the server names the keys, it has chosen.
    let named: JSONValue = [
      "accepted": [
        [
          ["aaid": ["FFFF#A006"], "keyIDs": [.string(mira.description)]],
          ["aaid": ["FFFF#A005"], "keyIDs": [.string(bob.description)]],
        ]
      ]
    ]
    let chosen = await kit.authenticate(UAFKit.authentication(policy: named), steps: .match())
    #expect(try Self.keyIDs(chosen.message) == [mira, bob])
  }

  @Test func anUnknownKeyOfSeveralDeletesNone() async throws {
    let kit = try UAFKit()
    try await kit.register(.silent)
    try await kit.register(.presence, steps: .match())
    let set = await kit.authenticate(UAFKit.authentication(policy: Self.both), steps: .match())
    let unknown = UAFServerStatus.unknownKeyID
    #expect(try await kit.client.notify(status: unknown, of: try #require(set.message), facetID: UAFKit.facet) == 2)
    #expect(try await kit.records().count == 2)
    let alone = await kit.authenticate(UAFKit.authentication(.silent))
    try await kit.client.notify(status: unknown, of: try #require(alone.message), facetID: UAFKit.facet)
    #expect(try await kit.records().count == 1)
  }

  // MARK: Interruptions

  @Test(arguments: [false, true]) func leavesNothingOfASetWhenAnyStepFails(isKilled: Bool) async throws {
    let probe = try UAFKit()
    probe.device.verifier.script([.match()])
    _ = try await probe.client.process(UAFKit.registration(policy: Self.both), facetID: UAFKit.facet)
    let calls = probe.device.store.calls
    try #require(calls.filter { $0 == .update }.count == 2)
    for index in calls.indices {
      let kit = try UAFKit()
      kit.device.verifier.script([.match()])
      kit.device.store.failCall(at: index)
      // After a kill nothing is undone.
      if isKilled { kit.device.store.fail(.discard) }
      let result = await kit.client.register(UAFKit.registration(policy: Self.both), facetID: UAFKit.facet)
      kit.device.store.repair()
      guard result.outcome != .success else { continue }
      if isKilled {
        kit.device.environment.clock.advance(by: .seconds(86_400))
        try await kit.restarted().client.recover()
      }
      #expect(try await kit.records().isEmpty, "call \(index), \(calls[index])")
    }
  }

  /// A key of a choice that failed may not be destroyed at once. When it goes, it takes none with it of the choice that
  /// came next.
  @Test func whatIsLeftOfOneChoiceEndsNoKeyOfTheNext() async throws {
    let policy: JSONValue = [
      "accepted": [
        [["aaid": ["FFFF#A006"]], ["aaid": ["FFFF#A005"]]], [["aaid": ["FFFF#A006"]], ["aaid": ["FFFF#A003"]]],
      ]
    ]
    let probe = try UAFKit()
    probe.device.verifier.script([.match()])
    _ = try await probe.client.process(UAFKit.registration(policy: Self.both), facetID: UAFKit.facet)
    let stages = probe.device.store.calls.indices.filter { probe.device.store.calls[$0] == .stage }
    let kit = try UAFKit()
    kit.device.verifier.script([.match(), .match()])
    kit.device.store.failCall(at: stages[1], with: AuthenticatorError(.insufficientAuthenticatorResources))
    kit.device.store.fail(.discard)
    let response = try await kit.client.process(UAFKit.registration(policy: policy), facetID: UAFKit.facet)
    kit.device.store.repair()
    #expect(try await kit.records().count == 3)
    kit.device.environment.clock.advance(by: .seconds(86_400))
    try await kit.restarted().client.recover()
    let answered = try UAFResponse(response.uafProtocolMessage).assertions.map {
      try RegistrationAssertion($0.assertion).keyRegistrationData.keyID.bytes
    }
    #expect(try await kit.records().map(\.externalID) == answered)
  }

  @Test func aFinishedSetOutlivesARestart() async throws {
    let kit = try UAFKit()
    kit.device.verifier.script([.match()])
    _ = try await kit.client.process(UAFKit.registration(policy: Self.both), facetID: UAFKit.facet)
    kit.device.environment.clock.advance(by: .seconds(86_400))
    try await kit.restarted().client.recover()
    #expect(try await kit.records().map(\.state) == [.staged, .staged])
  }

  // MARK: Authenticators that cannot verify now

  @Test(arguments: [UAFKit.Model.state, .deletion]) func whereNobodyIsEnrolledAnotherAnswers(
    _ model: UAFKit.Model
  ) async throws {
    let kit = try UAFKit()
    try await kit.register(model, steps: .match())
    let passcode = try await kit.register(.passcode, steps: .passcode(UAFKit.passcode)).keyID
    try kit.device.verifier.remove("right-index")
    let result = await kit.authenticate(
      UAFKit.authentication(model, .passcode), steps: .passcode(UAFKit.passcode))
    #expect(try UAFKit.signed(result.message).keyID == passcode)
    kit.device.verifier.script([.passcode(UAFKit.passcode)])
    let response = try await kit.client.process(UAFKit.registration(model, .passcode), facetID: UAFKit.facet)
    #expect(try UAFKit.registered(response).aaid == UAFKit.Model.passcode.aaid)
    await #expect(throws: AuthenticatorError(.biometryNotEnrolled)) {
      try await kit.client.process(UAFKit.registration(model), facetID: UAFKit.facet)
    }
  }

  @Test func aLockedOneWithoutPasscodeStandsInNobodysWay() async throws {
    let kit = try UAFKit(ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], isLockedOut: true))
    kit.device.verifier.script([.match()])
    let response = try await kit.client.process(UAFKit.registration(.state, .presence), facetID: UAFKit.facet)
    #expect(try UAFKit.registered(response).aaid == UAFKit.Model.presence.aaid)
    await #expect(throws: AuthenticatorError(.lockedOut)) {
      try await kit.client.process(UAFKit.registration(.state), facetID: UAFKit.facet)
    }
  }

  // MARK: What is known of the enrolled set

  @Test(arguments: [UAFKit.Model.state, .deletion]) func asksNobodyWhereTheSetCannotBeRead(
    _ model: UAFKit.Model
  ) async throws {
    let kit = try UAFKit(
      ScriptedDevice(
        sensor: .fingerprint, enrolled: ["right-index"], passcode: UAFKit.passcode, domainState: .unreadable))
    await #expect(throws: AuthenticatorError(.enrollmentStateUnreadable)) {
      try await kit.client.process(UAFKit.registration(model), facetID: UAFKit.facet)
    }
    #expect(kit.prompts.isEmpty)
    kit.device.verifier.script([.match()])
    let response = try await kit.client.process(UAFKit.registration(model, .presence), facetID: UAFKit.facet)
    #expect(try UAFKit.registered(response).aaid == UAFKit.Model.presence.aaid)
  }

  @Test func allEndedKeysAreFoundBeforeAnybodyIsAsked() async throws {
    let kit = try UAFKit()
    for name in ["mira", "bob"] { try await kit.register(.deletion, username: name, steps: .match()) }
    try kit.device.verifier.enroll("left-thumb")
    let shown = kit.prompts.count
    let result = await kit.authenticate(UAFKit.authentication(.deletion))
    #expect(result.error == AuthenticatorError(.keyInvalidated))
    #expect(kit.prompts.count == shown)
    #expect(try await kit.records().isEmpty)
    // Nor is a transaction shown for a key that is gone; one that is newer than the change signs.
    let bob = try await kit.register(.deletion, username: "bob", steps: .match()).keyID
    let again = await kit.authenticate(UAFKit.authentication(.deletion), steps: .match())
    #expect(try UAFKit.signed(again.message).keyID == bob)
    try kit.device.verifier.enroll("left-index")
    let before = kit.prompts.count
    let payment = await kit.authenticate(
      UAFKit.authentication(.deletion, transaction: UAFKit.transaction("Pay 5 EUR")), steps: .approve)
    #expect(payment.outcome == .keyDisappeared)
    #expect(kit.prompts.count == before)
  }
}
