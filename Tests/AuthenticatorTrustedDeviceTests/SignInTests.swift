import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

@Suite struct SignInTests {
  /// Enrolled and signed out.
  private func enrolled(
    policy: TrustedDevicePolicy? = nil, configure: (inout TrustedDeviceConfiguration) -> Void = { _ in }
  ) async throws -> Bench {
    let bench = try Bench(configure: configure)
    try await bench.signIn()
    try await bench.enroll(policy: policy)
    try await bench.signOut()
    return bench
  }

  @Test func signsTheChallengeOfTheSignIn() async throws {
    let bench = try await enrolled()
    let data = "{\"purpose\" : \"sign_in\", \"n\":\"\\u0041\u{1F511}\"}"
    bench.script(
      create: "tdc_1",
      challenge: Wire.challenge(for: "tdc_1", expires: bench.now.advanced(by: .seconds(300)), data: data))
    bench.script(complete: "sess_B")
    bench.device.verifier.perform(.match())
    let signIn = try await bench.client.auth.signInWithTrustedDevice(reason: "Sign in to the kiosk.")
    #expect(signIn.status == .complete)
    let form = try #require(bench.requests.last?.form)
    let record = try await bench.records()[0]
    let signature = try Signature(raw: try Base64URL.decode(try #require(form["signature"])), algorithm: .es256)
    #expect(form["client_data"].map { Array($0.utf8) } == Array(data.utf8))
    #expect(try record.publicKey.isValidSignature(signature, for: Array(data.utf8)))
    #expect(bench.device.verifier.prompts.last?.reason == "Sign in to the kiosk.")
    #expect(try await bench.client.auth.session?.id == "sess_B")
    #expect(bench.events.all.contains(.signedIn(sessionID: "sess_B")))
    #expect(!bench.requests.contains { $0.line.contains("prepare_first_factor") })
    #expect(bench.requests.last?.value("Authorization") == "token-2")
  }

  @Test func worksInTheNextRunAndWithoutAToken() async throws {
    let bench = try await enrolled()
    let later = bench.restarted()
    later.script(create: "tdc_1")
    later.script(complete: "sess_B")
    later.device.verifier.perform(.match())
    #expect(try await later.client.auth.signInWithTrustedDevice().status == .complete)
    #expect(later.device.verifier.prompts.last?.reason == "Use biometrics to sign in.")
  }

  @Test(arguments: ["needs_second_factor", "needs_new_password", "needs_client_trust", "later"])
  func returnsWhatIsNotComplete(_ status: String) async throws {
    let bench = try await enrolled()
    bench.script(create: "tdc_1")
    bench.transport.add(json: Wire.envelope(Wire.signIn(status: status)))
    bench.device.verifier.perform(.match())
    let signIn = try await bench.client.auth.signInWithTrustedDevice()
    #expect(signIn.status.rawValue == status)
    #expect(try await bench.activeIDs() == ["tdc_1"])
    #expect(bench.events.all.last == .signInNeedsContinuation(signIn.status))
  }

  @Test func choosesByIDAndHint() async throws {
    let bench = try Bench()
    for (user, id) in [("user_A", "tdc_1"), ("user_B", "tdc_2")] {
      try await bench.signIn(user)
      try await bench.enroll(id, hint: "\(user)@example.com")
      bench.device.environment.clock.advance(by: .seconds(1))
    }
    try await bench.signOut()
    for (id, hint, expected) in [
      (nil, nil, "tdc_2"), ("tdc_1", nil, "tdc_1"), (nil, " USER_A@example.com", "tdc_1"),
    ] as [(String?, String?, String)] {
      bench.script(create: expected)
      bench.device.verifier.perform(.cancel)
      #expect(
        await failure {
          try await bench.client.auth.signInWithTrustedDevice(id: id, identifierHint: hint)
        }?.code == .userCanceled)
      #expect(bench.requests.last?.form["trusted_device_id"] == expected)
    }
  }

  @Test func takesTheSignedInUsersCredentialOnly() async throws {
    let bench = try Bench()
    try await bench.signIn("user_A")
    try await bench.enroll("tdc_1")
    bench.device.environment.clock.advance(by: .seconds(1))
    try await bench.signIn("user_B")
    try await bench.enroll("tdc_2")
    try await bench.signIn("user_A")
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    bench.script(400, "session_exists")
    bench.transport.add(
      json: Wire.envelope(Wire.client(sessions: [Wire.session("sess_A", user: "user_A")], last: "sess_A")))
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .alreadySignedIn)
    #expect(bench.requests.dropLast().last?.form["trusted_device_id"] == "tdc_1")
    #expect(try await bench.activeIDs() == ["tdc_1", "tdc_2"])
  }

