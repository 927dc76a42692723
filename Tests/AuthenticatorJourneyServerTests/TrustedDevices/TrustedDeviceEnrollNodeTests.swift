import AuthenticatorCoding
import AuthenticatorJourneyServer
import Testing

@Suite struct TrustedDeviceEnrollNodeTests {
  @Test func aJourneyEnrolls() async throws {
    let harness = try await Harness.withTrustedDevices()
    let device = try JourneyDevice()
    let page = try await harness.login("MIRA", journey: "EnrollTrustedDevice")
    #expect(page.types == ["MetadataCallback", "HiddenValueCallback"])
    #expect(page.output(1, "id") == "trustedDeviceOutcome")
    let data = try #require(device.data(page)?.objectValue)
    #expect(
      data.names == [
        "_type", "_action", "challenge", "trusted_device_id", "user_id", "username", "policy", "reason", "timeout",
      ])
    #expect(data["_type"] == "TrustedDevice")
    #expect(data["_action"] == "trusted_device_enroll")
    #expect(data["username"] == "mira")
    #expect(data["policy"] == "biometry_or_device_passcode")
    #expect(data["timeout"] == 60)
    let challenge = try #require(data["challenge"]?.objectValue)
    #expect(challenge.names == ["object", "challenge", "challenge_id", "client_data", "expires_at", "algorithm"])
    #expect(challenge["expires_at"] == .integer(harness.clock.now.milliseconds + 60_000))

    #expect(try await harness.answer(page, try device.enrollment(page).serializedString()).token != nil)
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    #expect(data["user_id"] == .string(user.id))
    let stored = try await harness.registry.trustedDevices(ofUser: user.id, realm: harness.realm)
    #expect(stored.map(\.id) == [data["trusted_device_id"]?.stringValue])
    #expect(stored.first?.name == "Desk")
    #expect(stored.first?.publicKey == device.key.key.publicKey.x963Representation)
  }

  @Test func whatAJourneyEnrolledSignsInOverHTTPAndTheOtherWayRound() async throws {
    let harness = try await Harness.withTrustedDevices()
    let device = try JourneyDevice()
    let id = try await harness.enroll(device)
    let app = NativeApp(server: harness.server, installation: nil)
    #expect(try await app.signIn(device.key, id).response["status"] == "complete")
    #expect(try await app.send("GET", "me/trusted_devices").response[0]?["id"] == .string(id))

    let second = try JourneyDevice()
    let other = try #require(try await app.enroll(second.key).id)
    let page = try await harness.start("LoginTrustedDevice")
    #expect(try await harness.answer(page, try second.signIn(page, other).serializedString()).token != nil)
  }

  @Test func nobodyEnrollsForANameThatNobodyHas() async throws {
    let harness = try await Harness.withTrustedDevices()
    let page = try await harness.begin("Enroll", "nobody")
    #expect(page.output(0, "message") == "failure")
  }

  @Test func enrollmentsAreRefused() async throws {
    let harness = try await Harness.withTrustedDevices { $0.quota = 1 }
    let device = try JourneyDevice()
    func refusal(_ bend: (inout JSONObject) throws -> Void) async throws -> String? {
      let page = try await harness.begin("Enroll")
      var answer = try device.enrollment(page)
      try bend(&answer)
      return try await harness.report(page, answer.serializedString())
    }
    for name in ["public_key_jwk", "client_data", "signature", "algorithm", "platform", "app_identifier"] {
      #expect(try await refusal { $0[name] = nil } == "failure form_param_missing")
      #expect(try await refusal { $0[name] = 5 } == "failure form_param_missing")
      #expect(try await refusal { $0[name] = "" } == "failure form_param_missing")
    }
    #expect(try await refusal { $0["public_key_jwk"] = "{}" } == "failure trusted_device_invalid_public_key")
    #expect(try await refusal { $0["client_data"] = "{}" } == "failure trusted_device_invalid_client_data")
    #expect(try await refusal { $0["algorithm"] = "RS256" } == "failure form_param_value_invalid")
    #expect(
      try await refusal { $0["app_identifier"] = "org.example.other" }
        == "failure trusted_device_app_identifier_not_configured")
    let other = try JourneyDevice()
    #expect(
      try await refusal { $0["public_key_jwk"] = .string(other.key.jwk) }
        == "failure trusted_device_signature_verification_failed")
    #expect(try await refusal { _ in } == "success")
    #expect(try await refusal { _ in } == "failure trusted_device_credential_quota_exceeded")
  }

  @Test func aChallengeEndsWithItsTime() async throws {
    let harness = try await Harness.withTrustedDevices()
    let device = try JourneyDevice()
    let page = try await harness.begin("Enroll")
    harness.clock.advance(by: 60)
    let answer = try device.enrollment(page).serializedString()
    #expect(try await harness.report(page, answer) == "failure trusted_device_challenge_expired")
  }

  @Test func aStepEnrollsOnce() async throws {
    let harness = try await Harness.withTrustedDevices()
    let device = try JourneyDevice()
    let page = try await harness.begin("Enroll")
    let text = try device.enrollment(page).serializedString()
    #expect(try await harness.report(page, text) == "success")
    #expect(try await harness.answer(page, text).status == 401)
    // Nor does its signature fit the challenge of another run.
    let next = try await harness.begin("Enroll")
    #expect(try await harness.report(next, text) == "failure trusted_device_invalid_client_data")
  }

  @Test func anInstallationIsEnrolledOnceWhereThatIsTheRule() async throws {
    let harness = try await Harness.withTrustedDevices { $0.enrolledAgain = .refuse }
    for outcome in ["success", "failure trusted_device_already_enrolled"] {
      let device = try JourneyDevice()
      let page = try await harness.begin("Enroll")
      var answer = try device.enrollment(page)
      answer["installation_id"] = "machine"
      #expect(try await harness.report(page, answer.serializedString()) == outcome)
    }
  }

  // MARK: Trees from files

  @Test func treesFromFilesMayHoldTheNodes() throws {
    let tree = """
      {"tree": {"_id": "T", "entryNodeId": "e", "nodes": {
        "e": {"nodeType": "TrustedDeviceEnrollNode", "connections": {"success": "s", "failure": "", "unsupported": "", "clientError": ""}},
        "s": {"nodeType": "TrustedDeviceSignInNode", "connections": {"success": "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"}}}},
       "nodes": {"e": {"policy": "biometry_current_set", "reason": {"en": "Why"}, "timeout": 30}, "s": {"reason": "So"}}}
      """
    let imported = try TreeImport().read([("T", Array(tree.utf8))])
    #expect(imported.map(\.missing) == [[]])
    let bad = tree.replacing("biometry_current_set", with: "anything")
    #expect(throws: JourneyTreeError.self) { try TreeImport().read([("T", Array(bad.utf8))]) }
  }
}
