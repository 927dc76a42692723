import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorUAF
import Testing

/// Who may use keys, what becomes of them, and what an interruption leaves.
struct KeyLifeTests {
  @Test func anotherCallersKeysAreNotThere() async throws {
    let kit = try UAFKit()
    let app = "https://rp.example/app"
    let header = { (op: String) in UAFKit.header(op, appID: app) }
    let response = try await kit.client.process(
      UAFKit.registration(.silent, header: header("Reg")), facetID: "https://rp.example")
    try await kit.client.notify(status: .ok, of: response, facetID: "https://rp.example")
    let message = UAFKit.authentication(.silent, header: header("Auth"))
    let own = await kit.client.authenticate(message, facetID: "https://rp.example")
    #expect(own.outcome == .success)
    let other = await kit.client.authenticate(message, facetID: "https://rp.example:8443")
    #expect(other.outcome == .accessDenied)
    #expect(try await kit.client.registrations(facetID: "https://rp.example").map(\.appID) == [app])
    #expect(try await kit.client.registrations(facetID: "https://rp.example:8443").isEmpty)
    try await kit.client.deleteKeys(appID: app, facetID: "https://rp.example:8443")
    #expect(try await kit.records().count == 1)
    try await kit.client.deleteKeys(appID: app, facetID: "https://rp.example")
    #expect(try await kit.records().isEmpty)
  }

  @Test func aKeyIsConfirmedByTheServersStatus() async throws {
    let kit = try UAFKit()
    let response = try await kit.client.process(UAFKit.registration(.silent), facetID: UAFKit.facet)
    #expect(try await kit.records().map(\.state) == [.staged])
    for undecided in [1202, 1408, 1491, 1500] {
      try await kit.client.notify(
        status: UAFServerStatus(rawValue: undecided), of: response, facetID: UAFKit.facet)
      #expect(try await kit.records().map(\.state) == [.staged])
    }
    try await kit.client.notify(status: .ok, of: response, facetID: UAFKit.facet)
    #expect(try await kit.records().map(\.state) == [.active])
    try await kit.client.notify(status: .ok, of: response, facetID: UAFKit.facet)
    #expect(try await kit.client.registrations(facetID: UAFKit.facet).first?.keys.map(\.isConfirmed) == [true])
  }

  @Test(arguments: [1400, 1401, 1403, 1480, 1490, 1492, 1493, 1494, 1495, 1496, 1497, 1498])
  func aRefusedKeyIsDestroyed(_ status: Int) async throws {
    let kit = try UAFKit()
    let response = try await kit.client.process(UAFKit.registration(.silent), facetID: UAFKit.facet)
    try await kit.client.notify(status: UAFServerStatus(rawValue: status), of: response, facetID: UAFKit.facet)
    #expect(try await kit.records().isEmpty)
  }

  @Test func aKeyThatTheServerDoesNotKnowGoes() async throws {
    let kit = try UAFKit()
    try await kit.register(.silent)
    let result = await kit.client.authenticate(UAFKit.authentication(.silent), facetID: UAFKit.facet)
    let response = try #require(result.message)
    try await kit.client.notify(status: UAFServerStatus(rawValue: 1400), of: response, facetID: UAFKit.facet)
    #expect(try await kit.records().count == 1)
    try await kit.client.notify(status: .unknownKeyID, of: response, facetID: UAFKit.facet)
    #expect(try await kit.records().isEmpty)
  }

  @Test func aNewerKeyTakesTheOldersPlaceOnceAccepted() async throws {
    let kit = try UAFKit()
    let old = try await kit.register(.silent).keyID
    let response = try await kit.client.process(UAFKit.registration(.silent), facetID: UAFKit.facet)
    let new = try UAFKit.registered(response).keyID
    let used = {
      try UAFKit.signed(
        await kit.client.authenticate(UAFKit.authentication(.silent), facetID: UAFKit.facet).message
      ).keyID
    }
    #expect(try await used() == old)
    try await kit.client.notify(status: .ok, of: response, facetID: UAFKit.facet)
    #expect(try await used() == new)
    #expect(try await kit.records().count == 1)
  }

