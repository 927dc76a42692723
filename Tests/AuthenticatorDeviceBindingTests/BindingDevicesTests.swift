import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorDeviceBinding
import AuthenticatorJourney
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// Device lists, unbinding and reconciliation against the embedded server, with messages lost on order.
@Suite struct BindingDevicesTests {
  private struct World {
    let kit: BindingKit
    let server: JourneyServer
    let wire: InProcessTransport
    let journey: Journey
    let devices: BindingDevices

    init() async throws {
      kit = try BindingKit()
      let environment = kit.device.environment.environment
      var settings = try JourneyServerConfiguration(
        environment: environment, applicationIDs: [kit.device.environment.appIdentifier])
      settings.passwordCost = ScryptParameters(logN: 4, r: 8, p: 1)
      settings.passwordBounds = ScryptBounds(minimumLogN: 4)
      server = try await JourneyServer(configuration: settings, registry: InMemoryRegistry())
      let alpha = try #require(Realm("/alpha"))
      for user in ["mira", "noor"] { try await server.addUser(named: user, password: "pw", in: alpha) }
      wire = InProcessTransport(server)
      journey = Journey(
        try JourneyConfiguration(server: BindingKit.instance, realm: "/alpha"), transport: wire,
        environment: environment,
        callbacks: .standard.registering(DeviceBindingCallback.self).registering(DeviceSigningVerifierCallback.self))
      devices = try BindingDevices(journey, context: kit.device.context)
    }

    /// Walks a journey; `atBinding` runs between the proof and its sending.
    @discardableResult
    func run(
      _ name: String, user: String = "mira", atBinding: () -> Void = {}
    ) async throws -> (node: JourneyNode, key: UserKey?) {
      var node = try await journey.start(name, options: JourneyOptions(forceAuth: true))
      var key: UserKey?
      while case .continue(let page) = node {
        page.callback(NameCallback.self)?.name = user
        page.callback(PasswordCallback.self)?.password = "pw"
        if let callback = page.callback(DeviceBindingCallback.self) {
          key = try await callback.bind(kit.configuration)
          atBinding()
        }
        if let callback = page.callback(DeviceSigningVerifierCallback.self) {
          key = try await callback.sign(kit.configuration)
        }
        node = try await page.next()
      }
      return (node, key)
    }

    @discardableResult
    func bind(user: String = "mira") async throws -> UserKey {
      let (node, key) = try await run("BindDeviceNone", user: user)
      guard case .success = node else { throw AuthenticatorError(.invalidRequest, reason: "\(node)") }
      return try #require(key)
    }

    /// Binds, and loses one message of the step that carries the proof.
    func bind(losing loss: InProcessTransport.Loss) async throws {
      let error = await thrown { try await run("BindDeviceNone") { wire.lose(loss) } }
      #expect(error?.code == .transportFailed)
    }

    func state(_ key: UserKey?) async throws -> KeyRecord.State? {
      guard let key else { return nil }
      return try await kit.store.record(key.tag)?.state
    }
  }

  @Test func listsTheUsersDevices() async throws {
    let world = try await World()
    let key = try await world.bind()
    try await world.bind(user: "noor")
    try await world.run("Login")
    let devices = try await world.devices.list()
    #expect(devices.map(\.keyID) == [key.keyID])
    #expect(devices.first?.deviceName == "Test device")
    #expect(devices.first?.deviceID == (try await DeviceIdentity(world.kit.device.context).identifier()))
    #expect(devices.first?.createdAt == world.kit.clock.now)
    #expect(try await world.devices.user().id == "mira")
    #expect(try await world.devices.user().universalID == key.userID)
  }

  @Test func needsASession() async throws {
    let world = try await World()
    #expect(await thrown { try await world.devices.list() }?.code == .invalidRequest)
    #expect(await thrown { try await world.devices.reconcile() }?.code == .invalidRequest)
    #expect(await thrown { try await world.devices.delete("x") }?.code == .invalidRequest)
    #expect(world.wire.requests.isEmpty)
  }

  @Test func refusesAnotherServersContext() async throws {
    let world = try await World()
    var context = world.kit.device.context
    context.instance = "https://other.example.com/am"
    #expect(throws: AuthenticatorError(.invalidRequest)) { try BindingDevices(world.journey, context: context) }
  }

  // MARK: Unbinding

