import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// What is settled when, what counts as open, and what a server must say before a key goes.
@Suite struct SettlingFaultTests {
  /// An enrollment that the server accepted, and whose answer and list were lost.
  private func interrupted(_ world: World) async throws {
    let client = try await world.signedIn()
    world.network.order(.answerLost, at: 1)
    world.network.order(.requestLost, at: 2)
    world.device.verifier.script([.match()])
    #expect(await failure { try await client.trustedDevices.enroll() }?.code == .transportFailed)
    #expect(try await world.records([.staged]).count == 1)
  }

  // MARK: Sessions with tasks left

  @Test func settlesAnEnrollmentWhileTasksAreLeft() async throws {
    let world = try await World {
      $0.pendingTasks = ["setup-mfa"]
      $0.enrolledAgain = .refuse
    }
    try await interrupted(world)
    let again = try world.client()
    let report = try await again.trustedDevices.reconcile()
    #expect(report.enrolled.count == 1)
    #expect(report.pending == 0)
    #expect(try await again.auth.session?.status == .pending)
    #expect(try await world.records().map(\.state) == [.active])
  }

  /// What is left over is the very enrollment that is asked for again: a server that refuses to replace is no obstacle.
  @Test func enrollsAgainWhileTasksAreLeft() async throws {
    let world = try await World {
      $0.pendingTasks = ["setup-mfa"]
      $0.enrolledAgain = .refuse
    }
    try await interrupted(world)
    let again = try world.client()
    #expect(try await again.trustedDevices.list().count == 1)
    #expect(try await world.records().map(\.state) == [.active])
    #expect(try await again.trustedDevices.revokeCurrentDeviceCredential() != nil)
    #expect(try await world.records().isEmpty)
  }

  @Test(arguments: ["active", "pending", nil]) func countsWhatIsOpen(_ status: String?) async throws {
    let world = try await World { if status == "pending" { $0.pendingTasks = ["setup-mfa"] } }
    try await interrupted(world)
    let again = try world.client()
    if status == nil { try await again.auth.signOut() }
    world.network.setDown { true }
    if status == "active" {
      #expect(await failure { try await again.trustedDevices.reconcile() }?.code == .transportFailed)
    } else {
      let report = try await again.trustedDevices.reconcile()
      #expect(report.pending == 1)
      #expect(report.failures.count == (status == nil ? 0 : 1))
    }
    #expect(try await world.records([.staged]).count == 1)
  }

  // MARK: What went, and what did not

