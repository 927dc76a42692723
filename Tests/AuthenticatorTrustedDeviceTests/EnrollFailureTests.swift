import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// Whatever fails, on whichever side: nothing of the new key is left, and the former one works on.
@Suite struct EnrollFailureTests {
  /// A signed-in bench with a credential `tdc_0` that must survive.
  private func bench(configure: (inout TrustedDeviceConfiguration) -> Void = { _ in }) async throws -> Bench {
    let bench = try Bench(configure: configure)
    try await bench.signIn()
    try await bench.enroll("tdc_0")
    return bench
  }

  private func expectOnlyTheFormer(_ bench: Bench, _ comment: Comment? = nil) async throws {
    #expect(try await bench.activeIDs() == ["tdc_0"], comment)
    #expect(try await bench.records().count == 1, comment)
    #expect(!bench.requests.contains { $0.method == "DELETE" }, comment)
    #expect(try await bench.devices.localAvailability() == .available, comment)
  }

  @Test func undoesAFailedPreparation() async throws {
    for (status, code, expected) in [
      (400, "trusted_device_app_identifier_not_configured", AuthenticatorError.Code.appIdentifierRefused),
      (400, "trusted_device_credential_quota_exceeded", .quotaExceeded),
      (409, "trusted_device_already_enrolled", .alreadyEnrolled),
      (403, "session_reverification_required", .reverificationRequired),
      (422, "trusted_device_invalid_public_key", .credentialRefused), (500, "internal_error", .serverFailed),
    ] {
      let bench = try await bench()
      let prompts = bench.device.verifier.prompts.count
      bench.script(status, code)
      #expect(await failure { try await bench.devices.enroll() }?.code == expected)
      #expect(bench.device.verifier.prompts.count == prompts)
      try await expectOnlyTheFormer(bench)
    }
    let bench = try await bench()
    bench.transport.addFailure(mayHaveArrived: true)
    #expect(await failure { try await bench.devices.enroll() }?.code == .transportFailed)
    try await expectOnlyTheFormer(bench)
  }

  @Test func asksNobodyOverAChallengeThatIsWrong() async throws {
    let bench = try await bench()
    let prompts = bench.device.verifier.prompts.count
    func change(_ name: String, to value: JSONValue?) -> JSONValue {
      var object = Wire.challenge(expires: bench.now.advanced(by: .seconds(300))).objectValue ?? [:]
      object[name] = value
      return .object(object)
    }
    let challenges: [(JSONValue, AuthenticatorError.Code)] = [
      ([], .invalidMessage), (change("client_data", to: nil), .invalidMessage),
      (change("expires_at", to: "soon"), .invalidMessage), (change("challenge_id", to: 7), .invalidMessage),
      (change("client_data", to: ""), .challengeMismatch), (change("algorithm", to: "ES384"), .challengeMismatch),
      (change("trusted_device_id", to: "tdc_9"), .challengeMismatch),
      (change("expires_at", to: .integer(bench.now.milliseconds)), .challengeExpired),
      (change("expires_at", to: .integer(bench.now.milliseconds / 1000 - 1)), .challengeExpired),
    ]
    for (challenge, code) in challenges {
      bench.script(prepare: challenge)
      #expect(await failure { try await bench.devices.enroll() }?.code == code)
    }
    #expect(bench.device.verifier.prompts.count == prompts)
    #expect(!bench.requests.suffix(challenges.count).contains { $0.line.hasSuffix("/attempt") })
    try await expectOnlyTheFormer(bench)
  }

  @Test(arguments: [
    (ScriptedStep.cancel, AuthenticatorError.Code.userCanceled), (.systemCanceled, .systemCanceled),
    (.sensorUnavailable, .verifierUnavailable),
  ])
  func undoesAPromptThatEnded(_ step: ScriptedStep, _ code: AuthenticatorError.Code) async throws {
    let bench = try await bench()
    bench.script()
    bench.device.verifier.perform(step)
    #expect(await failure { try await bench.devices.enroll(policy: .biometryAny) }?.code == code)
    #expect(bench.requests.last?.line == "POST /v1/me/trusted_devices/prepare")
    try await expectOnlyTheFormer(bench)
  }

  @Test func undoesAPersonWhoIsNotRecognized() async throws {
    let bench = try await bench()
    bench.script()
    bench.device.verifier.perform(.mismatch, .mismatch, .mismatch)
    #expect(await failure { try await bench.devices.enroll(policy: .biometryAny) }?.code == .userVerificationFailed)
    try await expectOnlyTheFormer(bench)
  }

