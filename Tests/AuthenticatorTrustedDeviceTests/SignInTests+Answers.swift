import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// The challenge that is answered, and the one answer that removes a credential.
extension SignInTests {
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
}
