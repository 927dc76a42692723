import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorJOSE
import AuthenticatorJourney
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// A key beside an older one, and the server's verdict.
@Suite struct RebindTests {
  @Test func replacesTheUsersKeyOnly() async throws {
    let kit = try BindingKit()
    let first = try await kit.bind(.match())
    let other = try await kit.bind(user: BindingKit.noor, .match())
    let second = try await kit.bind("BIOMETRIC_ALLOW_FALLBACK", .match())
    let keys = try await UserKeys(context: kit.device.context, realm: "/alpha").active()
    #expect(keys.map(\.tag) == [second.tag, other.tag])
    #expect(try await kit.store.record(first.tag)?.state == .retired)
  }

  @Test(arguments: ["cancel", "refused", "asked again", "timeout", "stage fails"])
  func keepsTheOldKeyWhenBindingAgainFails(_ end: String) async throws {
    let kit = try BindingKit()
    let old = try await kit.bind(.match())
    kit.verifier.script(end == "cancel" ? [.cancel] : [.match()])
    let (node, callback) = try await kit.bindPage(challenge: "again", timeout: end == "timeout" ? 0 : 60)
    if end == "stage fails" { kit.store.fail(.stage) }
    do {
      try await callback.bind(kit.configuration)
      #expect(end == "refused" || end == "asked again")
      #expect(try await kit.states() == [.active, .staged])
    } catch let error as AuthenticatorError {
      #expect(
        error.code
          == [
            "cancel": .userCanceled, "timeout": .timedOut, "stage fails": .storageFailed,
          ][end])
    }
    kit.store.repair()
    if end == "asked again" {
      kit.transport.add(json: BindingKit.step([BindingKit.binding(challenge: "third")]))
      let page = try await node.next()
      page.continueNode?.close()
    } else {
      try await kit.refuse(node)
    }
    #expect(try await kit.records().map(\.tag) == [old.tag])
    #expect(try await kit.sign(.match()).tag == old.tag)
  }

  @Test func keepsTheNewKeyWhenTheNextPageAsksAnotherUser() async throws {
    let kit = try BindingKit(steps: [.match()])
    let (node, callback) = try await kit.bindPage()
    try await callback.bind(kit.configuration)
    kit.transport.add(json: BindingKit.step([BindingKit.binding(user: BindingKit.noor, challenge: "other")]))
    _ = try await node.next()
    #expect(try await kit.states() == [.active])
  }

  @Test func keepsTheKeyStagedWhenNobodyCanTell() async throws {
    let kit = try BindingKit()
    let old = try await kit.bind(.match())
    for answer in ["lost", "fault", "garbage"] {
      kit.verifier.script([.match()])
      let (node, callback) = try await kit.bindPage(challenge: answer)
      let key = try await callback.bind(kit.configuration)
      switch answer {
      case "lost": kit.transport.addFailure(mayHaveArrived: true)
      case "fault": kit.transport.add(500, text: "oops")
      default: kit.transport.add(200, text: "<html>")
      }
      do { _ = try await node.next() } catch is AuthenticatorError {}
      #expect(try await kit.store.record(key.tag)?.state == .staged)
    }
    #expect(try await UserKeys(context: kit.device.context, realm: "/alpha").active().map(\.tag) == [old.tag])
  }

  /// What a process leaves that ended in the middle of a prompt: staged, never signed.
  private func interrupt(_ kit: BindingKit, user: String = BindingKit.mira, by moment: String) async throws {
    kit.verifier.script([.cancel])
    kit.store.fail(.discard)
    let (node, callback) = try await kit.bindPage(user: user, challenge: moment)
    await #expect(throws: AuthenticatorError(.userCanceled)) { try await callback.bind(kit.configuration) }
    kit.store.repair()
    node.close()
  }

  @Test func anAcceptedBindingClearsWhatInterruptedOnesLeft() async throws {
    let kit = try BindingKit()
    let old = try await kit.bind(.match())
    for moment in ["first", "second", "third"] { try await interrupt(kit, by: moment) }
    try await interrupt(kit, user: BindingKit.noor, by: "another user's")
    #expect(try await kit.states() == [.active, .staged, .staged, .staged, .staged])
    let new = try await kit.bind(.match())
    let left = try await kit.records()
    #expect(left.map(\.tag).contains(old.tag) && left.map(\.tag).contains(new.tag))
    #expect(left.map(\.state) == [.retired, .staged, .active], "another user's stays")
  }

  @Test func whatSignedMayHaveReachedTheServerAndStays() async throws {
    let kit = try BindingKit(steps: [.match()])
    let (node, callback) = try await kit.bindPage(challenge: "lost")
    let lost = try await callback.bind(kit.configuration)
    kit.transport.addFailure(mayHaveArrived: true)
    do { _ = try await node.next() } catch is AuthenticatorError {}
    kit.clock.advance(by: .seconds(7200))
    _ = try await kit.bind(.match())
    #expect(try await kit.store.record(lost.tag)?.state == .staged)
  }

  @Test func theNextBindingClearsWhatIsPastItsTimeEvenIfItFails() async throws {
    let kit = try BindingKit()
    try await interrupt(kit, by: "first")
    try await interrupt(kit, by: "second")
    #expect(try await kit.states() == [.staged, .staged], "within its time another process may be at work on it")
    kit.clock.advance(by: .seconds(121))
    kit.verifier.script([.cancel])
    let (_, callback) = try await kit.bindPage(challenge: "again")
    await #expect(throws: AuthenticatorError(.userCanceled)) { try await callback.bind(kit.configuration) }
    #expect(try await kit.states() == [])
  }

  @Test func aBindingStandsWhenWhatIsLeftCannotBeCleared() async throws {
    let kit = try BindingKit()
    try await interrupt(kit, by: "first")
    kit.verifier.script([.match()])
    let (node, callback) = try await kit.bindPage(challenge: "again")
    let key = try await callback.bind(kit.configuration)
    kit.store.fail(.discard)
    try await kit.accept(node)
    #expect(try await kit.store.record(key.tag)?.state == .active)
  }

  @Test func keepsTheKeyWhileTheRequestMayBeSentAgain() async throws {
    let kit = try BindingKit(steps: [.match()])
    let (node, callback) = try await kit.bindPage()
    try await callback.bind(kit.configuration)
    kit.transport.addFailure(mayHaveArrived: false)
    #expect(await thrown { try await node.next() }?.isSafeToRetry == true)
    #expect(try await kit.states() == [.staged])
    try await kit.accept(node)
    #expect(try await kit.states() == [.active])
  }

  @Test func tellsThatTheKeyCouldNotBeCommitted() async throws {
    let kit = try BindingKit(steps: [.match()])
    let (node, callback) = try await kit.bindPage()
    try await callback.bind(kit.configuration)
    kit.store.fail(.commit)
    kit.transport.add(json: BindingKit.success)
    #expect(await thrown { try await node.next() }?.code == .storageFailed)
    kit.store.repair()
    #expect(try await kit.states() == [.staged])
    // The person is signed in all the same.
    #expect(try await kit.journey.session?.tokenID == "token-1")
  }

  @Test func bindsTwoUsersAtOnce() async throws {
    let environment = TestEnvironment()
    let kit = try BindingKit(environment: environment)
    let keys = try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, user) in [BindingKit.mira, BindingKit.noor].enumerated() {
        group.addTask {
          let transport = ScriptedTransport()
          let journey = Journey(
            try JourneyConfiguration(server: BindingKit.instance, realm: "/alpha"), transport: transport,
            environment: environment.environment, callbacks: .standard.registering(DeviceBindingCallback.self))
          transport.add(json: BindingKit.step([BindingKit.binding("NONE", user: user, challenge: "c\(index)")]))
          transport.add(json: BindingKit.success)
          let node = try #require(try await journey.start("Bind").continueNode)
          try await node.callback(DeviceBindingCallback.self)?.bind(kit.configuration)
          _ = try await node.next()
        }
      }
      try await group.waitForAll()
      return try await UserKeys(context: kit.device.context, realm: "/alpha").active()
    }
    #expect(keys.map(\.userName) == ["mira", "noor"])
  }

  @Test func keepsRealmsApart() async throws {
    let kit = try BindingKit()
    let first = try await kit.bind(.match())
    let transport = ScriptedTransport()
    let beta = Journey(
      try JourneyConfiguration(server: BindingKit.instance, realm: "/beta"), transport: transport,
      environment: kit.device.environment.environment,
      callbacks: .standard.registering(DeviceSigningVerifierCallback.self))
    transport.add(json: BindingKit.step([BindingKit.signing(user: "")]))
    let node = try #require(try await beta.start("Sign").continueNode)
    let callback = try #require(node.callback(DeviceSigningVerifierCallback.self))
    #expect(await thrown { try await callback.sign(kit.configuration) }?.code == .keyNotFound)
    #expect(try await kit.store.record(first.tag)?.state == .active)
  }
}