  @Test func endsThePromptWithTheChallenge() async throws {
    let bench = try await bench()
    bench.script(prepare: Wire.challenge(expires: bench.now.advanced(by: .seconds(20))))
    bench.device.verifier.perform(.noAnswer)
    let task = Task { try await bench.devices.enroll() }
    await bench.device.environment.clock.waitForSleepers()
    bench.device.environment.clock.advance(by: .seconds(20))
    #expect(await failure { try await task.value }?.code == .challengeExpired)
    try await expectOnlyTheFormer(bench)
  }

  @Test func endsThePromptWithTheAppsOwnLimit() async throws {
    let bench = try await bench(configure: { $0.promptTimeLimit = .seconds(10) })
    bench.script()
    bench.device.verifier.perform(.noAnswer)
    let task = Task { try await bench.devices.enroll() }
    await bench.device.environment.clock.waitForSleepers()
    bench.device.environment.clock.advance(by: .seconds(10))
    #expect(await failure { try await task.value }?.code == .timedOut)
    try await expectOnlyTheFormer(bench)
  }

  @Test func undoesARefusedAttempt() async throws {
    for (status, code, expected) in [
      (400, "trusted_device_signature_verification_failed", AuthenticatorError.Code.signatureRefused),
      (400, "trusted_device_challenge_expired", .challengeExpired),
      (400, "trusted_device_challenge_not_found", .challengeNotFound),
      (409, "trusted_device_already_enrolled", .alreadyEnrolled), (429, "too_many_requests", .rateLimited),
      (422, "trusted_device_binding_mismatch", .credentialRefused),
    ] {
      let bench = try await bench()
      bench.script()
      bench.script(status, code)
      // After two of these the list is looked at: the proof may have arrived twice.
      bench.transport.add(json: Wire.envelope([Wire.device("tdc_0", at: bench.now)]))
      bench.device.verifier.perform(.match())
      #expect(await failure { try await bench.devices.enroll() }?.code == expected)
      try await expectOnlyTheFormer(bench)
    }
    let bench = try await bench()
    bench.script()
    bench.transport.addFailure(mayHaveArrived: false)
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.devices.enroll() }?.code == .transportFailed)
    try await expectOnlyTheFormer(bench)
  }

  @Test func undoesACredentialThatTheServerCallsRevoked() async throws {
    let bench = try await bench()
    bench.script()
    bench.transport.add(json: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now)))
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.devices.enroll() }?.code == .invalidMessage)
    try await expectOnlyTheFormer(bench)
  }

  // MARK: Session and user

  @Test func stopsWhenTheSessionEndsDuringThePrompt() async throws {
    let bench = try await bench()
    bench.script()
    bench.transport.add(json: Wire.envelope(["id": "sess_A"], client: Wire.client()))
    bench.verifier.duringPrompt { try await bench.client.auth.signOut() }
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.devices.enroll() }?.code == .sessionChanged)
    #expect(bench.requests.last?.line == "POST /v1/client/sessions/sess_A/remove")
    try await expectOnlyTheFormer(bench)
  }

  @Test func stopsWhenAnotherUserSignsInDuringThePrompt() async throws {
    let bench = try await bench()
    bench.script()
    bench.script(complete: "sess_B", user: "user_B")
    bench.verifier.duringPrompt { try await bench.client.auth.signIn(identifier: "kim", password: "y") }
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.devices.enroll() }?.code == .sessionChanged)
    #expect(bench.requests.last?.line == "POST /v1/client/sign_ins")
    try await expectOnlyTheFormer(bench)
  }

  @Test func asksNobodyWhenTheSessionChangedBeforeThePrompt() async throws {
    let bench = try await bench()
    let prompts = bench.device.verifier.prompts.count
    bench.transport.add(
      json: Wire.envelope(
        Wire.challenge(expires: bench.now.advanced(by: .seconds(300))),
        client: Wire.client(sessions: [Wire.session("sess_B", user: "user_B")], last: "sess_B")))
    #expect(await failure { try await bench.devices.enroll() }?.code == .sessionChanged)
    #expect(bench.device.verifier.prompts.count == prompts)
    try await expectOnlyTheFormer(bench)
  }

  @Test func keepsToThePinnedSessionOnceTheProofIsOnItsWay() async throws {
    let bench = try await bench()
    bench.script()
    // The answer to the attempt tells of another session; the record is the pinned user's nevertheless.
    bench.transport.add(
      json: Wire.envelope(
        Wire.device("tdc_1", at: bench.now),
        client: Wire.client(sessions: [Wire.session("sess_B", user: "user_B")], last: "sess_B")))
    bench.device.verifier.perform(.match())
    try await bench.devices.enroll()
    let record = try #require(try await bench.records([.active]).first)
    #expect(record.owner.account == Array("user_A".utf8))
  }

  @Test func leavesNothingWhenItsTaskIsCancelled() async throws {
    let bench = try await bench()
    bench.script()
    bench.device.verifier.perform(.noAnswer)
    let task = Task { try await bench.devices.enroll() }
    await bench.device.environment.clock.waitForSleepers()
    task.cancel()
    #expect(await failure { try await task.value }?.code == .appCanceled)
    #expect(bench.requests.last?.line == "POST /v1/me/trusted_devices/prepare")
    try await expectOnlyTheFormer(bench)
  }

  // MARK: The store

  @Test func undoesTheServersHalfWhenTheRecordCannotBeKept() async throws {
    let bench = try await bench()
    bench.script()
    bench.script(attempt: "tdc_1")
    bench.transport.add(json: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now)))
    bench.device.verifier.perform(.match())
    bench.device.store.fail(.commit)
    #expect(await failure { try await bench.devices.enroll() }?.code == .storageFailed)
    #expect(bench.requests.last?.line == "DELETE /v1/me/trusted_devices/tdc_1")
    #expect(bench.requests.last?.url.query?.contains("_clerk_session_id=sess_A") == true)
    bench.device.store.repair()
    #expect(try await bench.activeIDs() == ["tdc_0"])
    #expect(try await bench.records().count == 1)
  }

  @Test func remembersToUndoTheServersHalf() async throws {
    let bench = try await bench()
    bench.script()
    bench.script(attempt: "tdc_1")
    bench.transport.addFailure(mayHaveArrived: true)
    bench.device.verifier.perform(.match())
    bench.device.store.fail(.commit)
    #expect(await failure { try await bench.devices.enroll() }?.code == .storageFailed)
    bench.device.store.repair()
    // The key is gone; that the server still has its credential is remembered from run to run.
    #expect(try await bench.records().count == 1)
    let later = bench.restarted()
    later.transport.add(json: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now)))
    later.transport.add(json: Wire.envelope([Wire.device("tdc_0", at: bench.now)]))
    #expect(try await later.devices.list().map(\.id) == ["tdc_0"])
    #expect(
      later.requests.suffix(2).map(\.line) == ["DELETE /v1/me/trusted_devices/tdc_1", "GET /v1/me/trusted_devices"])
    later.transport.add(json: Wire.envelope([Wire.device("tdc_0", at: bench.now)]))
    _ = try await later.devices.list()
    #expect(later.requests.last?.line == "GET /v1/me/trusted_devices")
    #expect(later.requests.dropLast().last?.line == "GET /v1/me/trusted_devices")
  }

  @Test func takesACommitForDoneWhenOnlyItsAnswerWasLost() async throws {
    let bench = try await bench()
    bench.script()
    bench.script(attempt: "tdc_1")
    bench.device.verifier.perform(.match())
    bench.device.store.fail(.commit, .after)
    #expect(try await bench.devices.enroll().id == "tdc_1")
    bench.device.store.repair()
    #expect(try await bench.activeIDs() == ["tdc_1"])
    #expect(try await bench.records().count == 1)
  }

  /// Every call of the store fails in turn, before and after it took effect. Afterwards, with the store repaired and
  /// the app started again, there is one credential on both sides, or the former one alone.
  @Test(arguments: FaultInjectingKeyStore.Moment.allCases)
  func convergesWhicheverCallOfTheStoreFails(_ moment: FaultInjectingKeyStore.Moment) async throws {
    let dry = try await bench()
    dry.device.store.repair()
    try await dry.enroll("tdc_1")
    let count = dry.device.store.calls.count
    #expect(count > 6)
    for place in 0..<count {
      let bench = try await bench()
      let server = TinyServer(at: bench.now, active: ["tdc_0"])
      bench.transport.play(server)
      bench.device.store.repair()
      bench.device.store.failCall(at: place, moment)
      bench.device.verifier.perform(.match())
      var isThrown = false
      do { try await bench.devices.enroll() } catch { isThrown = true }
      bench.device.store.repair()
      bench.device.environment.clock.advance(by: .seconds(3600))
      let later = bench.restarted()
      try await later.client.start()
      let report = try await later.devices.reconcile()
      #expect(report.failures.isEmpty, "call \(place) \(moment)")
      let local = try await later.activeIDs()
      #expect(try await later.records().count == local.count, "call \(place) \(moment)")
      #expect(Set(local) == server.active, "call \(place) \(moment): \(local) and \(server.active)")
      if !isThrown { #expect(local == ["tdc_1"], "call \(place) \(moment)") }
      #expect(try await later.devices.availability() == (local.isEmpty ? .unavailable(.noLocalCredential) : .available))
    }
  }
}

extension ScriptedStep {
  static var systemCanceled: ScriptedStep { .systemCancel }
}