  // MARK: Nothing to sign in with

  @Test func saysWhyThereIsNothingToSignInWith() async throws {
    let bench = try Bench()
    try await bench.load()
    let error = await failure { try await bench.client.auth.signInWithTrustedDevice() }
    #expect(error?.code == .noLocalCredential)
    #expect(error?.trustedDevice?.unavailableReason == .noLocalCredential)
    #expect(error?.trustedDevice?.removedLocalState == false)
    try await bench.load(Wire.environment(feature: false))
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .featureDisabled)
  }

  @Test func separatesLockoutNotEnrolledAndVoid() async throws {
    let away = try await enrolled(policy: .biometryAny)
    try away.device.verifier.remove("right-index")
    #expect(await failure { try await away.client.auth.signInWithTrustedDevice() }?.code == .verifierUnavailable)
    #expect(try await away.activeIDs() == ["tdc_1"])

    let void = try await enrolled(policy: .biometryCurrentSet)
    try void.device.verifier.enroll("left-thumb")
    let count = void.requests.count
    let error = await failure { try await void.client.auth.signInWithTrustedDevice() }
    #expect(error?.code == .keyInvalidated)
    #expect(error?.trustedDevice?.unavailableReason == .localKeyMissing)
    #expect(error?.trustedDevice?.removedLocalState == true)
    #expect(void.requests.count == count)
    #expect(void.events.all.last == .removed(id: "tdc_1", reason: .keyInvalidated))
    #expect(try await void.devices.availability() == .unavailable(.noLocalCredential))
  }

  @Test func revokesAVoidKeysCredentialInTheNextSession() async throws {
    let bench = try await enrolled(policy: .biometryCurrentSet)
    try bench.device.verifier.enroll("left-thumb")
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .keyInvalidated)
    let later = bench.restarted()
    later.transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: "sess_B"),
        client: Wire.client(sessions: [Wire.session("sess_B", user: "user_A")], last: "sess_B")))
    later.transport.add(json: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now)))
    try await later.client.auth.signIn(identifier: "mira", password: "x")
    #expect(later.requests.last?.line == "DELETE /v1/me/trusted_devices/tdc_1")
    #expect(later.requests.last?.url.query?.contains("_clerk_session_id=sess_B") == true)
    #expect(try await later.records().isEmpty)
    #expect(later.events.all.contains(.orphanRevoked(id: "tdc_1")))
  }

  @Test func leavesAVoidKeysCredentialToAnotherUsersSession() async throws {
    let bench = try await enrolled(policy: .biometryCurrentSet)
    try bench.device.verifier.enroll("left-thumb")
    try await bench.signIn("user_B", session: "sess_B")
    #expect(bench.requests.last?.line == "POST /v1/client/sign_ins")
    #expect(try await bench.records().count == 1)
  }

  // MARK: The challenge

  @Test func asksNobodyOverAChallengeThatIsWrong() async throws {
    let bench = try await enrolled()
    let prompts = bench.device.verifier.prompts.count
    let soon = bench.now.advanced(by: .seconds(300))
    var other = Wire.challenge(for: "tdc_1", expires: soon).objectValue ?? [:]
    other["algorithm"] = "none"
    for (challenge, code) in [
      (Wire.challenge(for: "tdc_1", expires: bench.now), AuthenticatorError.Code.challengeExpired),
      (Wire.challenge(for: "tdc_2", expires: soon), .challengeMismatch), (.object(other), .challengeMismatch),
      (Wire.challenge(for: "tdc_1", expires: soon, data: ""), .challengeMismatch),
    ] {
      bench.script(create: "tdc_1", challenge: challenge)
      #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == code)
    }
    bench.transport.add(json: Wire.envelope(Wire.signIn(status: "needs_identifier")))
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .invalidMessage)
    #expect(bench.device.verifier.prompts.count == prompts)
    #expect(bench.requests.last?.line == "POST /v1/client/sign_ins")
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  /// What matters is the challenge, not the status beside it, and it need not name the credential.
  @Test func acceptsAChallengeThatNamesNobodyUnderAnyStatus() async throws {
    let bench = try await enrolled()
    var object = Wire.signIn(challenge: Wire.challenge(expires: bench.now.advanced(by: .seconds(9)))).objectValue ?? [:]
    object["status"] = "needs_identifier"
    bench.transport.add(json: Wire.envelope(.object(object)))
    bench.script(complete: "sess_B")
    bench.device.verifier.perform(.match())
    #expect(try await bench.client.auth.signInWithTrustedDevice().status == .complete)
  }

  /// The device's clock is an hour ahead, or behind: the server's own `Date` decides.
  @Test(arguments: [3600, -3600]) func bearsAClockThatIsWrong(_ skew: Int64) async throws {
    let bench = try await enrolled()
    bench.device.environment.clock.set(now: bench.now.advanced(by: .seconds(skew)))
    // 1,700,000,000 s on the server's clock.
    let date = HTTPField("Date", "Tue, 14 Nov 2023 22:13:20 GMT")
    let server = UnixTime(milliseconds: 1_700_000_000_000)
    func create(_ expires: UnixTime) {
      bench.transport.add(
        json: Wire.envelope(Wire.signIn(challenge: Wire.challenge(for: "tdc_1", expires: expires))), fields: [date])
    }
    create(server.advanced(by: .seconds(60)))
    bench.script(complete: "sess_B")
    bench.device.verifier.perform(.match())
    #expect(try await bench.client.auth.signInWithTrustedDevice().status == .complete)
    try await bench.signOut()
    create(server)
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .challengeExpired)
  }

  /// However far off the device's clock is: a server refuses by its own what comes too late.
  @Test func believesADateThatIsYearsOff() async throws {
    let bench = try await enrolled()
    bench.transport.add(
      json: Wire.envelope(
        Wire.signIn(challenge: Wire.challenge(for: "tdc_1", expires: UnixTime(milliseconds: 1_510_697_900_000)))),
      fields: [HTTPField("Date", "Tue, 14 Nov 2017 22:13:20 GMT")])
    bench.script(complete: "sess_B")
    bench.device.verifier.perform(.match())
    #expect(try await bench.client.auth.signInWithTrustedDevice().status == .complete)
  }

  @Test func endsThePromptWithTheChallenge() async throws {
    let bench = try await enrolled()
    bench.script(create: "tdc_1", challenge: Wire.challenge(for: "tdc_1", expires: bench.now.advanced(by: .seconds(5))))
    bench.device.verifier.perform(.noAnswer)
    let task = Task { try await bench.client.auth.signInWithTrustedDevice() }
    await bench.device.environment.clock.waitForSleepers()
    bench.device.environment.clock.advance(by: .seconds(5))
    #expect(await failure { try await task.value }?.code == .challengeExpired)
    #expect(bench.requests.last?.line == "POST /v1/client/sign_ins")
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  // MARK: The exact answer

  @Test func removesACredentialThatTheServerDoesNotKnow() async throws {
    for word in ["trusted_device_not_registered", "form_resource_not_found"] {
      for isAtCreate in [true, false] {
        let bench = try await enrolled()
        if !isAtCreate {
          bench.script(create: "tdc_1")
          bench.device.verifier.perform(.match())
        }
        bench.script(422, word, parameter: "trusted_device_id")
        let error = await failure { try await bench.client.auth.signInWithTrustedDevice() }
        #expect(error?.code == .credentialGone)
        #expect(error?.trustedDevice?.removedLocalState == true)
        #expect(error?.trustedDevice?.serverError?.status == 422)
        #expect(try await bench.records().isEmpty)
        #expect(bench.events.all.last == .removed(id: "tdc_1", reason: .missingOnServer))
        #expect(try await bench.devices.availability() == .unavailable(.noLocalCredential))
      }
    }
  }

  @Test func findsTheExactAnswerBehindOthers() async throws {
    let bench = try await enrolled()
    bench.transport.add(
      422,
      json: [
        "errors": [
          ["code": "form_param_unknown", "message": "m", "meta": ["param_name": "locale"]],
          ["code": "trusted_device_not_registered", "message": "m", "meta": ["param_name": "trusted_device_id"]],
        ]
      ])
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .credentialGone)
    #expect(try await bench.records().isEmpty)
  }

  @Test(
    arguments: [
      (422, "trusted_device_not_registered", "identifier"), (422, "form_resource_not_found", "strategy"),
      (422, "form_resource_not_found", nil), (404, "resource_not_found", "trusted_device_id"),
      (400, "trusted_device_signature_verification_failed", nil), (400, "trusted_device_challenge_expired", nil),
      (400, "trusted_device_challenge_not_found", nil),
      (403, "user_banned", nil), (403, "feature_not_enabled", nil), (400, "native_api_disabled", nil),
      (401, "requires_device_attestation", nil), (500, "internal_error", nil), (429, "rate_limited", nil),
    ] as [(Int, String, String?)])
  func keepsTheCredentialAfterAnyOtherAnswer(_ status: Int, _ word: String, _ parameter: String?) async throws {
    for isAtCreate in [true, false] {
      let bench = try await enrolled()
      if !isAtCreate {
        bench.script(create: "tdc_1")
        bench.device.verifier.perform(.match())
      }
      bench.script(status, word, parameter: parameter)
      bench.transport.add(json: Wire.envelope(Wire.client()))
      let error = await failure { try await bench.client.auth.signInWithTrustedDevice() }
      #expect(error != nil)
      #expect(error?.trustedDevice?.removedLocalState != true)
      #expect(try await bench.activeIDs() == ["tdc_1"])
    }
  }

  @Test func saysWhenTheCredentialCouldNotBeRemoved() async throws {
    let bench = try await enrolled()
    bench.script(422, "trusted_device_not_registered", parameter: "trusted_device_id")
    bench.device.store.fail(.delete)
    let error = await failure { try await bench.client.auth.signInWithTrustedDevice() }
    #expect(error?.code == .credentialGone)
    #expect(error?.trustedDevice?.removedLocalState == false)
    bench.device.store.repair()
    // Not offered any more, and gone at the next start.
    #expect(try await bench.devices.availability() == .unavailable(.noLocalCredential))
    let later = bench.restarted()
    try await later.client.start()
    #expect(try await later.records().isEmpty)
  }

  // MARK: The person

  @Test(arguments: [
    ([ScriptedStep.cancel], AuthenticatorError.Code.userCanceled), ([.systemCancel], .systemCanceled),
    ([.mismatch, .mismatch, .mismatch], .userVerificationFailed), ([.sensorUnavailable], .verifierUnavailable),
  ])
  func keepsTheCredentialWhateverThePersonDoes(_ steps: [ScriptedStep], _ code: AuthenticatorError.Code) async throws {
    let bench = try await enrolled(policy: .biometryAny)
    bench.script(create: "tdc_1")
    bench.device.verifier.script(steps)
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == code)
    #expect(bench.requests.last?.line == "POST /v1/client/sign_ins")
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  @Test func asksForThePasscodeOnlyWhereThePolicyAdmitsIt() async throws {
    let bench = try await enrolled()
    bench.script(create: "tdc_1")
    bench.script(complete: "sess_B")
    bench.device.verifier.perform(.fallback, .passcode("482913"))
    #expect(try await bench.client.auth.signInWithTrustedDevice().status == .complete)
    let strict = try await enrolled(policy: .biometryCurrentSet)
    strict.script(create: "tdc_1")
    strict.device.verifier.script([.fallback, .passcode("482913")])
    #expect(await failure { try await strict.client.auth.signInWithTrustedDevice() }?.code == .userCanceled)
  }

  @Test func noticesAFingerAddedDuringThePrompt() async throws {
    let bench = try await enrolled(policy: .biometryCurrentSet)
    bench.script(create: "tdc_1")
    bench.device.verifier.script([.enroll("left-thumb"), .match(finger: "left-thumb")])
    let error = await failure { try await bench.client.auth.signInWithTrustedDevice() }
    #expect(error?.code == .keyInvalidated)
    #expect(error?.trustedDevice?.removedLocalState == true)
    #expect(bench.requests.last?.line == "POST /v1/client/sign_ins")
    #expect(try await bench.activeIDs().isEmpty)
  }

  // MARK: Changes during the prompt

  @Test func sendsNoOldChallengeOnceTheSignInChanged() async throws {
    let bench = try await enrolled()
    bench.transport.add(
      json: Wire.envelope(
        Wire.signIn(challenge: Wire.challenge(for: "tdc_1", expires: bench.now.advanced(by: .seconds(300)))),
        client: Wire.client(signIn: "sia_1")))
    bench.transport.add(
      json: Wire.envelope(Wire.signIn(status: "needs_second_factor"), client: Wire.client(signIn: "sia_2")))
    bench.verifier.duringPrompt { try await bench.client.auth.signIn(identifier: "kim", password: "y") }
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .sessionChanged)
    #expect(bench.requests.last?.line == "POST /v1/client/sign_ins")
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  @Test func sendsNothingOnceSomebodyElseSignedIn() async throws {
    let bench = try await enrolled()
    bench.script(create: "tdc_1")
    bench.script(complete: "sess_B", user: "user_B")
    bench.verifier.duringPrompt { try await bench.client.auth.signIn(identifier: "kim", password: "y") }
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .sessionChanged)
    #expect(bench.requests.last?.form["strategy"] == "password")
  }

  @Test func endsWithItsTask() async throws {
    let bench = try await enrolled()
    bench.script(create: "tdc_1")
    bench.device.verifier.perform(.noAnswer)
    let task = Task { try await bench.client.auth.signInWithTrustedDevice() }
    await bench.device.environment.clock.waitForSleepers()
    task.cancel()
    #expect(await failure { try await task.value }?.code == .appCanceled)
    #expect(bench.requests.last?.line == "POST /v1/client/sign_ins")
  }

  @Test func runsOneAtATime() async throws {
    let bench = try await enrolled()
    bench.script(create: "tdc_1")
    bench.device.verifier.perform(.noAnswer)
    let first = Task { try await bench.client.auth.signInWithTrustedDevice() }
    await bench.device.environment.clock.waitForSleepers()
    let second = Task { try await bench.client.auth.signInWithTrustedDevice() }
    // Looking need not wait for a prompt.
    #expect(try await bench.devices.availability() == .available)
    for _ in 0..<100 { await Task.yield() }
    #expect(bench.requests.filter { $0.form["strategy"] == "trusted_device" }.count == 1)
    let third = Task { try await bench.devices.reconcile() }
    third.cancel()
    #expect(await failure { try await third.value }?.code == .appCanceled)
    bench.script(create: "tdc_1")
    bench.script(complete: "sess_B")
    bench.device.verifier.perform(.match())
    first.cancel()
    #expect(await failure { try await first.value }?.code == .appCanceled)
    #expect(try await second.value.status == .complete)
  }

  // MARK: Lost answers

  @Test func findsASessionWhoseAnswerWasLost() async throws {
    let bench = try await enrolled()
    bench.script(create: "tdc_1")
    bench.transport.addFailure(mayHaveArrived: true)
    bench.transport.add(
      json: Wire.envelope(Wire.client(sessions: [Wire.session("sess_B", user: "user_A")], last: "sess_B")))
    bench.device.verifier.perform(.match())
    let signIn = try await bench.client.auth.signInWithTrustedDevice()
    #expect(signIn.status == .complete)
    #expect(signIn.createdSessionID == "sess_B")
    #expect(bench.requests.last?.line == "GET /v1/client")
    #expect(bench.requests.filter { $0.line.hasSuffix("/attempt_first_factor") }.count == 1)
  }

  @Test func throwsWhenTheAttemptDidNotArrive() async throws {
    let bench = try await enrolled()
    bench.script(create: "tdc_1")
    bench.transport.addFailure(mayHaveArrived: true)
    bench.transport.add(json: Wire.envelope(Wire.client()))
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .transportFailed)
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }
}
