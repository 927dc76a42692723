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
  struct World {
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
}
