import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorDeviceBinding
import AuthenticatorJourney
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

extension BindingDevicesTests {
  // MARK: Reconciliation

  @Test func commitsWhatTheServerHadAccepted() async throws {
    let world = try await World()
    let old = try await world.bind()
    try await world.bind(losing: .answer)
    let staged = try #require(try await world.kit.records().first { $0.state == .staged })
    try await world.run("Login")
    let report = try await world.devices.reconcile()
    #expect(report.committed == [staged.tag])
    // The old one is gone on both sides.
    #expect(report.deleted == [old.tag])
    #expect(try await world.kit.records().map(\.tag) == [staged.tag])
    #expect(try await world.devices.list().map(\.keyID) == [UserKey(staged)?.keyID])
    #expect(UserKey(try #require(try await world.kit.records().first))?.userName == "mira")
    let (node, _) = try await world.run("SignDevice")
    guard case .success = node else {
      Issue.record("\(node)")
      return
    }
    // A second pass finds nothing to do.
    let again = try await world.devices.reconcile()
    #expect(again.committed.isEmpty && again.deleted.isEmpty && again.pending.isEmpty && again.failures.isEmpty)
  }

  @Test func discardsWhatNeverArrivedOnlyWhenItsTimeIsOver() async throws {
    let world = try await World()
    let old = try await world.bind()
    try await world.bind(losing: .request)
    let staged = try #require(try await world.kit.records().first { $0.state == .staged })
    try await world.run("Login")
    #expect(try await world.devices.reconcile().pending == [staged.tag])
    world.kit.clock.advance(by: .seconds(119))
    #expect(try await world.devices.reconcile().pending == [staged.tag])
    world.kit.clock.advance(by: .seconds(2))
    #expect(try await world.devices.reconcile().discarded == [staged.tag])
    #expect(try await world.kit.records().map(\.tag) == [old.tag])
    #expect(try await world.devices.list().map(\.keyID) == [old.keyID])
  }

  @Test func removesTheReplacedKeyOnBothSides() async throws {
    let world = try await World()
    let old = try await world.bind()
    let new = try await world.bind()
    #expect(try await world.devices.list().count == 2)
    let report = try await world.devices.reconcile()
    #expect(report.deleted == [old.tag])
    #expect(try await world.devices.list().map(\.keyID) == [new.keyID])
    #expect(try await world.kit.records().map(\.tag) == [new.tag])
  }

  @Test func removesOnBothSidesWhatASignInHasProvedToBeReplaced() async throws {
    let world = try await World()
    let old = try await world.bind()
    let new = try await world.bind()
    try await world.run("SignDevice")
    #expect(try await world.state(old) == .revoking)
    #expect(try await world.devices.list().count == 2)
    let report = try await world.devices.reconcile()
    #expect(report.deleted == [old.tag])
    #expect(try await world.devices.list().map(\.keyID) == [new.keyID])
    #expect(try await world.kit.records().map(\.tag) == [new.tag])
  }

  @Test(arguments: [InProcessTransport.Loss.request, .answer])
  func triesARemovalAgainThatNobodyAnswered(loss: InProcessTransport.Loss) async throws {
    let world = try await World()
    let old = try await world.bind()
    let new = try await world.bind()
    try await world.run("SignDevice")
    world.wire.lose(loss, at: 2)
    #expect(await thrown { try await world.devices.finishUnbindings() }?.code == .transportFailed)
    #expect(try await world.state(old) == .revoking)
    #expect(try await world.devices.finishUnbindings() == [old.tag])
    #expect(try await world.devices.finishUnbindings() == [])
    #expect(try await world.devices.list().map(\.keyID) == [new.keyID])
    #expect(try await world.kit.records().map(\.tag) == [new.tag])
  }

  @Test func releasesTheServersHalfOfReplacedKeysOnly() async throws {
    let world = try await World()
    let other = try await world.bind(user: "noor")
    let old = try await world.bind()
    let new = try await world.bind()
    #expect(try await world.devices.releaseReplaced() == [old.tag])
    #expect(try await world.devices.list().map(\.keyID) == [new.keyID])
    #expect(try await world.state(old) == .retired, "it stays until the new one has signed in")
    #expect(try await world.state(new) == .active)
    #expect(try await world.state(other) == .active)
    // Nothing is released for a successor that the server does not know.
    let third = try await world.bind()
    _ = try await delete(third.keyID, in: world)
    #expect(try await world.devices.releaseReplaced() == [])
    #expect(try await world.devices.list().map(\.keyID) == [new.keyID])
  }

  /// A server that takes two devices a user is enough to rotate for ever.
  @Test func rotatesUnderALimitOfTwoDevices() async throws {
    let world = try await World()
    // BIOMETRIC_ALLOW_FALLBACK: one touch for each binding and each proof.
    world.kit.verifier.script([ScriptedStep](repeating: .match(), count: 20))
    try await world.run("BindDeviceLimited")
    for _ in 0..<4 {
      let (node, _) = try await world.run("BindDeviceLimited")
      guard case .success = node else {
        Issue.record("\(node)")
        return
      }
      let (proved, _) = try await world.run("SignDevice")
      guard case .success = proved else {
        Issue.record("\(proved)")
        return
      }
      _ = try await world.devices.reconcile()
      #expect(try await world.devices.list().count == 1)
      #expect(try await world.kit.states() == [.active])
    }
  }

