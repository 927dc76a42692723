import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// The order in which credentials are looked at, and that looking deletes nothing.
@Suite struct AvailabilityTests {
  typealias Reason = TrustedDeviceAvailability.UnavailableReason

  /// Enrolled for a user and signed out again.
  private func signedOut(policy: TrustedDevicePolicy? = nil, hint: String? = nil) async throws -> Bench {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll(hint: hint, policy: policy)
    try await bench.signOut()
    return bench
  }

  /// The answer, with proof that nothing was deleted and, unless allowed, nothing asked.
  private func look(
    _ bench: Bench, id: String? = nil, hint: String? = nil, requests: Int = 0
  ) async throws -> TrustedDeviceAvailability {
    let (records, count) = (try await bench.records(), bench.requests.count)
    bench.device.store.repair()
    let availability = try await bench.devices.availability(id: id, identifierHint: hint)
    let writes: Set<FaultInjectingKeyStore.Call> = [
      .delete, .discard, .beginRevoking, .commit, .stage, .setItem, .exchangeItem, .update,
    ]
    #expect(writes.isDisjoint(with: bench.device.store.calls))
    #expect(try await bench.records() == records)
    #expect(bench.requests.count == count + requests)
    return availability
  }

  // MARK: The gate

  @Test func looksAtNothingBehindAClosedGate() async throws {
    for (settings, reason) in [
      (nil, Reason.environmentUnavailable), (Wire.environment(api: false, feature: false), .nativeAPIDisabled),
      (Wire.environment(feature: false), .featureDisabled),
    ] as [(JSONValue?, Reason)] {
      let bench = try Bench()
      if let settings { try await bench.load(settings) }
      bench.device.store.repair()
      #expect(try await bench.devices.availability() == .unavailable(reason))
      #expect(!bench.device.store.calls.contains(.records))
    }
  }

  @Test func findsNothingWithoutAnAppIdentifier() async throws {
    let device = try TestDevice(instance: Bench.server)
    var environment = device.context.environment
    environment.appIdentifier = nil
    let transport = ScriptedTransport()
    let client = TrustedDeviceClient(
      try TrustedDeviceConfiguration(server: Bench.server), transport: transport, keyStore: device.store,
      verifier: device.verifier, environment: environment)
    transport.add(json: Wire.environment())
    try await client.refresh()
    #expect(try await client.trustedDevices.availability() == .unavailable(.noLocalCredential))
  }

  // MARK: Signed out

  @Test func answersFromLocalStateWhileNobodyIsSignedIn() async throws {
    let bench = try await signedOut()
    #expect(try await look(bench) == .available)
    #expect(try await look(bench, id: "tdc_1") == .available)
    #expect(try await look(bench, id: "tdc_2") == .unavailable(.noLocalCredential))
    #expect(try await look(bench.restarted()) == .available)
  }

  @Test(arguments: ["pending", "expired", "abandoned", "removed", "later"])
  func asksNoServerInASessionThatIsNotActive(_ status: String) async throws {
    let bench = try await signedOut()
    try await bench.signIn(status: status)
    #expect(try await look(bench) == .available)
  }

  @Test func comparesHintsNormalized() async throws {
    let bench = try await signedOut(hint: "Mira@Example.com ")
    #expect(try await look(bench, hint: " MIRA@example.COM\n") == .available)
    #expect(try await look(bench, hint: "  \n") == .available)
    #expect(try await look(bench, hint: nil) == .available)
    #expect(try await look(bench, hint: "kim@example.com") == .unavailable(.noLocalCredential))
    let without = try await signedOut(hint: " ")
    #expect(try await look(without, hint: nil) == .available)
    #expect(try await look(without, hint: "mira@example.com") == .unavailable(.noLocalCredential))
  }

