import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// Against the embedded server: whatever message is lost or doubled, and wherever the app is killed, both sides agree
/// in the end, no key is left over, and the person can go on.
@Suite struct ConvergenceTests {
  /// What the person is about when it happens.
  enum Scenario: String, CaseIterable, Sendable {
    case signInWithPassword, signUp, signOut, enroll, enrollAgain, signIn, list, revoke, revokeCurrent, reconcile

    func prepare(_ world: World) async throws -> TrustedDeviceClient {
      switch self {
      case .signInWithPassword, .signUp:
        let client = try world.client()
        try await client.refresh()
        return client
      case .signOut, .enroll: return try await world.signedIn()
      case .enrollAgain, .list, .revoke, .revokeCurrent, .reconcile:
        let client = try await world.signedIn()
        try await world.enroll(client)
        return client
      case .signIn:
        let client = try await world.signedIn()
        try await world.enroll(client)
        try await client.auth.signOut()
        return client
      }
    }

    func run(_ client: TrustedDeviceClient, _ world: World) async throws {
      world.device.verifier.script([.match()])
      switch self {
      case .signInWithPassword: try await client.auth.signIn(identifier: "mira", password: "correct horse")
      case .signUp: try await client.auth.signUp(username: "noor", password: "a long password")
      case .signOut: try await client.auth.signOut()
      case .enroll, .enrollAgain: try await client.trustedDevices.enroll(identifierHint: "mira@example.com")
      case .signIn: try await client.auth.signInWithTrustedDevice()
      case .list: _ = try await client.trustedDevices.list()
      case .revoke:
        let id = try await world.localIDs.first ?? "-"
        try await client.trustedDevices.revoke(id: id)
      case .revokeCurrent: try await client.trustedDevices.revokeCurrentDeviceCredential()
      case .reconcile: try await client.trustedDevices.reconcile()
      }
    }
  }

  /// The app is started again, the person signs in if need be, and both sides are compared. Then everything must work.
  private func expectConvergence(_ world: World, _ comment: Comment) async throws {
    let client = try world.client()
    try await client.start()
    try await client.refresh()
    if try await client.auth.session?.isSignedIn != true {
      try await client.auth.signIn(identifier: "mira", password: "correct horse")
    }
    try await client.trustedDevices.reconcile()
    world.clock.advance(by: .seconds(600))
    let report = try await client.trustedDevices.reconcile()
    #expect(report.failures.isEmpty, comment)
    #expect(report.pending == 0, comment)
    let listed = try await client.trustedDevices.list()
    let local = try await world.localIDs
    #expect(Set(listed.map(\.id)) == local, comment)
    #expect(local.count <= 1, comment)
    #expect(try await world.records([.staged, .revoking]).isEmpty, comment)

    if local.isEmpty { try await world.enroll(client) }
    try await client.auth.signOut()
    #expect(try await client.trustedDevices.availability() == .available, comment)
    world.device.verifier.script([.match()])
    #expect(try await client.auth.signInWithTrustedDevice().status == .complete, comment)
    #expect(try await world.records().count == 1, comment)
    try await client.trustedDevices.revokeCurrentDeviceCredential()
    #expect(try await client.trustedDevices.list().isEmpty, comment)
    #expect(try await world.records().isEmpty, comment)
  }

  @Test(arguments: Scenario.allCases, Network.Fault.allCases)
  func bearsEveryMessageLostOrDoubled(_ scenario: Scenario, _ fault: Network.Fault) async throws {
    let dry = try await World()
    let before = try await scenario.prepare(dry)
    let start = dry.network.count
    try await scenario.run(before, dry)
    let exchanges = dry.network.count - start
    #expect(exchanges > 0)
    for place in 0..<exchanges {
      let world = try await World()
      let client = try await scenario.prepare(world)
      world.network.order(fault, at: place)
      do { try await scenario.run(client, world) } catch {}
      // At most one proof for each challenge, whatever is lost.
      #expect(world.network.proofs.allSatisfy { $0.value == 1 }, "\(scenario.rawValue), \(fault), exchange \(place)")
      try await expectConvergence(world, "\(scenario.rawValue), \(fault), exchange \(place)")
    }
  }

  @Test(
    arguments: Scenario.allCases,
    FaultInjectingKeyStore.Moment.allCases)
  func bearsTheAppKilledAfterEveryStep(
    _ scenario: Scenario, _ moment: FaultInjectingKeyStore.Moment
  ) async throws {
    let dry = try await World()
    let before = try await scenario.prepare(dry)
    dry.device.store.repair()
    try await scenario.run(before, dry)
    let steps = dry.device.store.calls.count
    #expect(steps > 0)
    for step in 0..<steps {
      let world = try await World()
      let client = try await scenario.prepare(world)
      let store = world.device.store
      store.repair()
      store.failCall(at: step, moment)
      for later in step + 1..<step + 60 { store.failCall(at: later) }
      world.network.setDown { store.calls.count > step }
      do { try await scenario.run(client, world) } catch {}
      store.repair()
      world.network.setDown { false }
      try await expectConvergence(world, "\(scenario.rawValue), killed \(moment) store call \(step)")
    }
  }