  @Test func unbindsOnBothSides() async throws {
    let world = try await World()
    let key = try await world.bind()
    let removal = try await world.devices.delete(key.keyID)
    #expect(removal.isComplete)
    guard case .removed = removal.remote, case .removed = removal.local else {
      Issue.record("\(removal)")
      return
    }
    #expect(try await world.devices.list().isEmpty)
    #expect(try await world.state(key) == nil)
    let request = try #require(world.wire.requests.last { $0.method == "DELETE" })
    #expect(
      request.url.path
        == "/am/json/realms/root/realms/alpha/users/mira/devices/2fa/binding/\(key.keyID)")
    #expect(request.value("Accept-API-Version") == "resource=1.0, protocol=1.0")
    #expect(request.value("iPlanetDirectoryPro")?.isEmpty == false)
  }

  @Test func unbindsWhatTheServerHasLost() async throws {
    let world = try await World()
    let key = try await world.bind()
    #expect(try await world.devices.delete(key.keyID).isComplete)
    let second = try await world.bind()
    _ = try await world.devices.delete(second.keyID)
    let removal = try await world.devices.delete(second.keyID)
    guard case .absent = removal.remote, case .absent = removal.local else {
      Issue.record("\(removal)")
      return
    }
  }

  @Test func keepsTheKeyWhenTheServerRefuses() async throws {
    let kit = try BindingKit()
    let key = try await kit.bind("NONE")
    let devices = try BindingDevices(kit.journey, context: kit.device.context)
    for status in [401, 403, 500] {
      kit.transport.add(json: ["id": "mira", "dn": .string(BindingKit.mira)])
      kit.transport.add(status, json: ["code": .integer(Int64(status))])
      let removal = try await devices.delete(key.keyID)
      guard case .pending(let remote) = removal.remote, case .pending = removal.local else {
        Issue.record("\(removal)")
        continue
      }
      #expect(remote.code == .serverRefused)
      #expect(remote.reason == "the server answered \(status)")
      #expect(try await kit.store.record(key.tag)?.state == .active)
    }
    try await kit.sign()
  }

  @Test func forceTakesTheKeyOutOfUse() async throws {
    let kit = try BindingKit()
    let key = try await kit.bind("NONE")
    let devices = try BindingDevices(kit.journey, context: kit.device.context)
    kit.transport.add(json: ["id": "mira", "dn": .string(BindingKit.mira)])
    kit.transport.add(403, json: ["code": 403])
    let removal = try await devices.delete(key.keyID, force: true)
    #expect(!removal.isComplete)
    #expect(try await kit.store.record(key.tag)?.state == .revoking)
    #expect(try await UserKeys(context: kit.device.context, realm: "/alpha").active().isEmpty)
  }

  @Test func finishesAnUnbindingThatNobodyAnswered() async throws {
    for loss in [InProcessTransport.Loss.request, .answer] {
      let world = try await World()
      let key = try await world.bind()
      world.wire.lose(loss, at: 1)
      let removal = try await world.devices.delete(key.keyID)
      #expect(!removal.isComplete)
      #expect(try await world.state(key) == .revoking)
      let report = try await world.devices.reconcile()
      #expect(report.deleted == [key.tag])
      #expect(report.pending.isEmpty)
      #expect(try await world.state(key) == nil)
      #expect(try await world.devices.list().isEmpty)
    }
  }

  @Test func reportsALocalHalfThatFailed() async throws {
    let world = try await World()
    let key = try await world.bind()
    world.kit.store.fail(.delete)
    let removal = try await world.devices.delete(key.keyID)
    guard case .removed = removal.remote, case .pending(let local) = removal.local else {
      Issue.record("\(removal)")
      return
    }
    #expect(local.code == .storageFailed)
    world.kit.store.repair()
    world.kit.clock.advance(by: .seconds(120))
    #expect(try await world.devices.reconcile().deleted == [key.tag])
    #expect(try await world.state(key) == nil)
  }

  @Test func removesThePINWithItsLastKey() async throws {
    let world = try await World()
    world.kit.verifier.script([.pin("1234")])
    let (_, bound) = try await world.run("BindDevicePIN")
    let key = try #require(bound)
    let domain = ApplicationPINAuthenticator.domain(of: key.record.owner)
    #expect(try await world.kit.store.isSet(domain))
    #expect(try await world.devices.delete(key.keyID).isComplete)
    #expect(try await !world.kit.store.isSet(domain))
  }

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
  private func delete(_ keyID: String, in world: World) async throws -> Int {
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
