import AuthenticatorCoding
import AuthenticatorJourneyServer
import Testing

@Suite struct TrustedDeviceSignInNodeTests {
  @Test func theCredentialSaysWhoSignsIn() async throws {
    let harness = try await Harness.withTrustedDevices()
    let device = try JourneyDevice()
    let id = try await harness.enroll(device)
    harness.clock.advance(by: 30)
    let page = try await harness.start("LoginTrustedDevice")
    let data = try #require(device.data(page)?.objectValue)
    #expect(data.names == ["_type", "_action", "challenge", "reason", "timeout"])
    #expect(data["_action"] == "trusted_device_sign_in")
    #expect(data["challenge"]?["trusted_device_id"] == nil)
    let done = try await harness.answer(page, try device.signIn(page, id).serializedString())
    let token = try #require(done.token)
    let info = try await harness.send(
      "POST", Harness.base + "/sessions", query: "_action=getSessionInfo", session: token, body: Array("{}".utf8))
    #expect(info.body["username"] == "mira")
    let stored = try await harness.registry.trustedDevice(id, realm: harness.realm)
    #expect(stored?.lastUsedAt == harness.clock.now)
  }

  @Test func aNameNarrowsItDown() async throws {
    let harness = try await Harness.withTrustedDevices()
    let device = try JourneyDevice()
    let id = try await harness.enroll(device)
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    let own = try await harness.begin("SignIn", "mira")
    #expect(device.data(own)?["user_id"] == .string(user.id))
    #expect(try await harness.report(own, try device.signIn(own, id).serializedString()) == "success")
    let foreign = try await harness.begin("SignIn", "noor")
    #expect(
      try await harness.report(foreign, try device.signIn(foreign, id).serializedString())
        == "failure trusted_device_binding_mismatch")
    // A name that nobody has looks like one that somebody has, always the same.
    let (first, second) = (try await harness.begin("SignIn", "nobody"), try await harness.begin("SignIn", "Nobody"))
    let made = try #require(device.data(first)?["user_id"]?.stringValue)
    #expect(made.utf8.count == user.id.utf8.count)
    #expect(device.data(second)?["user_id"] == .string(made))
  }

  @Test func signInsAreRefused() async throws {
    let harness = try await Harness.withTrustedDevices()
    let device = try JourneyDevice()
    let id = try await harness.enroll(device)
    func refusal(_ bend: (inout JSONObject) throws -> Void) async throws -> String? {
      let page = try await harness.begin("SignInNameless")
      var answer = try device.signIn(page, id)
      try bend(&answer)
      return try await harness.report(page, answer.serializedString())
    }
    for name in ["trusted_device_id", "client_data", "signature", "algorithm", "app_identifier"] {
      #expect(try await refusal { $0[name] = nil } == "failure form_param_missing")
    }
    #expect(try await refusal { $0["trusted_device_id"] = "tdc_none" } == "failure form_resource_not_found")
    #expect(try await refusal { $0["client_data"] = "{}" } == "failure trusted_device_invalid_client_data")
    #expect(try await refusal { $0["app_identifier"] = "other" } == "failure trusted_device_binding_mismatch")
    #expect(try await refusal { $0["algorithm"] = "none" } == "failure form_param_value_invalid")
    let forged = try DeviceKey()
    #expect(
      try await refusal { $0["signature"] = .string(try forged.sign($0["client_data"]?.stringValue ?? "")) }
        == "failure trusted_device_signature_verification_failed")
    #expect(try await refusal { _ in } == "success")
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    _ = try await harness.server.setActive(false, userNamed: "mira", in: harness.realm)
    #expect(try await refusal { _ in } == "failure user_banned")
    _ = try await harness.server.setActive(true, userNamed: "mira", in: harness.realm)
    _ = try await harness.registry.revokeTrustedDevice(id, ofUser: user.id, realm: harness.realm, at: harness.clock.now)
    #expect(try await refusal { _ in } == "failure trusted_device_not_registered")
  }

  @Test func aSignatureIsGoodForOneStep() async throws {
    let harness = try await Harness.withTrustedDevices()
    let device = try JourneyDevice()
    let id = try await harness.enroll(device)
    let page = try await harness.start("LoginTrustedDevice")
    let text = try device.signIn(page, id).serializedString()
    #expect(try await harness.answer(page, text).token != nil)
    #expect(try await harness.answer(page, text).status == 401)
    #expect(try await harness.answer(try await harness.start("LoginTrustedDevice"), text).status == 401)
  }

  @Test(arguments: RegistryKind.allCases) func fortyAnswersToOneStepMakeOneSession(_ kind: RegistryKind) async throws {
    let directory = try TemporaryDirectory()
    let harness = try await Harness.withTrustedDevices(try kind.make(directory))
    let device = try JourneyDevice()
    let id = try await harness.enroll(device)
    let page = try await harness.start("LoginTrustedDevice")
    let step = page.filled([1: ["": .string(try device.signIn(page, id).serializedString())]])
    let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<40 { group.addTask { try await harness.post(step).token } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(tokens.count { $0 != nil } == 1)
  }

  // MARK: What a client reports

  @Test(arguments: [
    (#"{"error":"unsupported_platform"}"#, "unsupported unsupported_platform"),
    (
      #"{"error":"biometric_authentication_unavailable"}"#, "unsupported biometric_authentication_unavailable"
    ),
    (#"{"error":"passcode_not_set"}"#, "unsupported passcode_not_set"),
    (#"{"error":"secure_key_storage_unavailable"}"#, "unsupported secure_key_storage_unavailable"),
    (#"{"error":"policy_unsupported"}"#, "unsupported policy_unsupported"),
    (#"{"error":"biometric_authentication_canceled"}"#, "clientError biometric_authentication_canceled"),
    (#"{"error":"biometric_authentication_failed"}"#, "clientError biometric_authentication_failed"),
    (#"{"error":"timeout","more":[1]}"#, "clientError timeout"), (#"{"error":"word_of_9"}"#, "clientError word_of_9"),
    ("", "unsupported"), ("trustedDeviceOutcome", "unsupported"),
    (#"{"error":""}"#, "failure request_body_invalid"), (#"{"error":"No such"}"#, "failure request_body_invalid"),
    (#"{"error":7}"#, "failure request_body_invalid"), ("no JSON", "failure request_body_invalid"),
    ("[]", "failure request_body_invalid"), (#"{"a":{"b":{"c":1}}}"#, "failure request_body_invalid"),
    (#"{"error":"a","error":"b"}"#, "failure request_body_invalid"), ("{}", "failure form_param_missing"),
    (#"{"name":"\#(String(repeating: "n", count: 8192))"}"#, "failure request_body_invalid"),
  ]) func whatAClientReportsLeadsOn(_ text: String, _ outcome: String) async throws {
    let harness = try await Harness.withTrustedDevices()
    for journey in ["Enroll", "SignIn"] {
      #expect(try await harness.report(try await harness.begin(journey), text) == outcome)
    }
  }

  @Test func aMissingKeyIsUnsupportedForSigningInOnly() async throws {
    let harness = try await Harness.withTrustedDevices()
    for word in ["no_local_credential", "key_not_found", "key_invalidated"] {
      let text = #"{"error":"\#(word)"}"#
      #expect(try await harness.report(try await harness.begin("SignIn"), text) == "unsupported \(word)")
      #expect(try await harness.report(try await harness.begin("Enroll"), text) == "clientError \(word)")
    }
  }

  @Test func nothingIsAskedWhereTheFeatureIsOff() async throws {
    let harness = try await Harness.withTrustedDevices { $0.trustedDevices = false }
    for journey in ["Enroll", "SignIn", "SignInNameless"] {
      #expect(try await harness.begin(journey).output(0, "message") == "unsupported")
    }
  }
}