  @Test func distinguishesAVoidKeyFromASensorThatIsAway() async throws {
    let bench = try await signedOut(policy: .biometryCurrentSet)
    try bench.device.verifier.enroll("left-thumb")
    #expect(try await look(bench) == .unavailable(.localKeyMissing))
    // The sensor is unplugged: the key is as good as it was once it is back.
    let away = try await signedOut(policy: .biometryCurrentSet)
    let other = try TestDevice(ScriptedDevice(sensor: .none, passcode: "482913"), instance: Bench.server)
    let without = away.restarted(verifier: other.verifier)
    #expect(try await look(without) == .unavailable(.biometricAuthenticationUnavailable))
    #expect(
      await failure { try await without.client.auth.signInWithTrustedDevice() }?.code == .verifierUnavailable)
    try await without.signIn()
    without.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: without.now)]))
    #expect(try await without.devices.reconcile().removed.isEmpty)
    #expect(try await away.records().map(\.isInvalidated) == [false])
    try await without.signOut()
    #expect(try await look(away.restarted()) == .available)
    let any = try await signedOut(policy: .biometryAny)
    try any.device.verifier.enroll("left-thumb")
    #expect(try await look(any) == .available)
    try any.device.verifier.remove("left-thumb")
    try any.device.verifier.remove("right-index")
    #expect(try await look(any) == .unavailable(.biometricAuthenticationUnavailable))
    let fallback = try await signedOut()
    try fallback.device.verifier.remove("right-index")
    #expect(try await look(fallback) == .available)
  }

  @Test func tellsALockedSensorWithoutPasscode() async throws {
    let bench = try Bench(ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"]))
    try await bench.signIn()
    try await bench.enroll(policy: .biometryAny)
    try await bench.signOut()
    bench.device.verifier.perform(.mismatch, .mismatch, .mismatch, .mismatch, .mismatch)
    for _ in 0..<2 {
      bench.script(create: "tdc_1")
      _ = await failure { try await bench.client.auth.signInWithTrustedDevice() }
    }
    #expect(bench.device.verifier.isLockedOut)
    #expect(try await look(bench) == .unavailable(.biometricAuthenticationLockedOut))
    // Where there is a passcode, it unlocks the sensor.
    let other = try await signedOut(policy: .biometryAny)
    other.device.verifier.perform(.mismatch, .mismatch, .mismatch, .mismatch, .mismatch)
    for _ in 0..<2 {
      other.script(create: "tdc_1")
      _ = await failure { try await other.client.auth.signInWithTrustedDevice() }
    }
    #expect(other.device.verifier.isLockedOut)
    #expect(try await look(other) == .available)
  }

  @Test func throwsWhenTheStoreCannotTell() async throws {
    for call in [FaultInjectingKeyStore.Call.records, .presence] {
      let bench = try await signedOut()
      bench.device.store.repair()
      bench.device.store.fail(call)
      #expect(await failure { try await bench.devices.availability() }?.code == .storageFailed)
      bench.device.store.repair()
      #expect(try await look(bench) == .available)
    }
  }

  @Test func takesTheNewestThatCanSign() async throws {
    let bench = try Bench()
    for (user, id, policy) in [
      ("user_A", "tdc_1", TrustedDevicePolicy.biometryOrDevicePasscode), ("user_B", "tdc_2", .biometryAny),
      ("user_C", "tdc_3", .biometryCurrentSet),
    ] {
      try await bench.signIn(user)
      try await bench.enroll(id, policy: policy)
      bench.device.environment.clock.advance(by: .seconds(10))
    }
    try await bench.signOut()
    #expect(try await bench.client.select(id: nil, hint: nil, asksServer: true).credential?.id == "tdc_3")
    try bench.device.verifier.enroll("left-thumb")
    #expect(try await bench.client.select(id: nil, hint: nil, asksServer: true).credential?.id == "tdc_2")
    try bench.device.verifier.remove("left-thumb")
    try bench.device.verifier.remove("right-index")
    #expect(try await bench.client.select(id: nil, hint: nil, asksServer: true).credential?.id == "tdc_1")
    #expect(try await look(bench, id: "tdc_2") == .unavailable(.biometricAuthenticationUnavailable))
    #expect(try await look(bench, id: "tdc_3") == .unavailable(.localKeyMissing))
  }

  // MARK: Signed in

  @Test func asksTheServerWhileSomebodyIsSignedIn() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll()
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    #expect(try await look(bench, requests: 1) == .available)
    bench.transport.add(json: Wire.envelope([]))
    #expect(try await look(bench, requests: 1) == .unavailable(.serverCredentialMissing))
    for status in ["revoked", "later"] {
      bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", status: status, at: bench.now)]))
      #expect(try await look(bench, requests: 1) == .unavailable(.serverCredentialRevoked))
    }
    #expect(try await bench.devices.localAvailability() == .available)
  }

  @Test func sparesTheServerAQuestionAboutSomebodyElse() async throws {
    let bench = try Bench()
    try await bench.signIn("user_A")
    try await bench.enroll()
    try await bench.signIn("user_B", session: "sess_B")
    #expect(try await look(bench) == .unavailable(.noLocalCredential))
    // A key of somebody else that is void says nothing about this user either.
    try bench.device.verifier.enroll("left-thumb")
    #expect(try await look(bench) == .unavailable(.noLocalCredential))
  }

  @Test func throwsWhenTheListCannotBeHad() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll()
    bench.transport.addFailure(mayHaveArrived: true)
    #expect(await failure { try await bench.devices.availability() }?.code == .transportFailed)
    bench.script(403, "user_locked")
    #expect(await failure { try await bench.devices.availability() }?.code == .accountLocked)
    #expect(try await bench.activeIDs() == ["tdc_1"])
    #expect(try await bench.devices.localAvailability() == .available)
  }

  /// The session has ended on the server, and the list is how the client learns it.
  @Test func fallsBackToLocalStateWhenTheSessionTurnsOutToBeOver() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll()
    bench.script(401, "authentication_invalid")
    bench.transport.add(json: Wire.envelope(Wire.client()))
    #expect(try await look2(bench) == .available)
    #expect(try await bench.client.auth.session == nil)
  }

  private func look2(_ bench: Bench) async throws -> TrustedDeviceAvailability {
    try await bench.devices.availability()
  }

  @Test func asksOnceForSeveralCredentials() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll("tdc_1")
    // A second record of the same user, as an app that shares the store could have made.
    let owner = KeyOwner(
      instance: Bench.server, family: .trustedDevice, party: "com.example.app", account: Array("user_A".utf8))
    let attributes = CredentialAttributes(policy: .biometryAny, hint: nil, platform: "ios", name: nil)
    let record = try await bench.device.store.stage(
      KeyRequest(owner: owner, algorithms: [.es256], attributes: attributes.bytes), as: .biometricOnly,
      access: KeyAccess(gate: .verified([.fingerprint])), enrollmentState: nil, ticket: nil)
    let later = bench.now.advanced(by: .seconds(1))
    _ = try await bench.device.store.commit(
      record.tag, externalID: Array("tdc_9".utf8), details: CredentialDetails(createdAt: later, updatedAt: later).bytes)
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    #expect(try await look(bench, requests: 1) == .available)
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_9", status: "revoked", at: bench.now)]))
    // The first reason found, from the newest on.
    #expect(try await look(bench, requests: 1) == .unavailable(.serverCredentialRevoked))
  }

  // MARK: Records

  @Test func setsARecordAsideThatCannotBeRead() async throws {
    let bench = try await signedOut()
    let owner = KeyOwner(
      instance: Bench.server, family: .trustedDevice, party: "com.example.app", account: Array("user_B".utf8))
    let record = try await bench.device.store.stage(
      KeyRequest(owner: owner, algorithms: [.es256], attributes: [0xFF]), as: .biometricOnly,
      access: KeyAccess(gate: .verified([.fingerprint])), enrollmentState: nil, ticket: nil)
    _ = try await bench.device.store.commit(record.tag, externalID: Array("tdc_9".utf8), details: [])
    #expect(try await look(bench) == .available)
    #expect(bench.events.all.contains(.recordSetAside(reason: .integrityFailed)))
    #expect(try await look(bench, id: "tdc_9") == .unavailable(.noLocalCredential))
  }

  @Test func ordersByTimesThenName() throws {
    func credential(_ id: String, _ created: Int64, _ updated: Int64) throws -> CredentialDetails {
      CredentialDetails(createdAt: UnixTime(milliseconds: created), updatedAt: UnixTime(milliseconds: updated))
    }
    _ = try credential("a", 1, 1)
    #expect(IdentifierHint.normalized("\t A \u{2003}") == "a")
    #expect(IdentifierHint.normalized("") == nil)
    #expect(IdentifierHint.matches(nil, asked: nil))
    #expect(!IdentifierHint.matches(nil, asked: "a"))
  }
}