  @Test func aStagedKeySignsInWithAPromptOfASignIn() async throws {
    let kit = try UAFKit()
    kit.device.verifier.script([.match()])
    _ = try await kit.client.process(UAFKit.registration(.state), facetID: UAFKit.facet)
    let extras = UAFExtras([.fallback(title: "Other ways")])
    let fallback = await kit.authenticate(UAFKit.authentication(.state), extras: extras, steps: .fallback)
    #expect(fallback.outcome == .fallback)
    #expect(await kit.authenticate(UAFKit.authentication(.state), extras: extras, steps: .match()).outcome == .success)
  }

  @Test func aStagedKeyThatTheServerNamesIsAccepted() async throws {
    let kit = try UAFKit()
    let response = try await kit.client.process(UAFKit.registration(.silent), facetID: UAFKit.facet)
    let keyID = try UAFKit.registered(response).keyID
    let result = await kit.client.authenticate(
      UAFKit.authentication(.silent, keyIDs: [keyID]), facetID: UAFKit.facet)
    #expect(result.outcome == .success)
    #expect(try await kit.records().map(\.state) == [.active])
  }

  @Test func aKeyThatTheServerNamesTakesTheOldersPlace() async throws {
    let kit = try UAFKit()
    try await kit.register(.silent)
    let response = try await kit.client.process(UAFKit.registration(.silent), facetID: UAFKit.facet)
    let keyID = try UAFKit.registered(response).keyID
    #expect(try await kit.records().count == 2)
    let result = await kit.client.authenticate(
      UAFKit.authentication(.silent, keyIDs: [keyID]), facetID: UAFKit.facet)
    #expect(result.outcome == .success)
    // Nothing of the older one stays, not even set aside.
    #expect(try await kit.records().map(\.externalID) == [keyID.bytes])
  }

