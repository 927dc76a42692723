import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// Bringing both sides together, after whatever happened to either.
@Suite struct ReconcileTests {
  func enrolled(policy: TrustedDevicePolicy? = nil) async throws -> Bench {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll(policy: policy)
    return bench
  }

  @Test func removesWhatTheServerDoesNotAcceptAnyMore() async throws {
    for (list, reason) in [
      ([], TrustedDeviceEvent.RemovalReason.missingOnServer),
      ([Wire.device("tdc_1", status: "revoked", at: UnixTime(milliseconds: 1))], .revokedOnServer),
      ([Wire.device("tdc_1", status: "later", at: UnixTime(milliseconds: 1))], .revokedOnServer),
    ] as [([JSONValue], TrustedDeviceEvent.RemovalReason)] {
      let bench = try await enrolled()
      bench.transport.add(json: Wire.envelope(.array(list)))
      let report = try await bench.devices.reconcile()
      #expect(report.askedServer)
      #expect(report.removed == [.init(id: "tdc_1", reason: reason)])
      #expect(report.pending == 0)
      #expect(try await bench.records().isEmpty)
    }
  }

  @Test func keepsWhatIsActiveAndWhatIsNotThisUsers() async throws {
    let bench = try await enrolled()
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    #expect(try await bench.devices.reconcile().removed.isEmpty)
    try await bench.signIn("user_B", session: "sess_B")
    bench.transport.add(json: Wire.envelope([]))
    #expect(try await bench.devices.reconcile().removed.isEmpty)
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  @Test func concludesNothingWithoutAList() async throws {
    let bench = try await enrolled()
    bench.transport.addFailure(mayHaveArrived: true)
    #expect(await failure { try await bench.devices.reconcile() }?.code == .transportFailed)
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_9", at: bench.now), ["id": "x"]]))
    #expect(await failure { try await bench.devices.reconcile() }?.code == .invalidMessage)
    bench.script(404, "resource_not_found")
    bench.transport.add(
      json: Wire.envelope(Wire.client(sessions: [Wire.session("sess_A", user: "user_A")], last: "sess_A")))
    #expect(await failure { try await bench.devices.reconcile() }?.code == .resourceNotFound)
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  @Test func asksNobodyWithoutAnActiveSession() async throws {
    let bench = try await enrolled()
    try await bench.signOut()
    let count = bench.requests.count
    #expect(try await !bench.devices.reconcile().askedServer)
    try await bench.signIn(status: "pending")
    #expect(try await !bench.devices.reconcile().askedServer)
    // The password alone.
    #expect(bench.requests.count == count + 1)
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  @Test func revokesTheCredentialOfAVoidKey() async throws {
    let bench = try await enrolled(policy: .biometryCurrentSet)
    try bench.device.verifier.enroll("left-thumb")
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    bench.transport.add(json: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now)))
    let report = try await bench.devices.reconcile()
    #expect(report.revoked == ["tdc_1"])
    #expect(report.removed == [.init(id: "tdc_1", reason: .keyInvalidated)])
    #expect(try await bench.records().isEmpty)
  }

  @Test func leavesTheCredentialOfAVoidKeyWhenToldTo() async throws {
    let bench = try Bench(configure: { $0.revokesOrphans = false })
    try await bench.signIn()
    try await bench.enroll(policy: .biometryCurrentSet)
    try bench.device.verifier.enroll("left-thumb")
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    #expect(try await bench.devices.reconcile().revoked.isEmpty)
    #expect(bench.requests.last?.line == "GET /v1/me/trusted_devices")
    try await bench.signOut()
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .keyInvalidated)
    #expect(try await bench.records().isEmpty)
  }

  @Test func keepsARevocationOpenUntilTheServerAgrees() async throws {
    let bench = try await enrolled(policy: .biometryCurrentSet)
    try bench.device.verifier.enroll("left-thumb")
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    bench.transport.addFailure(mayHaveArrived: true)
    let report = try await bench.devices.reconcile()
    #expect(report.pending == 1)
    #expect(report.failures.map(\.code) == [.transportFailed])
    #expect(try await bench.records().isEmpty)
    let later = bench.restarted()
    later.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    later.transport.add(json: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now)))
    #expect(try await later.devices.reconcile().revoked == ["tdc_1"])
    #expect(try await later.records().isEmpty)
  }

  @Test func throwsAndDeletesNothingWhenTheStoreCannotBeRead() async throws {
    let bench = try await enrolled()
    bench.transport.add(json: Wire.envelope([]))
    bench.device.store.fail(.records)
    #expect(await failure { try await bench.devices.reconcile() }?.code == .storageFailed)
    bench.device.store.repair()
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }
}
