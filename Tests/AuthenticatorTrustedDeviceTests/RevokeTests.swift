import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

@Suite struct RevokeTests {
  private func enrolled(_ status: String = "active") async throws -> Bench {
    let bench = try Bench()
    try await bench.signIn(status: status)
    try await bench.enroll(hint: "mira@example.com")
    return bench
  }

  private func script(revoked id: String, _ bench: Bench) {
    bench.transport.add(json: Wire.envelope(Wire.device(id, status: "revoked", at: bench.now)))
  }

  @Test func removesTheKeyAfterTheServerAgreed() async throws {
    let bench = try await enrolled()
    script(revoked: "tdc_1", bench)
    #expect(try await bench.devices.revoke(id: "tdc_1").status == .revoked)
    #expect(try await bench.records().isEmpty)
    #expect(bench.events.all.last == .removed(id: "tdc_1", reason: .revoked))
  }

  @Test func leavesTheKeyWhenAnotherDeviceIsRevoked() async throws {
    let bench = try await enrolled()
    script(revoked: "tdc_9", bench)
    try await bench.devices.revoke(id: "tdc_9")
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  @Test func touchesNothingWhenTheServerRefuses() async throws {
    for (status, word) in [(403, "user_locked"), (401, "signed_out"), (500, "internal_error")] {
      let bench = try await enrolled()
      bench.script(status, word)
      #expect(await failure { try await bench.devices.revoke(id: "tdc_1") } != nil)
      #expect(try await bench.activeIDs() == ["tdc_1"])
    }
    let bench = try await enrolled()
    bench.transport.addFailure(mayHaveArrived: true)
    #expect(await failure { try await bench.devices.revoke(id: "tdc_1") }?.code == .transportFailed)
    #expect(try await bench.activeIDs() == ["tdc_1"])
    // A 404 that is not in the server's own form proves nothing.
    bench.transport.add(404, text: "<html>not found</html>")
    #expect(await failure { try await bench.devices.revoke(id: "tdc_1") }?.code == .resourceNotFound)
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  @Test func takesUnknownForRevoked() async throws {
    for (status, word, parameter) in [
      (404, "resource_not_found", nil), (422, "form_resource_not_found", "trusted_device_id"),
      (422, "trusted_device_not_registered", "trusted_device_id"),
    ] as [(Int, String, String?)] {
      let bench = try await enrolled()
      bench.script(status, word, parameter: parameter)
      bench.transport.add(
        json: Wire.envelope(Wire.client(sessions: [Wire.session("sess_A", user: "user_A")], last: "sess_A")))
      // A word for anything that is missing is not enough.
      bench.transport.add(json: Wire.envelope([]))
      let device = try await bench.devices.revoke(id: "tdc_1")
      #expect(device.id == "tdc_1")
      #expect(device.status == .revoked)
      #expect(device.name == "Test device")
      #expect(try await bench.records().isEmpty)
      // Of a device that is not this one, unknown is an error.
      bench.script(status, word, parameter: parameter)
      bench.transport.add(
        json: Wire.envelope(Wire.client(sessions: [Wire.session("sess_A", user: "user_A")], last: "sess_A")))
      #expect(await failure { try await bench.devices.revoke(id: "tdc_9") } != nil)
    }
  }

  @Test func returnsTheDeviceAlthoughTheKeyCannotBeDestroyed() async throws {
    let bench = try await enrolled()
    script(revoked: "tdc_1", bench)
    bench.device.store.fail(.delete)
    #expect(try await bench.devices.revoke(id: "tdc_1").status == .revoked)
    bench.device.store.repair()
    #expect(try await bench.records().count == 1)
    #expect(try await bench.devices.localAvailability() == .unavailable(.noLocalCredential))
    let later = bench.restarted()
    try await later.client.start()
    #expect(try await later.records().isEmpty)
  }

  @Test func refusesANameThatWouldBendTheAddress() async throws {
    let bench = try await enrolled()
    for id in ["", "..", ".", "a b", "a\n"] {
      #expect(await failure { try await bench.devices.revoke(id: id) }?.code == .invalidRequest)
    }
    script(revoked: "x/../../sessions", bench)
    try await bench.devices.revoke(id: "x/../../sessions")
    #expect(bench.requests.last?.line == "DELETE /v1/me/trusted_devices/x%2F..%2F..%2Fsessions")
  }

  // MARK: This installation's own

  @Test(arguments: ["active", "pending"]) func revokesThisInstallationsOwn(_ status: String) async throws {
    let bench = try await enrolled(status)
    script(revoked: "tdc_1", bench)
    #expect(try await bench.devices.revokeCurrentDeviceCredential()?.id == "tdc_1")
    #expect(bench.requests.last?.line == "DELETE /v1/me/trusted_devices/tdc_1")
    #expect(try await bench.records().isEmpty)
    let count = bench.requests.count
    #expect(try await bench.devices.revokeCurrentDeviceCredential() == nil)
    #expect(bench.requests.count == count)
  }

  @Test func goesByTheUserAndNotByTheHint() async throws {
    let bench = try await enrolled()
    try await bench.signIn("user_B", session: "sess_B")
    let count = bench.requests.count
    #expect(try await bench.devices.revokeCurrentDeviceCredential() == nil)
    #expect(bench.requests.count == count)
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  @Test func needsASessionToRevokeItsOwn() async throws {
    let bench = try await enrolled()
    try await bench.signOut()
    #expect(await failure { try await bench.devices.revokeCurrentDeviceCredential() }?.code == .signedOut)
  }

  @Test func revokesItsOwnAlthoughTheKeyIsVoid() async throws {
    let bench = try Bench()
    try await bench.signIn(status: "pending")
    try await bench.enroll(policy: .biometryCurrentSet)
    try bench.device.verifier.enroll("left-thumb")
    script(revoked: "tdc_1", bench)
    #expect(try await bench.devices.revokeCurrentDeviceCredential()?.status == .revoked)
    #expect(try await bench.records().isEmpty)
  }

  // MARK: Forgetting

  @Test func forgetsOneUserAndSaysThatTheServerWasNotTold() async throws {
    let bench = try await enrolled()
    try await bench.signIn("user_B", session: "sess_B")
    try await bench.enroll("tdc_2")
    try await bench.signOut()
    let count = bench.requests.count
    let forgotten = try await bench.devices.forgetLocalCredentials(userID: "user_A")
    #expect(forgotten.ids == ["tdc_1"])
    #expect(forgotten.count == 1)
    #expect(bench.requests.count == count)
    #expect(try await bench.activeIDs() == ["tdc_2"])
    #expect(try await bench.devices.forgetLocalCredentials(userID: "user_A").count == 0)
  }

  @Test func goesOnForgettingAfterAFailureAndFinishesInTheNextRun() async throws {
    let bench = try await enrolled()
    bench.device.store.fail(.delete)
    #expect(await failure { try await bench.devices.forgetLocalCredentials(userID: "user_A") }?.code == .storageFailed)
    bench.device.store.repair()
    #expect(try await bench.devices.localAvailability() == .unavailable(.noLocalCredential))
    let later = bench.restarted()
    try await later.client.start()
    #expect(try await later.records().isEmpty)
    // A credential of the same user that was enrolled since is not swept away with it.
    try await later.signIn()
    try await later.enroll("tdc_2")
    try await later.restarted().client.start()
    #expect(try await later.activeIDs() == ["tdc_2"])
  }
}