  @Test func aDisallowedKeyKeepsItsAuthenticatorOut() async throws {
    let kit = try UAFKit()
    let keyID = try await kit.register(.silent).keyID
    let policy = { (key: String) -> JSONValue in
      [
        "accepted": [[["aaid": ["FFFF#A006"]]]],
        "disallowed": [["aaid": ["ffff#a006"], "keyIDs": [.string(key)]]],
      ]
    }
    await #expect(throws: AuthenticatorError(.noSuitableAuthenticator)) {
      try await kit.client.process(
        UAFKit.registration(policy: policy(keyID.description)), facetID: UAFKit.facet)
    }
    let other = String(repeating: "A", count: 43)
    await #expect(throws: Never.self) {
      try await kit.client.process(UAFKit.registration(policy: policy(other)), facetID: UAFKit.facet)
    }
  }

  @Test func asksWhoseKeyAmongSeveralUsers() async throws {
    let kit = try UAFKit()
    try await kit.register(.state, steps: .match())
    let bob = try await kit.register(.state, username: "bob", steps: .match()).keyID
    let shown = kit.prompts.count
    let result = await kit.authenticate(UAFKit.authentication(.state), steps: .match(), .choose("bob"))
    #expect(try UAFKit.signed(result.message).keyID == bob)
    // No name is shown before the person is verified.
    #expect(kit.prompts.dropFirst(shown).map(\.kind) == [.biometric, .choose])
    let named = await kit.authenticate(UAFKit.authentication(.state, keyIDs: [bob]), steps: .match())
    #expect(try UAFKit.signed(named.message).keyID == bob)
    var silent = kit.configuration
    silent.responder = nil
    kit.device.verifier.script([.match()])
    let unanswered = await (try UAFClient(silent)).authenticate(UAFKit.authentication(.state), facetID: UAFKit.facet)
    #expect(unanswered.error == AuthenticatorError(.notInteractive))
  }

  @Test func aSecondFactorKnowsNoNameAndNeedsItsKeysNamed() async throws {
    let kit = try UAFKit { configuration in
      configuration.authenticators = [
        UAFAuthenticatorModel(aaid: try UAFKit.Model.silent.aaid, behavior: .silent, isSecondFactorOnly: true)
      ]
    }
    let keyID = try await kit.register(.silent).keyID
    #expect(try await kit.records().first?.owner.account == nil)
    let unnamed = await kit.client.authenticate(UAFKit.authentication(.silent), facetID: UAFKit.facet)
    #expect(unnamed.outcome == .accessDenied)
    let named = await kit.client.authenticate(
      UAFKit.authentication(.silent, keyIDs: [keyID]), facetID: UAFKit.facet)
    #expect(named.outcome == .success)
  }

  @Test func deregistersOneKeyAModelOrEverything() async throws {
    let kit = try UAFKit()
    let alice = try await kit.register(.silent).keyID
    try await kit.register(.silent, username: "bob")
    try await kit.register(.presence, steps: .approve)
    let deregister = { (aaid: String, keyID: String) in
      _ = try await kit.client.process(UAFKit.deregistration(aaid, keyID), facetID: UAFKit.facet)
      return try await kit.records().count
    }
    // Nothing tells whether a key was there.
    #expect(try await deregister("FFFF#A006", String(repeating: "A", count: 43)) == 3)
    #expect(try await deregister("FFFF#A005", alice.description) == 3)
    #expect(try await deregister("ffff#a006", alice.description) == 2)
    #expect(try await deregister("FFFF#A006", "") == 1)
    #expect(try await deregister("", "") == 0)
    #expect(kit.device.verifier.remainingSteps == 0)
  }

  @Test func fullAuthenticatorsLeaveTheirPlaceToOthers() async throws {
    let kit = try UAFKit { configuration in
      configuration.authenticators = [
        UAFAuthenticatorModel(aaid: try UAFKit.Model.silent.aaid, behavior: .silent, maximumKeys: 1),
        UAFAuthenticatorModel(aaid: try UAFKit.Model.presence.aaid, behavior: .presence),
      ]
    }
    try await kit.register(.silent)
    await #expect(throws: AuthenticatorError(.insufficientAuthenticatorResources)) {
      try await kit.client.process(UAFKit.registration(.silent, username: "bob"), facetID: UAFKit.facet)
    }
    kit.device.verifier.script([.approve])
    let response = try await kit.client.process(
      UAFKit.registration(.silent, .presence, username: "bob"), facetID: UAFKit.facet)
    #expect(try UAFKit.registered(response).aaid == UAFKit.Model.presence.aaid)
  }

  // MARK: Devices that cannot

  @Test func tellsWhatADeviceLacks() async throws {
    let bare = try UAFKit(ScriptedDevice())
    #expect(await bare.client.discover().availableAuthenticators.map(\.aaid.rawValue) == ["FFFF#A005", "FFFF#A006"])
    #expect(
      await bare.client.checkPolicy(UAFKit.registration(.state), facetID: UAFKit.facet) == .noSuitableAuthenticator)
    let unenrolled = try UAFKit(ScriptedDevice(sensor: .fingerprint, passcode: UAFKit.passcode))
    #expect(
      await unenrolled.client.register(UAFKit.registration(.state), facetID: UAFKit.facet).outcome == .notEnrolled)
    #expect(await unenrolled.client.checkPolicy(UAFKit.registration(.state), facetID: UAFKit.facet) == .noError)
    #expect(unenrolled.prompts.isEmpty)
  }

  @Test func keyProtectionIsWhatTheStoreCanDo() async throws {
    let kit = try UAFKit()
    let found = await kit.client.discover().availableAuthenticators
    #expect(found.allSatisfy { $0.keyProtection == [.hardware, .secureElement] })
  }

  // MARK: What is only asked for

  @Test func askingMakesAndWritesNothing() async throws {
    let kit = try UAFKit()
    let writes: Set<FaultInjectingKeyStore.Call> = [
      .stage, .commit, .discard, .delete, .update, .setItem, .exchangeItem, .advance,
    ]
    #expect(await kit.client.checkPolicy(UAFKit.registration(.silent), facetID: UAFKit.facet) == .noError)
    #expect(
      await kit.client.checkPolicy(UAFKit.authentication(.silent), facetID: UAFKit.facet)
        == .authenticatorAccessDenied)
    #expect(try await kit.client.registrations(facetID: UAFKit.facet).isEmpty)
    try await kit.client.deleteKeys(appID: nil, facetID: UAFKit.facet)
    _ = try await kit.client.process(UAFKit.deregistration("", ""), facetID: UAFKit.facet)
    #expect(writes.isDisjoint(with: kit.device.store.calls))
    // A store that takes no writes is asked all the same.
    kit.device.store.fail(.setItem)
    kit.device.store.fail(.exchangeItem)
    #expect(try await kit.client.registrations(facetID: UAFKit.facet).isEmpty)
    #expect(await kit.client.checkPolicy(UAFKit.registration(.silent), facetID: UAFKit.facet) == .noError)
  }

  @Test func askingForesees() async throws {
    let kit = try UAFKit()
    let check = { (message: UAFMessage) in await kit.client.checkPolicy(message, facetID: UAFKit.facet) }
    try await kit.register(.silent)
    try await kit.register(.deletion, steps: .match())
    #expect(await check(UAFKit.authentication(.silent)) == .noError)
    #expect(
      await check(UAFKit.authentication(.silent, transaction: UAFKit.transaction("Pay"))) == .authenticatorAccessDenied)
    #expect(
      await check(UAFKit.authentication(.deletion, transaction: UAFKit.transaction("größer")))
        == .invalidTransactionContent)
    try kit.device.verifier.enroll("left-thumb")
    _ = await kit.client.authenticate(UAFKit.authentication(.deletion), facetID: UAFKit.facet)
    #expect(await check(UAFKit.authentication(.deletion)) == .keyDisappearedPermanently)
  }

  // MARK: Two at once

  @Test func twoFirstRunsAtOnceLoseNoKey() async throws {
    let kit = try UAFKit()
    let message = UAFKit.registration(.silent, username: "bob")
    // Another process registers between this one's look for a token and its own token.
    kit.device.store.interrupt(before: .exchangeItem) {
      let response = try await kit.client.process(message, facetID: UAFKit.facet)
      try await kit.client.notify(status: .ok, of: response, facetID: UAFKit.facet)
    }
    let alice = try await kit.register(.silent).keyID
    #expect(try await kit.records().count == 2)
    let found = try await kit.client.registrations(facetID: UAFKit.facet)
    #expect(found.first?.keys.count == 2)
    #expect(found.first?.keys.contains { $0.keyID == alice } == true)
  }

  @Test func keysThatEndAtTheSameTimeAreAllRemembered() async throws {
    let kit = try UAFKit()
    let alice = try await kit.register(.deletion, steps: .match()).keyID
    let bob = try await kit.register(.deletion, username: "bob", steps: .match()).keyID
    try kit.device.verifier.enroll("left-thumb")
    let sign = { @Sendable (keyID: UAFKeyID) in
      await kit.client.authenticate(UAFKit.authentication(.deletion, keyIDs: [keyID]), facetID: UAFKit.facet).outcome
    }
    kit.device.store.interrupt(before: .exchangeItem) { #expect(await sign(bob) == .keyDisappeared) }
    #expect(await sign(alice) == .keyDisappeared)
    #expect(try await kit.records().isEmpty)
    for keyID in [alice, bob] { #expect(await sign(keyID) == .keyDisappeared) }
  }
}
