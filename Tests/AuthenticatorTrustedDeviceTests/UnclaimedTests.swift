import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// A credential that may be another installation's is never revoked: only what is certainly this one's.
@Suite struct UnclaimedTests {
  /// An attempt whose answer was lost, and whose list could not be had either.
  private func interrupted(policy: TrustedDevicePolicy? = nil) async throws -> Bench {
    let bench = try Bench()
    try await bench.signIn()
    bench.script()
    bench.transport.addFailure(mayHaveArrived: true)
    bench.transport.addFailure(mayHaveArrived: true)
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.devices.enroll(policy: policy) }?.code == .transportFailed)
    return bench
  }

  /// What the server lists; with `key`, it shows whose key a credential is of.
  private func listed(_ id: String, at time: UnixTime, key: KeyRecord? = nil) throws -> JSONValue {
    var device = TrustedDevice(
      id: id, platform: .ios, appIdentifier: "com.example.app", name: "Test device", createdAt: time, updatedAt: time)
    device.publicKeyThumbprint = try key.map { try ProofText.thumbprint($0.publicKey) }
    return .object(device.json)
  }

  /// A new enrollment after an interrupted one, with what the list shows of both afterwards.
  private func overtaken(showsKeys: Bool) async throws -> (Bench, TrustedDeviceReconciliation) {
    let bench = try await interrupted()
    let old = try #require(try await bench.records([.staged]).first)
    bench.device.environment.clock.advance(by: .seconds(1))
    bench.transport.add(json: Wire.envelope([]))
    try await bench.enroll("tdc_2")
    bench.transport.add(
      json: Wire.envelope([
        try listed("tdc_1", at: bench.now.advanced(by: .seconds(-1)), key: showsKeys ? old : nil),
        try listed("tdc_2", at: bench.now),
      ]))
    if showsKeys { bench.transport.add(json: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now))) }
    return (bench, try await bench.devices.reconcile())
  }

  @Test func leavesAndReportsWhatAnOvertakenEnrollmentMayHaveMade() async throws {
    let (bench, report) = try await overtaken(showsKeys: false)
    #expect(report.revoked.isEmpty)
    #expect(report.unclaimed == ["tdc_1"])
    #expect(report.undone == 1)
    #expect(report.pending == 0)
    #expect(!bench.requests.contains { $0.method == "DELETE" })
    #expect(bench.events.all.contains(.unclaimed(id: "tdc_1")))
    #expect(try await bench.activeIDs() == ["tdc_2"])
    #expect(try await bench.records().count == 1)
  }

  @Test func revokesWhatAnOvertakenEnrollmentHasCertainlyMade() async throws {
    let (bench, report) = try await overtaken(showsKeys: true)
    #expect(report.revoked == ["tdc_1"])
    #expect(report.unclaimed.isEmpty)
    #expect(report.undone == 1)
    #expect(try await bench.activeIDs() == ["tdc_2"])
    #expect(try await bench.records().count == 1)
  }

  /// The server took the older key last, and has given up the newer, whose process ended first.
  @Test func takesWhatTheServerTookLastThoughItsKeyIsOlder() async throws {
    let bench = try await interrupted()
    let old = try #require(try await bench.records([.staged]).first)
    bench.device.environment.clock.advance(by: .seconds(1))
    bench.transport.add(json: Wire.envelope([]))
    try await bench.enroll("tdc_2")
    bench.transport.add(json: Wire.envelope([try listed("tdc_1", at: bench.now, key: old)]))
    let report = try await bench.devices.reconcile()
    #expect(report.enrolled == ["tdc_1"])
    #expect(report.revoked.isEmpty)
    #expect(try await bench.records().map(\.tag) == [old.tag])
    #expect(try await bench.activeIDs() == ["tdc_1"])
    #expect(!bench.requests.contains { $0.method == "DELETE" })
  }

  @Test func knowsItsOwnKeyAmongSeveralOfOneName() async throws {
    let bench = try await interrupted()
    let record = try await bench.records([.staged])[0]
    bench.transport.add(
      json: Wire.envelope([
        try listed("tdc_8", at: bench.now), try listed("tdc_9", at: bench.now, key: record),
      ]))
    #expect(try await bench.devices.reconcile().enrolled == ["tdc_9"])
    #expect(try !LocalCredential(try await bench.records()[0]).details.isUnproven)
  }

  /// A server that shows keys and shows another's has answered: ours is not there.
  @Test func takesNoCredentialOfAnotherKey() async throws {
    let bench = try await interrupted()
    let other = try await Bench().stagedKey()
    for _ in 0..<2 {
      bench.transport.add(json: Wire.envelope([try listed("tdc_9", at: bench.now, key: other)]))
      let report = try await bench.devices.reconcile()
      #expect(report.enrolled.isEmpty)
      #expect(report.unclaimed.isEmpty)
      bench.device.environment.clock.advance(by: .seconds(361))
    }
    #expect(try await bench.records().isEmpty)
    #expect(!bench.requests.contains { $0.method == "DELETE" })
  }

  /// Recovered from the list alone, and then its fingers changed: the server's credential may be another device's.
  @Test func leavesTheServersCredentialOfAVoidKeyThatNeverSigned() async throws {
    let bench = try await interrupted(policy: .biometryCurrentSet)
    bench.transport.add(json: Wire.envelope([try listed("tdc_9", at: bench.now)]))
    #expect(try await bench.devices.reconcile().enrolled == ["tdc_9"])
    try bench.device.verifier.enroll("left-thumb")
    bench.transport.add(json: Wire.envelope([try listed("tdc_9", at: bench.now)]))
    let report = try await bench.devices.reconcile()
    #expect(report.revoked.isEmpty)
    #expect(report.unclaimed == ["tdc_9"])
    #expect(report.removed == [.init(id: "tdc_9", reason: .keyInvalidated)])
    #expect(!bench.requests.contains { $0.method == "DELETE" })
    #expect(try await bench.records().isEmpty)
  }

  /// Another device's credential was taken for ours and is gone from the list: our former one stands there still.
  @Test func offersTheFormerKeyAgainOnceTheServerLacksWhatWasRecovered() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll("tdc_0")
    bench.script()
    bench.transport.addFailure(mayHaveArrived: true)
    bench.transport.add(
      json: Wire.envelope([try listed("tdc_9", at: bench.now), try listed("tdc_0", at: bench.now)]))
    bench.device.verifier.perform(.match())
    #expect(try await bench.devices.enroll().id == "tdc_9")
    bench.transport.add(json: Wire.envelope([try listed("tdc_0", at: bench.now)]))
    let report = try await bench.devices.reconcile()
    #expect(report.removed == [.init(id: "tdc_9", reason: .missingOnServer)])
    #expect(try await bench.activeIDs() == ["tdc_0"])
    #expect(try await bench.records().count == 1)
    #expect(!bench.requests.contains { $0.method == "DELETE" })
  }

  @Test func leavesItAfterASignInThatFoundItsKeyVoid() async throws {
    let bench = try await interrupted(policy: .biometryCurrentSet)
    bench.transport.add(json: Wire.envelope([try listed("tdc_9", at: bench.now)]))
    #expect(try await bench.devices.reconcile().enrolled == ["tdc_9"])
    try await bench.signOut()
    try bench.device.verifier.enroll("left-thumb")
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .keyInvalidated)
    #expect(try await bench.records().isEmpty)
    #expect(bench.events.all.contains(.unclaimed(id: "tdc_9")))
  }

  @Test func revokesThisInstallationsOwnOnlyWhenItIsCertain() async throws {
    let bench = try await interrupted()
    bench.transport.add(json: Wire.envelope([try listed("tdc_9", at: bench.now)]))
    #expect(try await bench.devices.reconcile().enrolled == ["tdc_9"])
    let count = bench.requests.count
    #expect(await failure { try await bench.devices.revokeCurrentDeviceCredential() }?.code == .unclaimed)
    #expect(bench.requests.count == count)
    #expect(try await bench.activeIDs() == ["tdc_9"])
    // Whoever names it has chosen it.
    bench.transport.add(json: Wire.envelope(Wire.device("tdc_9", status: "revoked", at: bench.now)))
    try await bench.devices.revoke(id: "tdc_9")
    #expect(try await bench.records().isEmpty)
  }

  /// RFC 7638 over the members of the reference vector, computed elsewhere.
  @Test func writesTheThumbprintOfAKnownKey() throws {
    let x = try Base64URL.decode("fPJ7GI0DT36KUjgDBLUaw8CJaeJ38hs1pgtI_EdmmXg")
    let y = try Base64URL.decode("B3dVENuO0EApPZrGn3Qw27p9reY86YIpngS3nSJ4c9E")
    #expect(ProofText.thumbprint(x963: [4] + x + y) == "AhqHzaYXA5MzmDCrsseUsVBGKyfhDhvekx0THjH_xIE")
  }

  /// The embedded server shows it, so that nothing has to be guessed.
  @Test func learnsItsOwnFromTheEmbeddedServer() async throws {
    let world = try await World()
    let client = try await world.signedIn()
    world.network.order(.answerLost, at: 1)
    world.device.verifier.script([.match()])
    let device = try await client.trustedDevices.enroll()
    let record = try await world.records()[0]
    #expect(device.publicKeyThumbprint == (try ProofText.thumbprint(record.publicKey)))
    #expect(try !LocalCredential(record).details.isUnproven)
    #expect(try await client.trustedDevices.list().map(\.publicKeyThumbprint) == [device.publicKeyThumbprint])
  }
}

extension Bench {
  /// A key that another installation has made.
  fileprivate func stagedKey() async throws -> KeyRecord {
    try await device.store.stage(
      KeyRequest(
        owner: KeyOwner(
          instance: Bench.server, family: .trustedDevice, party: "com.example.app", account: Array("user_A".utf8)),
        algorithms: [.es256]),
      as: .biometricOnly, access: KeyAccess(gate: .verified([.fingerprint])), enrollmentState: nil, ticket: nil)
  }
}