  /// The app is killed between the server's success and its own record, and only starts again: one consistent state.
  @Test func showsOneStateAfterAKillBetweenSuccessAndRecord() async throws {
    let world = try await World()
    let client = try await world.signedIn()
    let store = world.device.store
    store.repair()
    store.fail(.commit)
    world.network.order(.answerLost, at: 1)
    world.network.setDown { world.network.lines.last?.hasSuffix("/trusted_devices") == true }
    world.device.verifier.script([.match()])
    #expect(await failure { try await client.trustedDevices.enroll() }?.code == .transportFailed)
    store.repair()
    world.network.setDown { false }
    #expect(try await world.records([.staged]).count == 1)
    let again = try world.client()
    let listed = try await again.trustedDevices.list()
    #expect(listed.count == 1)
    #expect(Set(listed.map(\.id)) == (try await world.localIDs))
    #expect(try await world.records().count == 1)
  }

  @Test func refusesASecondEnrollmentWithoutHarm() async throws {
    let world = try await World { $0.enrolledAgain = .refuse }
    let client = try await world.signedIn()
    try await world.enroll(client)
    let before = try await world.records()
    world.device.verifier.script([.match()])
    #expect(await failure { try await client.trustedDevices.enroll() }?.code == .alreadyEnrolled)
    #expect(try await world.records() == before)
    try await expectConvergence(world, "refused")
  }

  @Test(arguments: Network.Fault.allCases) func convergesWhenTheServerRefusesToReplace(_ fault: Network.Fault)
    async throws
  {
    for place in 0..<2 {
      let world = try await World { $0.enrolledAgain = .refuse }
      let client = try await world.signedIn()
      world.network.order(fault, at: place)
      do { try await Scenario.enroll.run(client, world) } catch {}
      try await expectConvergence(world, "refusing server, \(fault), exchange \(place)")
    }
  }

  @Test func keepsSeveralUsersApart() async throws {
    let world = try await World()
    let client = try await world.signedIn()
    try await world.enroll(client)
    try await client.auth.signOut()
    try await client.auth.signIn(identifier: "kim", password: "battery staple")
    #expect(try await client.trustedDevices.availability() == .unavailable(.noLocalCredential))
    world.clock.advance(by: .seconds(1))
    world.device.verifier.script([.match()])
    try await client.trustedDevices.enroll(identifierHint: "kim@example.com")
    #expect(try await world.localIDs.count == 2)
    #expect(try await client.trustedDevices.list().count == 1)
    #expect(try await client.trustedDevices.reconcile().removed.isEmpty)
    try await client.auth.signOut()
    for (hint, user) in [("mira@example.com", "mira"), ("kim@example.com", "kim")] {
      world.device.verifier.script([.match()])
      try await client.auth.signInWithTrustedDevice(identifierHint: hint)
      #expect(try await client.auth.session?.user?.username == user)
      try await client.auth.signOut()
    }
  }

  @Test func goesThroughTheWholeStory() async throws {
    let world = try await World { $0.sessionLifetime = .seconds(3600) }
    let client = try world.client()
    try await client.refresh()
    try await client.auth.signUp(username: "noor", password: "a long password")
    #expect(await client.trustedDevices.shouldOfferEnrollment(after: .signUp))
    try await world.enroll(client)
    #expect(await !client.trustedDevices.shouldOfferEnrollment(after: .signUp))
    #expect(try await client.trustedDevices.availability() == .available)
    world.clock.advance(by: .seconds(3601))
    // The session has run out; the client learns it by asking.
    #expect(try await client.trustedDevices.availability() == .available)
    #expect(try await client.auth.session?.isSignedIn != true)
    world.device.verifier.script([.match()])
    #expect(try await client.auth.signInWithTrustedDevice().status == .complete)
    #expect(try await client.auth.lastStrategy == .trustedDevice)
    let device = try #require(try await client.trustedDevices.list().first)
    #expect(device.name == "Test device")
    #expect(device.lastUsedAt != nil)
    #expect(try await client.trustedDevices.revoke(id: device.id).status == .revoked)
    #expect(try await client.trustedDevices.list().isEmpty)
    #expect(try await client.trustedDevices.availability() == .unavailable(.noLocalCredential))
  }

  @Test func learnsOfARevocationElsewhere() async throws {
    let world = try await World()
    let client = try await world.signedIn()
    try await world.enroll(client)
    let id = try #require(try await world.localIDs.first)
    // Another device of the same user revokes it.
    let other = try TestDevice(instance: InProcessServer.address, environment: TestEnvironment(seed: 2))
    let elsewhere = TrustedDeviceClient(
      try TrustedDeviceConfiguration(server: InProcessServer.address), transport: world.network,
      keyStore: other.store, verifier: other.verifier, environment: other.context.environment)
    try await elsewhere.auth.signIn(identifier: "mira", password: "correct horse")
    try await elsewhere.trustedDevices.revoke(id: id)
    try await client.auth.signOut()
    #expect(try await client.trustedDevices.availability() == .available)
    let error = await failure { try await client.auth.signInWithTrustedDevice() }
    #expect(error?.code == .credentialGone)
    #expect(error?.trustedDevice?.removedLocalState == true)
    #expect(try await world.records().isEmpty)
  }

  @Test func bearsASwitchThatIsTurnedOff() async throws {
    let world = try await World { $0.trustedDevices = false }
    let client = try await world.signedIn()
    #expect(await failure { try await client.trustedDevices.enroll() }?.code == .featureDisabled)
    #expect(try await client.trustedDevices.availability() == .unavailable(.featureDisabled))
    #expect(try await client.trustedDevices.list().isEmpty)
  }

  @Test func enrollsWithTasksLeft() async throws {
    let world = try await World { $0.pendingTasks = ["setup-mfa"] }
    let client = try await world.signedIn()
    #expect(try await client.auth.session?.tasks == ["setup-mfa"])
    try await world.enroll(client)
    #expect(try await world.localIDs.count == 1)
    #expect(try await client.trustedDevices.availability() == .available)
  }
}
