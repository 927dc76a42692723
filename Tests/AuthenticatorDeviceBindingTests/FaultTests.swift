import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorJourney
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// Every call of the store fails once, before or after it took effect, in a binding that replaces a key.
@Suite struct FaultTests {
  enum Verdict: String, CaseIterable { case accepted, refused }

  /// Binds over an old key with one call failing; returns how many calls there were.
  private func run(
    _ word: String, _ steps: [ScriptedStep], failing place: Int?, _ moment: FaultInjectingKeyStore.Moment,
    _ verdict: Verdict
  ) async throws -> Int {
    let kit = try BindingKit()
    kit.verifier.script(steps)
    let first = try await kit.bindPage(word, challenge: "first")
    let old = try await first.callback.bind(kit.configuration)
    try await kit.accept(first.node)
    kit.store.repair()
    if let place { kit.store.failCall(at: place, moment) }

    kit.verifier.script(steps)
    let (node, callback) = try await kit.bindPage(word, challenge: "second")
    var bound: UserKey?
    do { bound = try await callback.bind(kit.configuration) } catch is AuthenticatorError {
      #expect(callback.jws == nil)
      #expect(callback.clientError != nil)
    }
    let accepts = verdict == .accepted && bound != nil
    accepts ? kit.transport.add(json: BindingKit.success) : kit.transport.add(401, json: BindingKit.loginFailure)
    var isTold = true
    do { _ = try await node.next() } catch is AuthenticatorError { isTold = false }
    let calls = kit.store.calls.count
    kit.store.repair()

    // Exactly one key is offered, and it works; what was reported as bound is active.
    let active = try await UserKeys(context: kit.device.context, realm: "/alpha").active()
    #expect(active.count == 1, "call \(place ?? -1) \(moment)")
    if accepts, isTold { #expect(active.first?.tag == bound?.tag) }
    if !accepts { #expect(active.first?.tag == old.tag) }
    kit.verifier.script(steps)
    let (_, signing) = try await kit.signPage()
    try await signing.sign(kit.configuration)

    // Nothing but the offered key, the one it replaced, and staged rows that reconciliation will settle.
    let states = try await kit.records().map(\.state)
    #expect(states.filter { $0 == .retired }.count <= 1)
    #expect(!states.contains(.revoking))
    return calls
  }

  @Test(
    arguments: [
      ("NONE", []), ("BIOMETRIC_ONLY", [.match()]), ("BIOMETRIC_ALLOW_FALLBACK", [.match()]),
      ("BIOMETRIC_ALLOW_FALLBACK", [.passcode("482913")]), ("APPLICATION_PIN", [.pin("1234")]),
    ] as [(String, [ScriptedStep])])
  func survivesEveryFailingCall(_ word: String, _ steps: [ScriptedStep]) async throws {
    for verdict in Verdict.allCases {
      let calls = try await run(word, steps, failing: nil, .before, verdict)
      #expect(calls >= 4)
      for place in 0..<calls {
        for moment in [FaultInjectingKeyStore.Moment.before, .after] {
          _ = try await run(word, steps, failing: place, moment, verdict)
        }
      }
    }
  }

  /// Binds over an old key at the real server with one call failing; then reconciliation settles what is left, whatever
  /// it is. Returns how many calls there were.
  private func settle(
    _ journey: String, _ steps: [ScriptedStep], failing place: Int?, _ moment: FaultInjectingKeyStore.Moment
  ) async throws -> (calls: Int, leftovers: Int) {
    let world = try await BindingDevicesTests.World()
    world.kit.verifier.script(steps)
    try await world.run(journey)
    world.kit.store.repair()
    if let place { world.kit.store.failCall(at: place, moment) }
    world.kit.verifier.script(steps)
    // An app that sees the error goes no further.
    do { _ = try await world.run(journey) } catch is AuthenticatorError {}
    let calls = world.kit.store.calls.count
    world.kit.store.repair()
    let leftovers = try await world.kit.records().count { $0.state == .staged }

    let what = "\(journey), call \(place ?? -1) \(moment)"
    // Until then a staged key may still be accepted.
    world.kit.clock.advance(by: .seconds(600))
    try await world.run("Login")
    let report = try await world.devices.reconcile()
    #expect(report.failures.isEmpty && report.pending.isEmpty, "\(what)")
    let records = try await world.kit.records()
    #expect(records.map(\.state) == [.active], "\(what)")
    #expect(try await world.devices.list().map(\.keyID) == records.compactMap { UserKey($0)?.keyID }, "\(what)")
    world.kit.verifier.script(steps)
    let (node, _) = try await world.run("SignDevice")
    guard case .success = node else {
      Issue.record("\(what): \(node)")
      return (calls, leftovers)
    }
    return (calls, leftovers)
  }

  @Test(
    arguments: [
      ("BindDeviceNone", []), ("BindDeviceBiometricOnly", [.match()]), ("BindDevice", [.match()]),
      ("BindDevicePIN", [.pin("1234")]),
    ] as [(String, [ScriptedStep])])
  func reconciliationSettlesWhatAFailureLeft(_ journey: String, _ steps: [ScriptedStep]) async throws {
    let (calls, _) = try await settle(journey, steps, failing: nil, .before)
    #expect(calls >= 4)
    var leftovers = 0
    for place in 0..<calls {
      for moment in [FaultInjectingKeyStore.Moment.before, .after] {
        leftovers += try await settle(journey, steps, failing: place, moment).leftovers
      }
    }
    #expect(leftovers > 0, "there was something to settle")
  }

  @Test(
    arguments: [
      ("NONE", []), ("BIOMETRIC_ALLOW_FALLBACK", [.match()]), ("APPLICATION_PIN", [.pin("1234")]),
    ] as [(String, [ScriptedStep])])
  func leavesNothingOfAFirstBindingThatFails(_ word: String, _ steps: [ScriptedStep]) async throws {
    func run(failing place: Int?, _ moment: FaultInjectingKeyStore.Moment) async throws -> Int {
      let kit = try BindingKit(steps: steps)
      if let place { kit.store.failCall(at: place, moment) }
      let (node, callback) = try await kit.bindPage(word)
      var isBound = true
      do { try await callback.bind(kit.configuration) } catch is AuthenticatorError { isBound = false }
      isBound ? kit.transport.add(json: BindingKit.success) : kit.transport.add(401, json: BindingKit.loginFailure)
      do { _ = try await node.next() } catch is AuthenticatorError {}
      let calls = kit.store.calls.count
      kit.store.repair()
      let records = try await kit.records()
      if isBound {
        #expect(records.count == 1)
      } else {
        // A row whose clean-up failed too stays staged: never offered.
        #expect(records.allSatisfy { $0.state == .staged })
        #expect(try await UserKeys(context: kit.device.context, realm: "/alpha").active().isEmpty)
      }
      // Whatever happened, binding again works, with any PIN.
      kit.verifier.script(steps)
      let key = try await kit.bindAgain(word)
      #expect(try await kit.store.record(key.tag)?.state == .active)
      return calls
    }
    let calls = try await run(failing: nil, .before)
    for place in 0..<calls {
      for moment in [FaultInjectingKeyStore.Moment.before, .after] { _ = try await run(failing: place, moment) }
    }
  }
}

extension BindingKit {
  /// Binds with what is scripted already.
  fileprivate func bindAgain(_ word: String) async throws -> UserKey {
    let (node, callback) = try await bindPage(word, challenge: "once more")
    let key = try await callback.bind(configuration)
    try await accept(node)
    return key
  }
}
