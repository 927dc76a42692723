import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

@Suite struct DeviceSignInTests {
  @Test func aDeviceSignsIn() async throws {
    let harness = try await FrontendHarness()
    let (app, key, id) = try await harness.enrolled()
    harness.clock.advance(by: 100)
    let begun = try await app.begin(id)
    #expect(begun.response["object"] == "sign_in_attempt")
    #expect(begun.response["status"] == "needs_first_factor")
    #expect(begun.response["created_session_id"] == .null)
    #expect(begun.client["sign_in"] == begun.response)
    let verification = try #require(begun.response["first_factor_verification"])
    #expect(verification["object"] == "verification_trusted_device")
    #expect(verification["status"] == "unverified")
    #expect(verification["strategy"] == "trusted_device")
    let challenge = try #require(begun.challenge)
    #expect(challenge["trusted_device_id"] == .string(id))
    #expect(challenge["expires_at"] == verification["expire_at"])
    let signed = try JSONValue.parse(try #require(challenge["client_data"]?.stringValue))
    #expect(signed["purpose"] == "sign_in")
    #expect(signed["trusted_device_id"] == .string(id))

    let done = try await app.finish(begun, key, id)
    #expect(done.status == 200)
    #expect(done.response["status"] == "complete")
    #expect(done.response["id"] == begun.response["id"])
    #expect(done.response["created_session_id"] == done.client["last_active_session_id"])
    #expect(done.client["sessions"]?[0]?["user"]?["username"] == "mira")
    #expect(done.client["last_authentication_strategy"] == "trusted_device")
    let device = try await app.send("GET", "me/trusted_devices").response[0]
    #expect(device?["last_used_at"] == .integer(harness.clock.now.milliseconds))
  }

  @Test func aDeviceWithoutATokenSignsIn() async throws {
    let harness = try await FrontendHarness()
    let (_, key, id) = try await harness.enrolled()
    let fresh = harness.app()
    let begun = try await fresh.begin(id)
    #expect(begun.token != nil)
    #expect(try await fresh.finish(begun, key, id).response["status"] == "complete")
  }

  @Test func expiredSessionsDoNotKeepADeviceOut() async throws {
    let harness = try await FrontendHarness { $0.sessionLifetime = .seconds(60) }
    let app = try await harness.signedIn()
    let key = try DeviceKey()
    let id = try #require(try await app.enroll(key).id)
    #expect(try await app.signIn(key, id).code == "session_exists")
    harness.clock.advance(by: 60)
    #expect(try await app.signIn(key, id).response["status"] == "complete")
  }

  @Test func aPendingSessionIsMadeWhereTasksRemain() async throws {
    let harness = try await FrontendHarness { $0.pendingTasks = ["setup-mfa"] }
    let (app, key, id) = try await harness.enrolled()
    let done = try await app.signIn(key, id)
    #expect(done.response["status"] == "complete")
    #expect(done.client["sessions"]?[0]?["status"] == "pending")
  }

  @Test func whatIsUnknownIsToldApartFromWhatIsRevoked() async throws {
    let harness = try await FrontendHarness()
    let answer = try await harness.app().begin("tdc_unknown")
    #expect(answer.status == 422)
    #expect(answer.code == "form_resource_not_found")
    #expect(answer.parameter == "trusted_device_id")
    // The token of a client that was just made goes out with the refusal too.
    #expect(answer.token != nil)
  }

  @Test func revokingBetweenTheStepsEndsTheSignIn() async throws {
    let harness = try await FrontendHarness()
    let (app, key, id) = try await harness.enrolled()
    let begun = try await app.begin(id)
    _ = try await harness.signedIn().send("DELETE", "me/trusted_devices/\(id)")
    let answer = try await app.finish(begun, key, id)
    #expect(answer.code == "trusted_device_not_registered")
    #expect(answer.parameter == "trusted_device_id")
  }

  @Test func whoIsSwitchedOffIsNotSignedIn() async throws {
    let harness = try await FrontendHarness()
    let (app, key, id) = try await harness.enrolled()
    _ = try await harness.server.setActive(false, userNamed: "mira", in: harness.harness.realm)
    let answer = try await app.signIn(key, id)
    #expect(answer.status == 403)
    #expect(answer.code == "user_banned")
  }

  @Test func challengesOfOtherSignInsDoNotFit() async throws {
    let harness = try await FrontendHarness()
    let (app, key, id) = try await harness.enrolled()
    let (first, second) = (try await app.begin(id), try await app.begin(id))
    let text = try #require(second.challenge?["client_data"]?.stringValue)
    let crossed = try await app.finish(first, key, id) {
      $0["client_data"] = text
      $0["signature"] = try? key.sign(text)
    }
    #expect(crossed.status == 422)
    #expect(crossed.code == "trusted_device_binding_mismatch")
    #expect(crossed.parameter == "client_data")
    // An enrollment's challenge is none for a sign-in, and the other way round.
    let session = try await harness.signedIn()
    let enrollment = try #require(try await session.prepare(key).response["client_data"]?.stringValue)
    let other = try await app.finish(first, key, id) {
      $0["client_data"] = enrollment
      $0["signature"] = try? key.sign(enrollment)
    }
    #expect(other.code == "trusted_device_binding_mismatch")
    let reverse = try await session.attempt(key, first.challenge)
    #expect(reverse.code == "trusted_device_binding_mismatch")
    #expect(try await app.finish(first, key, id).response["status"] == "complete")
  }

  @Test func anotherCredentialThanTheOneBegunWithDoesNotFit() async throws {
    let harness = try await FrontendHarness()
    let (app, key, id) = try await harness.enrolled()
    let (_, other, otherID) = try await harness.enrolled("noor")
    let begun = try await app.begin(id)
    let answer = try await app.finish(begun, other, otherID)
    #expect(answer.status == 422)
    #expect(answer.code == "trusted_device_binding_mismatch")
    #expect(answer.parameter == "trusted_device_id")
    let wrongKey = try await app.finish(begun, other, id)
    #expect(wrongKey.status == 400)
    #expect(wrongKey.code == "trusted_device_signature_verification_failed")
    #expect(try await app.finish(begun, key, id).response["status"] == "complete")
  }

  @Test func aChallengeSignsInOnce() async throws {
    let harness = try await FrontendHarness()
    let (app, key, id) = try await harness.enrolled()
    let begun = try await app.begin(id)
    #expect(try await app.finish(begun, key, id).status == 200)
    let again = try await app.finish(begun, key, id)
    #expect(again.status == 400)
    #expect(again.code == "trusted_device_challenge_not_found")
    _ = try await app.send("DELETE", "client/sessions")
    #expect(try await app.finish(begun, key, id).code == "trusted_device_challenge_not_found")
    // Neither time nor a clock that goes back makes it good again.
    harness.clock.advance(by: 301)
    #expect(try await app.finish(begun, key, id).code == "trusted_device_challenge_expired")
    _ = try await app.signIn(key, id)
    _ = try await app.send("DELETE", "client/sessions")
    harness.clock.advance(by: -10)
    #expect(try await app.finish(begun, key, id).code == "trusted_device_challenge_not_found")
  }

  @Test func aChallengeExpiresWhenItSays() async throws {
    let harness = try await FrontendHarness { $0.challengeLifetime = .seconds(30) }
    let (app, key, id) = try await harness.enrolled()
    let begun = try await app.begin(id)
    harness.clock.advance(by: 30)
    let late = try await app.finish(begun, key, id)
    #expect(late.status == 400)
    #expect(late.code == "trusted_device_challenge_expired")
    // A fresh one for the same sign-in.
    let fields = [("strategy", "trusted_device"), ("trusted_device_id", id)]
    let path = "client/sign_ins/\(try #require(begun.id))/prepare_first_factor"
    let prepared = try await app.send("POST", path, fields)
    #expect(prepared.response["id"] == begun.response["id"])
    #expect(try await app.finish(prepared, key, id).response["status"] == "complete")
  }

  @Test func aNameMayBeFollowedByADevice() async throws {
    let harness = try await FrontendHarness()
    let (app, key, id) = try await harness.enrolled()
    let named = try await app.send("POST", "client/sign_ins", [("identifier", "mira")])
    let fields = [("strategy", "trusted_device"), ("trusted_device_id", id)]
    let path = "client/sign_ins/\(try #require(named.id))/prepare_first_factor"
    let prepared = try await app.send("POST", path, fields)
    #expect(prepared.challenge?["trusted_device_id"] == .string(id))
    let noor = try await app.send("POST", "client/sign_ins", [("identifier", "noor")])
    let foreign = try await app.send(
      "POST", "client/sign_ins/\(try #require(noor.id))/prepare_first_factor", fields)
    #expect(foreign.code == "trusted_device_binding_mismatch")
    #expect(try await app.finish(prepared, key, id).response["status"] == "complete")
  }

  @Test func aSignInByDeviceTakesNoPassword() async throws {
    let harness = try await FrontendHarness()
    let (app, _, id) = try await harness.enrolled()
    let begun = try await app.begin(id)
    let answer = try await app.send(
      "POST", "client/sign_ins/\(try #require(begun.id))/attempt_first_factor",
      [("strategy", "password"), ("password", Harness.password)])
    #expect(answer.status == 400)
    #expect(answer.code == "verification_failed")
  }

  @Test(arguments: RegistryKind.allCases) func fortySignInsWithOneChallengeMakeOneSession(
    _ kind: RegistryKind
  ) async throws {
    let directory = try TemporaryDirectory()
    // Several sessions are allowed, so that nothing but the challenge keeps them apart.
    let harness = try await FrontendHarness(registry: try kind.make(directory)) { $0.singleSession = false }
    let (app, key, id) = try await harness.enrolled()
    let begun = try await app.begin(id)
    let answers = try await withThrowingTaskGroup(of: FrontendAnswer.self) { group in
      for _ in 0..<40 { group.addTask { try await app.finish(begun, key, id) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count { $0.response["status"] == "complete" } == 1)
    #expect(answers.count { $0.code == "trusted_device_challenge_not_found" } == 39)
    let sessions = try await app.send("GET", "client").response["sessions"]?.arrayValue
    #expect(sessions?.count { $0["status"] == "active" } == 1)
  }

  // MARK: Validating

  @Test func validatingTellsWithoutASession() async throws {
    let harness = try await FrontendHarness()
    let (app, _, id) = try await harness.enrolled()
    func valid(_ id: String) async throws -> JSONValue? {
      let answer = try await app.send("POST", "client/trusted_devices/validate", [("trusted_device_id", id)])
      #expect(answer.response["object"] == "trusted_device_validation")
      return answer.response["valid"]
    }
    #expect(try await valid(id) == true)
    #expect(try await valid("tdc_none") == false)
    #expect(try await valid(String(repeating: "x", count: 1000)) == false)
    _ = try await harness.signedIn().send("DELETE", "me/trusted_devices/\(id)")
    #expect(try await valid(id) == false)
    let missing = try await app.send("POST", "client/trusted_devices/validate")
    #expect(missing.code == "form_param_missing")
    #expect(missing.parameter == "trusted_device_id")
  }
}
