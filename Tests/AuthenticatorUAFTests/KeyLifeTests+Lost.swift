import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorUAF
import Synchronization
import Testing

/// Keys whose response may never have arrived, and what an interruption leaves.
extension KeyLifeTests {
  // MARK: Keys whose response may never have arrived

  private func small() throws -> UAFKit {
    try UAFKit { configuration in
      configuration.authenticators = [
        UAFAuthenticatorModel(aaid: try UAFKit.Model.silent.aaid, behavior: .silent, maximumKeys: 1)
      ]
    }
  }

  @Test func aLostResponseDoesNotKeepItsUserOut() async throws {
    let kit = try small()
    for _ in 0..<3 { _ = try await kit.client.process(UAFKit.registration(.silent), facetID: UAFKit.facet) }
    #expect(await kit.client.checkPolicy(UAFKit.registration(.silent), facetID: UAFKit.facet) == .noError)
    let accepted = try await kit.register(.silent).keyID
    #expect(try await kit.records().map(\.externalID) == [accepted.bytes])
    // Nor does a key in use: the new one takes its place.
    let newer = try await kit.register(.silent).keyID
    #expect(try await kit.records().map(\.externalID) == [newer.bytes])
  }

  @Test func aLostResponseTakesRoomForAWhileOnly() async throws {
    let kit = try small()
    let lost = try await kit.client.process(UAFKit.registration(.silent), facetID: UAFKit.facet)
    let bob = UAFKit.registration(.silent, username: "bob")
    #expect(await kit.client.checkPolicy(bob, facetID: UAFKit.facet) == .insufficientAuthenticatorResources)
    await #expect(throws: AuthenticatorError(.insufficientAuthenticatorResources)) {
      try await kit.client.process(bob, facetID: UAFKit.facet)
    }
    kit.device.environment.clock.advance(by: .seconds(3600))
    // Its server may know it: it stays until the room is really taken.
    #expect(await kit.client.authenticate(UAFKit.authentication(.silent), facetID: UAFKit.facet).outcome == .success)
    #expect(await kit.client.checkPolicy(bob, facetID: UAFKit.facet) == .noError)
    let response = try await kit.client.process(bob, facetID: UAFKit.facet)
    #expect(try await kit.records().count == 2)
    try await kit.client.notify(status: .ok, of: response, facetID: UAFKit.facet)
    #expect(try await kit.records().map(\.externalID) == [try UAFKit.registered(response).keyID.bytes])
    // Too late.
    try await kit.client.notify(status: .ok, of: lost, facetID: UAFKit.facet)
    #expect(try await kit.records().count == 1)
  }

  @Test func aLostVerdictSignsInItsOwnUserAndNobodyElse() async throws {
    let kit = try UAFKit()
    let alice = try await kit.register(.silent).keyID
    // Alice's newer key and Bob's only one wait for their servers.
    _ = try await kit.client.process(UAFKit.registration(.silent), facetID: UAFKit.facet)
    let lost = try await kit.client.process(UAFKit.registration(.silent, username: "bob"), facetID: UAFKit.facet)
    let bob = try UAFKit.registered(lost).keyID
    for (name, keyID) in [("bob", bob), ("alice", alice)] {
      let result = await kit.authenticate(UAFKit.authentication(.silent), steps: .choose(name))
      #expect(try UAFKit.signed(result.message).keyID == keyID)
    }
    #expect(kit.prompts.suffix(2).map(\.kind) == [.choose, .choose])
    #expect(try await kit.records().count == 3)
  }

  @Test func aClockThatWasAheadBlocksNoRoom() async throws {
    let kit = try small()
    let clock = kit.device.environment.clock
    let today = clock.now
    clock.set(now: today.advanced(by: .seconds(75 * 365 * 86_400)))
    _ = try await kit.client.process(UAFKit.registration(.silent), facetID: UAFKit.facet)
    let bob = UAFKit.registration(.silent, username: "bob")
    #expect(await kit.client.checkPolicy(bob, facetID: UAFKit.facet) == .insufficientAuthenticatorResources)
    clock.set(now: today)
    #expect(await kit.client.checkPolicy(bob, facetID: UAFKit.facet) == .noError)
    _ = try await kit.register(.silent, username: "bob")
    #expect(try await kit.records().count == 1)
  }

  @Test func aClockThatWasAheadKeepsNoLeftover() async throws {
    let kit = try UAFKit()
    let clock = kit.device.environment.clock
    let today = clock.now
    clock.set(now: today.advanced(by: .seconds(86_400)))
    kit.device.store.fail(.update)
    kit.device.store.fail(.discard)
    _ = await kit.client.register(UAFKit.registration(.silent), facetID: UAFKit.facet)
    kit.device.store.repair()
    // A little set back, as clocks are all the time, its operation may still run.
    clock.set(now: today.advanced(by: .seconds(86_100)))
    try await kit.client.recover()
    #expect(try await kit.records().count == 1)
    clock.set(now: today)
    try await kit.client.recover()
    #expect(try await kit.records().isEmpty)
  }

  // MARK: Room that two look for at once

  @Test func ofSeveralAtOnceTheFirstKeyTakesTheLastRoom() async throws {
    let kit = try small()
    let message = UAFKit.registration(.silent, username: "bob")
    let first = Mutex<UAFMessage?>(nil)
    // Another process registers between this one's look for room and its own key.
    kit.device.store.interrupt(before: .stage) {
      let response = try await kit.client.process(message, facetID: UAFKit.facet)
      first.withLock { $0 = response }
    }
    await #expect(throws: AuthenticatorError(.insufficientAuthenticatorResources)) {
      try await kit.client.process(UAFKit.registration(.silent), facetID: UAFKit.facet)
    }
    let response = try #require(first.withLock { $0 })
    #expect(try await kit.records().map(\.externalID) == [try UAFKit.registered(response).keyID.bytes])
    // Made later and looked for earlier, a key does not take the room of one that was there before.
    kit.device.store.repair()
    try await kit.client.notify(status: .ok, of: response, facetID: UAFKit.facet)
    kit.device.store.interrupt(before: .update) {
      await #expect(throws: AuthenticatorError(.insufficientAuthenticatorResources)) {
        try await kit.client.process(UAFKit.registration(.silent), facetID: UAFKit.facet)
      }
    }
    let newer = try await kit.register(.silent, username: "bob").keyID
    #expect(try await kit.records().map(\.externalID) == [newer.bytes])
  }

  @Test func aSecondFactorsNewerKeyTakesTheOldersPlace() async throws {
    let kit = try UAFKit { configuration in
      configuration.authenticators = [
        UAFAuthenticatorModel(aaid: try UAFKit.Model.silent.aaid, behavior: .silent, isSecondFactorOnly: true)
      ]
    }
    try await kit.register(.silent)
    let bob = try await kit.register(.silent, username: "bob").keyID
    let newer = try await kit.register(.silent).keyID
    #expect(Set(try await kit.records().map(\.externalID)) == [bob.bytes, newer.bytes])
    #expect(try await kit.records().allSatisfy { $0.owner.account == nil })
  }

  // MARK: Interruptions

  @Test(arguments: [nil, 1]) func leavesNothingWhenAnyStepFails(_ maximumKeys: Int?) async throws {
    let limited = { () throws -> UAFKit in
      try UAFKit { $0.authenticators[1].maximumKeys = maximumKeys }
    }
    let probe = try limited()
    probe.device.verifier.script([.match()])
    _ = try await probe.client.process(UAFKit.registration(.state), facetID: UAFKit.facet)
    let calls = probe.device.store.calls
    try #require(calls.count > 5)
    for index in calls.indices {
      let kit = try limited()
      kit.device.verifier.script([.match()])
      kit.device.store.failCall(at: index)
      let result = await kit.client.register(UAFKit.registration(.state), facetID: UAFKit.facet)
      kit.device.store.repair()
      guard result.outcome != .success else { continue }
      #expect(try await kit.records().isEmpty, "call \(index), \(calls[index])")
      // And the next try works.
      kit.device.verifier.script([.match()])
      #expect(await kit.client.register(UAFKit.registration(.state), facetID: UAFKit.facet).outcome == .success)
    }
  }

  @Test func aKeyWhoseResponseWasNeverMadeGoesAfterARestart() async throws {
    let kit = try UAFKit()
    kit.device.verifier.script([.match()])
    // The process ends between making the key and answering: nothing is undone.
    kit.device.store.fail(.update)
    kit.device.store.fail(.discard)
    _ = await kit.client.register(UAFKit.registration(.state), facetID: UAFKit.facet)
    kit.device.store.repair()
    #expect(try await kit.records().map(\.state) == [.staged])
    let next = try kit.restarted()
    try await next.client.recover()
    // Its operation could still be under way in another process.
    #expect(try await kit.records().count == 1)
    kit.device.environment.clock.advance(by: .seconds(600))
    // A key without response is never used.
    #expect(await next.authenticate(UAFKit.authentication(.state), steps: .match()).outcome == .accessDenied)
    try await next.client.recover()
    #expect(try await kit.records().isEmpty)
  }

  @Test func aReplacedKeyThatAnInterruptionLeftGoesAfterARestart() async throws {
    let kit = try UAFKit()
    try await kit.register(.silent)
    let response = try await kit.client.process(UAFKit.registration(.silent), facetID: UAFKit.facet)
    // The process ends between taking the new key into use and removing the old one.
    kit.device.store.fail(.delete)
    await #expect(throws: AuthenticatorError.self) {
      try await kit.client.notify(status: .ok, of: response, facetID: UAFKit.facet)
    }
    kit.device.store.repair()
    #expect(Set(try await kit.records().map(\.state)) == [.active, .retired])
    let next = try kit.restarted()
    try await next.client.recover()
    #expect(try await kit.records().map(\.externalID) == [try UAFKit.registered(response).keyID.bytes])
  }

  @Test func aKeyWhoseResponseWasMadeWaitsForTheServer() async throws {
    let kit = try UAFKit()
    let response = try await kit.client.process(UAFKit.registration(.silent), facetID: UAFKit.facet)
    kit.device.environment.clock.advance(by: .seconds(1_000_000))
    let next = try kit.restarted()
    try await next.client.recover()
    #expect(try await kit.records().map(\.state) == [.staged])
    #expect(await next.client.authenticate(UAFKit.authentication(.silent), facetID: UAFKit.facet).outcome == .success)
    try await next.client.notify(status: .ok, of: response, facetID: UAFKit.facet)
    #expect(try await kit.records().map(\.state) == [.active])
  }
}