  @Test func saysWhatCouldNotBeRemoved() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll()
    bench.device.store.fail(.delete)
    bench.transport.add(json: Wire.envelope([]))
    let report = try await bench.devices.reconcile()
    #expect(report.failures.map(\.code) == [.storageFailed])
    #expect(report.pending == 1)
    #expect(report.removed.isEmpty)
    bench.device.store.repair()
    // What the local clean-up finishes later is told as well.
    bench.transport.add(json: Wire.envelope([]))
    let later = try await bench.restarted().devices.reconcile()
    #expect(later.removed == [.init(id: "tdc_1", reason: .postponed)])
    #expect(later.pending == 0)
    #expect(try await bench.records().isEmpty)
  }

  @Test func countsWhatTheLocalCleanUpRemoves() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll("tdc_1")
    bench.device.store.fail(.delete)
    bench.device.environment.clock.advance(by: .seconds(1))
    try await bench.enroll("tdc_2")
    bench.device.store.repair()
    try await bench.signOut()
    let report = try await bench.devices.reconcile()
    #expect(report.removed.map(\.id) == ["tdc_1"])
    #expect(!report.askedServer)
    #expect(try await bench.activeIDs() == ["tdc_2"])
    #expect(try await bench.records().count == 1)
  }

  @Test func countsForgottenKeysWithoutName() async throws {
    let world = try await World()
    try await interrupted(world)
    let user = try #require(try await world.client().auth.session?.user?.id)
    let forgotten = try await world.client().trustedDevices.forgetLocalCredentials(userID: user)
    #expect(forgotten.ids.isEmpty)
    #expect(forgotten.unnamed == 1)
    #expect(forgotten.count == 1)
    #expect(try await world.records().isEmpty)
  }

  // MARK: What the server must say

  private func enrolled() async throws -> Bench {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll()
    return bench
  }

  @Test(arguments: [("tdc_9", "revoked"), ("tdc_1", "active"), ("tdc_1", "later")])
  func believesNoOtherAnswerThanTheExactOne(_ id: String, _ status: String) async throws {
    let bench = try await enrolled()
    bench.transport.add(json: Wire.envelope(Wire.device(id, status: status, at: bench.now)))
    #expect(await failure { try await bench.devices.revoke(id: "tdc_1") }?.code == .invalidMessage)
    bench.transport.add(json: Wire.envelope(Wire.device(id, status: status, at: bench.now)))
    #expect(await failure { try await bench.devices.revokeCurrentDeviceCredential() }?.code == .invalidMessage)
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  @Test func keepsARevocationOpenAfterAnAnswerAboutAnother() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll(policy: .biometryCurrentSet)
    try bench.device.verifier.enroll("left-thumb")
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    bench.transport.add(json: Wire.envelope(Wire.device("tdc_9", status: "revoked", at: bench.now)))
    let report = try await bench.devices.reconcile()
    #expect(report.failures.map(\.code) == [.invalidMessage])
    #expect(report.revoked.isEmpty)
    #expect(report.pending == 1)
    #expect(report.removed == [.init(id: "tdc_1", reason: .keyInvalidated)])
    #expect(try await bench.records().isEmpty)
    try await bench.signOut()
    #expect(try await bench.devices.reconcile().pending == 1)
  }

  @Test func asksTheListWhatIsMissing() async throws {
    let client = Wire.envelope(Wire.client(sessions: [Wire.session("sess_A", user: "user_A")], last: "sess_A"))
    for (list, isKept) in [
      (Wire.envelope([Wire.device("tdc_1", at: UnixTime(milliseconds: 1))]), true), (nil, true),
      (Wire.envelope([]), false),
    ] as [(JSONValue?, Bool)] {
      let bench = try await enrolled()
      bench.script(404, "resource_not_found")
      bench.transport.add(json: client)
      if let list { bench.transport.add(json: list) } else { bench.transport.addFailure(mayHaveArrived: true) }
      if isKept {
        let error = await failure { try await bench.devices.revoke(id: "tdc_1") }
        #expect(error?.code == .resourceNotFound)
        #expect(error?.reason.contains("tdc_1") == true)
      } else {
        #expect(try await bench.devices.revoke(id: "tdc_1").revokedAt == nil)
      }
      #expect(try await bench.activeIDs() == (isKept ? ["tdc_1"] : []))
    }
  }

  @Test(arguments: [500, 503, 429, 408]) func believesNoServerThatFailed(_ status: Int) async throws {
    for word in ["trusted_device_not_registered", "form_resource_not_found"] {
      let bench = try await enrolled()
      bench.script(status, word, parameter: "trusted_device_id")
      #expect(await failure { try await bench.devices.revoke(id: "tdc_1") }?.code != .credentialGone)
      try await bench.signOut()
      bench.script(status, word, parameter: "trusted_device_id")
      #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code != .credentialGone)
      #expect(try await bench.activeIDs() == ["tdc_1"])
    }
  }

  // MARK: Others on the same installation

  @Test func revokesWhatItReplacesOfOthersInTheirNextSession() async throws {
    let bench = try Bench(configure: { $0.replaceScope = .installation })
    try await bench.signIn("user_A")
    try await bench.enroll("tdc_1")
    try await bench.signIn("user_B", session: "sess_B")
    try await bench.enroll("tdc_2")
    #expect(try await bench.activeIDs() == ["tdc_2"])
    #expect(!bench.requests.contains { $0.method == "DELETE" })
    // Nothing of it in the session of the one who replaced it.
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_2", at: bench.now)]))
    #expect(try await bench.devices.reconcile().revoked.isEmpty)
    try await bench.signOut()
    #expect(try await bench.devices.reconcile().pending == 1)
    try await bench.signIn(
      "user_A", settling: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now)))
    #expect(bench.requests.filter { $0.method == "DELETE" }.map(\.line) == ["DELETE /v1/me/trusted_devices/tdc_1"])
    bench.transport.add(json: Wire.envelope([]))
    #expect(try await bench.devices.reconcile().revoked.isEmpty)
  }

  @Test func leavesNoOrphanOfOthersOnTheEmbeddedServer() async throws {
    let world = try await World()
    let client = try world.client { $0.replaceScope = .installation }
    for (name, password) in [("mira", "correct horse"), ("kim", "battery staple"), ("mira", "correct horse")] {
      try await client.auth.signIn(identifier: name, password: password)
      let isFirst = try await world.localIDs.isEmpty
      if name == "kim" || isFirst {
        world.clock.advance(by: .seconds(1))
        try await world.enroll(client)
        try await client.auth.signOut()
      }
    }
    #expect(try await client.trustedDevices.list().isEmpty)
  }
}