  @Test func restoresTheOldKeyWhenTheServerDoesNotKnowTheNew() async throws {
    let world = try await World()
    let old = try await world.bind()
    let new = try await world.bind()
    _ = try await delete(new.keyID, in: world)
    world.kit.clock.advance(by: .seconds(61))
    let report = try await world.devices.reconcile()
    #expect(report.restored == [old.tag])
    #expect(report.deleted == [new.tag])
    #expect(try await world.state(old) == .active)
    let (node, key) = try await world.run("SignDevice")
    #expect(key?.tag == old.tag)
    guard case .success = node else {
      Issue.record("\(node)")
      return
    }
  }

  @Test func deletesWhatTheServerHasRemoved() async throws {
    let world = try await World()
    let key = try await world.bind()
    let other = try await world.bind(user: "noor")
    try await world.run("Login")
    _ = try await delete(key.keyID, in: world)
    // Just made: a list may lag.
    #expect(try await world.devices.reconcile().pending == [key.tag])
    world.kit.clock.advance(by: .seconds(61))
    #expect(try await world.devices.reconcile().deleted == [key.tag])
    #expect(try await world.state(key) == nil)
    #expect(try await world.state(other) == .active)
  }

  /// Deletes on the server alone, as an administrator would.
  func delete(_ keyID: String, in world: World) async throws -> Int {
    try await world.journey.sessionRequest(
      "DELETE", path: "users/mira/devices/2fa/binding/\(keyID)", version: "resource=1.0"
    ).status
  }

  @Test(arguments: ["lost", "401", "500", "html", "paged", "short", "remaining", "no id", "no result"])
  func concludesNothingFromAListItCannotHave(_ how: String) async throws {
    let kit = try BindingKit()
    let old = try await kit.bind("NONE")
    let new = try await kit.bind("NONE")
    let devices = try BindingDevices(kit.journey, context: kit.device.context)
    kit.clock.advance(by: .seconds(1000))
    kit.transport.add(json: ["id": "mira", "dn": .string(BindingKit.mira)])
    switch how {
    case "lost": kit.transport.addFailure(mayHaveArrived: true)
    case "401", "500": kit.transport.add(Int(how) ?? 0, json: ["code": 1])
    case "html": kit.transport.add(200, text: "<html>")
    case "paged": kit.transport.add(json: ["result": [], "resultCount": 0, "pagedResultsCookie": "next"])
    case "short": kit.transport.add(json: ["result": [], "resultCount": 2])
    case "remaining": kit.transport.add(json: ["result": [], "resultCount": 0, "remainingPagedResults": 5])
    case "no id": kit.transport.add(json: ["result": [["deviceName": "x"]], "resultCount": 1])
    default: kit.transport.add(json: ["resultCount": 0])
    }
    let before = kit.store.calls.count
    let error = await thrown { try await devices.reconcile() }
    #expect(
      error?.code == (["lost": .transportFailed, "401": .serverRefused, "500": .serverRefused][how] ?? .invalidMessage))
    #expect(kit.store.calls.count == before)
    #expect(try await kit.store.record(old.tag)?.state == .retired)
    #expect(try await kit.store.record(new.tag)?.state == .active)
  }

  @Test func reportsWhatFailsAndGoesOn() async throws {
    let world = try await World()
    let old = try await world.bind()
    try await world.bind(losing: .answer)
    try await world.run("Login")
    world.kit.store.fail(.commit)
    let report = try await world.devices.reconcile()
    #expect(report.committed.isEmpty)
    #expect(report.pending.count == 1)
    #expect(report.failures.map(\.code) == [.storageFailed])
    #expect(try await world.state(old) == .active)
    world.kit.store.repair()
    #expect(try await world.devices.reconcile().committed.count == 1)
  }

  /// Killed after any call of the store, reconciliation converges when it runs again.
  @Test func convergesAfterEveryInterruption() async throws {
    var place = 0
    while true {
      let world = try await World()
      try await world.bind()
      try await world.bind(losing: .answer)
      try await world.run("Login")
      world.kit.store.repair()
      world.kit.store.failCall(at: place, .after)
      do { _ = try await world.devices.reconcile() } catch is AuthenticatorError {}
      let calls = world.kit.store.calls.count
      world.kit.store.repair()
      _ = try await world.devices.reconcile()
      let records = try await world.kit.records()
      #expect(records.map(\.state) == [.active])
      #expect(try await world.devices.list().map(\.keyID) == records.compactMap { UserKey($0)?.keyID })
      place += 1
      if place > calls { break }
    }
    #expect(place > 5)
  }
}
