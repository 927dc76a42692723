import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// What becomes of interrupted enrollments.
extension ReconcileTests {
  /// An attempt whose answer was lost, and whose list could not be had either.
  private func interrupted(former: Bool = false) async throws -> Bench {
    let bench = try Bench()
    try await bench.signIn()
    if former { try await bench.enroll("tdc_0") }
    bench.script()
    bench.transport.addFailure(mayHaveArrived: true)
    bench.transport.addFailure(mayHaveArrived: true)
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.devices.enroll() }?.code == .transportFailed)
    #expect(try await bench.records([.staged]).count == 1)
    return bench
  }

  @Test func returnsTheCredentialThatTheListShows() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.script()
    bench.transport.addFailure(mayHaveArrived: true)
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    bench.device.verifier.perform(.match())
    #expect(try await bench.devices.enroll().id == "tdc_1")
    #expect(try await bench.activeIDs() == ["tdc_1"])
    #expect(bench.events.all.last == .enrolled(id: "tdc_1", isRecovered: true))
    #expect(bench.requests.filter { $0.line.hasSuffix("/attempt") }.count == 1)
  }

  @Test func finishesAnInterruptedEnrollmentAtTheNextStart() async throws {
    let bench = try await interrupted(former: true)
    let later = bench.restarted()
    // Signed in still: the first look at the list settles it.
    later.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    later.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    #expect(try await later.devices.list().map(\.id) == ["tdc_1"])
    #expect(try await later.activeIDs() == ["tdc_1"])
    #expect(later.events.all.contains(.enrolled(id: "tdc_1", isRecovered: true)))
    // The former key stays, not offered, until the first signature.
    #expect(try await later.records([.retired]).count == 1)
    try await later.restarted().client.start()
    #expect(try await later.records([.retired]).count == 1)
    try await later.signOut()
    later.script(create: "tdc_1")
    later.script(complete: "sess_B")
    later.device.verifier.perform(.match())
    try await later.client.auth.signInWithTrustedDevice()
    #expect(try await later.records().count == 1)
  }

  @Test func undoesAnInterruptedEnrollmentThatNeverArrived() async throws {
    let bench = try await interrupted(former: true)
    let later = bench.restarted()
    later.transport.add(json: Wire.envelope([Wire.device("tdc_0", at: bench.now)]))
    #expect(try await later.devices.reconcile().pending == 1)
    // Only once its challenge has ended is the proof certain not to arrive any more.
    bench.device.environment.clock.advance(by: .seconds(361))
    later.transport.add(json: Wire.envelope([Wire.device("tdc_0", at: bench.now.advanced(by: .seconds(-361)))]))
    let report = try await later.devices.reconcile()
    #expect(report.undone == 1)
    #expect(report.pending == 0)
    #expect(try await later.activeIDs() == ["tdc_0"])
    #expect(try await later.records().count == 1)
  }

  @Test func takesNobodyElsesCredentialForItsOwn() async throws {
    let bench = try await interrupted()
    func other(_ change: (inout TrustedDevice) -> Void) -> JSONValue {
      var device = TrustedDevice(
        id: "tdc_9", platform: .ios, appIdentifier: "com.example.app", name: "Test device", createdAt: bench.now,
        updatedAt: bench.now)
      change(&device)
      return .object(device.json)
    }
    let others = [
      other { $0.platform = .android },
      other { $0.appIdentifier = "com.example.b" },
      other { $0.status = .revoked }, other { $0.createdAt = bench.now.advanced(by: .seconds(-7200)) },
      other { $0.createdAt = bench.now.advanced(by: .seconds(7200)) },
    ]
    let later = bench.restarted()
    for device in others {
      later.transport.add(json: Wire.envelope([device]))
      let report = try await later.devices.reconcile()
      #expect(report.pending == 1)
      #expect(report.enrolled.isEmpty)
    }
    // Two that fit cannot be told apart: neither is touched, and the key goes with its challenge.
    let two = Wire.envelope([Wire.device("tdc_8", at: bench.now), Wire.device("tdc_9", at: bench.now)])
    bench.device.environment.clock.advance(by: .seconds(361))
    later.transport.add(json: two)
    let report = try await later.devices.reconcile()
    #expect(report.undone == 1)
    #expect(report.enrolled.isEmpty)
    #expect(try await later.records().isEmpty)
    #expect(!later.requests.contains { $0.method == "DELETE" })
  }

  @Test func tellsSeveralApartByName() async throws {
    let bench = try await interrupted()
    bench.transport.add(
      json: Wire.envelope([
        Wire.device("tdc_8", name: "Another device", at: bench.now), Wire.device("tdc_9", at: bench.now),
      ]))
    #expect(try await bench.devices.reconcile().enrolled == ["tdc_9"])
  }

  @Test func bearsANameThatTheServerWroteInItsOwnWay() async throws {
    let bench = try await interrupted()
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_9", name: "TEST DEVICE", at: bench.now)]))
    #expect(try await bench.devices.reconcile().enrolled == ["tdc_9"])
  }

  @Test func offersTheFormerKeyAgainAfterAWrongRecovery() async throws {
    let bench = try await interrupted(former: true)
    bench.transport.add(
      json: Wire.envelope([Wire.device("tdc_9", at: bench.now), Wire.device("tdc_0", at: bench.now)]))
    #expect(try await bench.devices.reconcile().enrolled == ["tdc_9"])
    try await bench.signOut()
    bench.script(create: "tdc_9")
    bench.script(400, "trusted_device_signature_verification_failed")
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .signatureRefused)
    #expect(try await bench.activeIDs() == ["tdc_0"])
    #expect(try await bench.records().count == 1)
  }

  @Test func dropsACredentialThatWasRecoveredWrongly() async throws {
    let bench = try await interrupted()
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_9", at: bench.now)]))
    #expect(try await bench.devices.reconcile().enrolled == ["tdc_9"])
    try await bench.signOut()
    bench.script(create: "tdc_9")
    bench.script(400, "trusted_device_signature_verification_failed")
    bench.device.verifier.perform(.match())
    let error = await failure { try await bench.client.auth.signInWithTrustedDevice() }
    #expect(error?.code == .signatureRefused)
    #expect(error?.trustedDevice?.removedLocalState == true)
    #expect(try await bench.records().isEmpty)
    #expect(bench.events.all.last == .removed(id: "tdc_9", reason: .unproven))
  }

  @Test func keepsARecoveredCredentialOnceItHasSigned() async throws {
    let bench = try await interrupted()
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    #expect(try await bench.devices.reconcile().enrolled == ["tdc_1"])
    #expect(try LocalCredential(try await bench.records()[0]).details.isUnproven)
    try await bench.signOut()
    bench.script(create: "tdc_1")
    bench.script(complete: "sess_B")
    bench.device.verifier.perform(.match())
    try await bench.client.auth.signInWithTrustedDevice()
    #expect(try !LocalCredential(try await bench.records()[0]).details.isUnproven)
    try await bench.signOut()
    bench.script(create: "tdc_1")
    bench.script(400, "trusted_device_signature_verification_failed")
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .signatureRefused)
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  /// A key that was made and whose proof was never sent: no server knows it.
  @Test func givesUpAKeyWhoseProofWasNeverSent() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.script()
    bench.device.store.fail(.discard)
    bench.device.store.fail(.delete)
    bench.device.verifier.perform(.cancel)
    #expect(await failure { try await bench.devices.enroll() }?.code == .userCanceled)
    bench.device.store.repair()
    #expect(try await bench.records([.staged]).count == 1)
    // Listed for removal, it goes at once; without the list, when its time is over.
    try await bench.restarted().client.start()
    #expect(try await bench.records().isEmpty)
  }

  @Test func leavesAnEnrollmentOfAnotherProcessAlone() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.script()
    bench.device.verifier.perform(.noAnswer)
    let task = Task { try await bench.devices.enroll() }
    await bench.device.environment.clock.waitForSleepers()
    // Another process starts while the prompt is shown.
    let other = bench.restarted()
    try await other.client.start()
    _ = try await other.client.trustedDevices.localAvailability()
    #expect(try await other.records([.staged]).count == 1)
    task.cancel()
    #expect(await failure { try await task.value }?.code == .appCanceled)
    #expect(try await other.records().isEmpty)
  }
}
