import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

/// A client that answers the page of a trusted-device node, written from the documentation.
private struct JourneyDevice {
  let key: DeviceKey

  init() throws { key = try DeviceKey() }

  func data(_ page: Answer) -> JSONValue? { page.output(0, "data") }

  func enrollment(_ page: Answer) throws -> JSONObject {
    let text = try #require(data(page)?["challenge"]?["client_data"]?.stringValue)
    return [
      "public_key_jwk": .string(key.jwk), "client_data": .string(text), "signature": .string(try key.sign(text)),
      "algorithm": "ES256", "platform": "linux", "app_identifier": .string(key.application), "name": "Desk",
    ]
  }

  func signIn(_ page: Answer, _ id: String) throws -> JSONObject {
    let text = try #require(data(page)?["challenge"]?["client_data"]?.stringValue)
    return [
      "trusted_device_id": .string(id), "client_data": .string(text), "signature": .string(try key.sign(text)),
      "algorithm": "ES256", "app_identifier": .string(key.application),
    ]
  }
}

@Suite struct TrustedDeviceNodeTests {
  /// A tree that ends with a page naming the outcome of the node and the reasons in the shared state.
  private struct Report: TreeNode {
    static let nodeType = "Report"
    let outcomes: [NodeOutcome] = [.outcome]
    let outcome: String

    func process(_ context: inout NodeContext) async throws -> NodeResult {
      guard context.answers == nil else { return .done(.outcome) }
      let reason = context.state.shared["trustedDeviceFailure"] ?? context.state.shared["trustedDeviceClientError"]
      return .ask([.textOutput([outcome, reason?.stringValue].compactMap { $0 }.joined(separator: " "))])
    }
  }

  private func tree(_ name: String, _ node: any TreeNode, asksName: Bool) throws -> JourneyTree {
    let ends = node.outcomes.map { TreeStep($0.rawValue, Report(outcome: $0.rawValue)).next(.failure) }
    let step = node.outcomes.reduce(TreeStep("node", node)) { $0.on($1, to: .step($1.rawValue)) }
    return try JourneyTree(name) {
      if asksName { TreeStep("name", UsernameCollector()).next("node") }
      step
      ends
    }
  }

  private func harness(
    _ registry: any JourneyRegistry = InMemoryRegistry(), _ adjust: (inout TrustedDeviceSettings) -> Void = { _ in }
  ) async throws -> Harness {
    let trees =
      try BuiltInJourneys.all() + [
        tree("Enroll", TrustedDeviceEnrollNode(), asksName: true),
        tree("SignIn", TrustedDeviceSignInNode(), asksName: true),
        tree("SignInNameless", TrustedDeviceSignInNode(), asksName: false),
      ]
    return try await Harness(journeys: trees, registry: registry) { configuration in
      configuration.trustedDevices.realm = Realm("/alpha")
      adjust(&configuration.trustedDevices)
    }
  }

  private func start(_ harness: Harness, _ journey: String, _ name: String = "mira") async throws -> Answer {
    let first = try await harness.start(journey)
    return first.types == ["NameCallback"] ? try await harness.post(first.filled([0: ["": .string(name)]])) : first
  }

  private func answer(_ harness: Harness, _ page: Answer, _ text: String) async throws -> Answer {
    try await harness.post(page.filled([1: ["": .string(text)]]))
  }

  /// The outcome and reason that a report names.
  private func report(_ harness: Harness, _ page: Answer, _ text: String) async throws -> String? {
    try await answer(harness, page, text).output(0, "message")?.stringValue
  }

  /// Enrolls through the built-in journey; returns the credential's id.
  private func enroll(_ harness: Harness, _ device: JourneyDevice, _ name: String = "mira") async throws -> String {
    let page = try await harness.login(name, journey: "EnrollTrustedDevice")
    let done = try await answer(harness, page, try device.enrollment(page).serializedString())
    #expect(done.token != nil)
    return try #require(device.data(page)?["trusted_device_id"]?.stringValue)
  }

  // MARK: Enrolling

  @Test func aJourneyEnrolls() async throws {
    let harness = try await harness()
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

    #expect(try await answer(harness, page, try device.enrollment(page).serializedString()).token != nil)
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    #expect(data["user_id"] == .string(user.id))
    let stored = try await harness.registry.trustedDevices(ofUser: user.id, realm: harness.realm)
    #expect(stored.map(\.id) == [data["trusted_device_id"]?.stringValue])
    #expect(stored.first?.name == "Desk")
    #expect(stored.first?.publicKey == device.key.key.publicKey.x963Representation)
  }

  @Test func whatAJourneyEnrolledSignsInOverHTTPAndTheOtherWayRound() async throws {
    let harness = try await harness()
    let device = try JourneyDevice()
    let id = try await enroll(harness, device)
    let app = NativeApp(server: harness.server, installation: nil)
    #expect(try await app.signIn(device.key, id).response["status"] == "complete")
    #expect(try await app.send("GET", "me/trusted_devices").response[0]?["id"] == .string(id))

    let second = try JourneyDevice()
    let other = try #require(try await app.enroll(second.key).id)
    let page = try await harness.start("LoginTrustedDevice")
    #expect(try await answer(harness, page, try second.signIn(page, other).serializedString()).token != nil)
  }

  @Test func nobodyEnrollsForANameThatNobodyHas() async throws {
    let harness = try await harness()
    let page = try await start(harness, "Enroll", "nobody")
    #expect(page.output(0, "message") == "failure")
  }

  @Test func enrollmentsAreRefused() async throws {
    let harness = try await harness { $0.quota = 1 }
    let device = try JourneyDevice()
    func refusal(_ bend: (inout JSONObject) throws -> Void) async throws -> String? {
      let page = try await start(harness, "Enroll")
      var answer = try device.enrollment(page)
      try bend(&answer)
      return try await report(harness, page, answer.serializedString())
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
    let harness = try await harness()
    let device = try JourneyDevice()
    let page = try await start(harness, "Enroll")
    harness.clock.advance(by: 60)
    let answer = try device.enrollment(page).serializedString()
    #expect(try await report(harness, page, answer) == "failure trusted_device_challenge_expired")
  }

  @Test func aStepEnrollsOnce() async throws {
    let harness = try await harness()
    let device = try JourneyDevice()
    let page = try await start(harness, "Enroll")
    let text = try device.enrollment(page).serializedString()
    #expect(try await report(harness, page, text) == "success")
    #expect(try await answer(harness, page, text).status == 401)
    // Nor does its signature fit the challenge of another run.
    let next = try await start(harness, "Enroll")
    #expect(try await report(harness, next, text) == "failure trusted_device_invalid_client_data")
  }

  @Test func anInstallationIsEnrolledOnceWhereThatIsTheRule() async throws {
    let harness = try await harness { $0.enrolledAgain = .refuse }
    for outcome in ["success", "failure trusted_device_already_enrolled"] {
      let device = try JourneyDevice()
      let page = try await start(harness, "Enroll")
      var answer = try device.enrollment(page)
      answer["installation_id"] = "machine"
      #expect(try await report(harness, page, answer.serializedString()) == outcome)
    }
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
    let harness = try await harness()
    for journey in ["Enroll", "SignIn"] {
      #expect(try await report(harness, try await start(harness, journey), text) == outcome)
    }
  }

  @Test func aMissingKeyIsUnsupportedForSigningInOnly() async throws {
    let harness = try await harness()
    for word in ["no_local_credential", "key_not_found", "key_invalidated"] {
      let text = #"{"error":"\#(word)"}"#
      #expect(try await report(harness, try await start(harness, "SignIn"), text) == "unsupported \(word)")
      #expect(try await report(harness, try await start(harness, "Enroll"), text) == "clientError \(word)")
    }
  }

  @Test func nothingIsAskedWhereTheFeatureIsOff() async throws {
    let harness = try await harness { $0.trustedDevices = false }
    for journey in ["Enroll", "SignIn", "SignInNameless"] {
      #expect(try await start(harness, journey).output(0, "message") == "unsupported")
    }
  }

  // MARK: Signing in

  @Test func theCredentialSaysWhoSignsIn() async throws {
    let harness = try await harness()
    let device = try JourneyDevice()
    let id = try await enroll(harness, device)
    harness.clock.advance(by: 30)
    let page = try await harness.start("LoginTrustedDevice")
    let data = try #require(device.data(page)?.objectValue)
    #expect(data.names == ["_type", "_action", "challenge", "reason", "timeout"])
    #expect(data["_action"] == "trusted_device_sign_in")
    #expect(data["challenge"]?["trusted_device_id"] == nil)
    let done = try await answer(harness, page, try device.signIn(page, id).serializedString())
    let token = try #require(done.token)
    let info = try await harness.send(
      "POST", Harness.base + "/sessions", query: "_action=getSessionInfo", session: token, body: Array("{}".utf8))
    #expect(info.body["username"] == "mira")
    let stored = try await harness.registry.trustedDevice(id, realm: harness.realm)
    #expect(stored?.lastUsedAt == harness.clock.now)
  }

  @Test func aNameNarrowsItDown() async throws {
    let harness = try await harness()
    let device = try JourneyDevice()
    let id = try await enroll(harness, device)
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    let own = try await start(harness, "SignIn", "mira")
    #expect(device.data(own)?["user_id"] == .string(user.id))
    #expect(try await report(harness, own, try device.signIn(own, id).serializedString()) == "success")
    let foreign = try await start(harness, "SignIn", "noor")
    #expect(
      try await report(harness, foreign, try device.signIn(foreign, id).serializedString())
        == "failure trusted_device_binding_mismatch")
    // A name that nobody has looks like one that somebody has, always the same.
    let (first, second) = (try await start(harness, "SignIn", "nobody"), try await start(harness, "SignIn", "Nobody"))
    let made = try #require(device.data(first)?["user_id"]?.stringValue)
    #expect(made.utf8.count == user.id.utf8.count)
    #expect(device.data(second)?["user_id"] == .string(made))
  }

  @Test func signInsAreRefused() async throws {
    let harness = try await harness()
    let device = try JourneyDevice()
    let id = try await enroll(harness, device)
    func refusal(_ bend: (inout JSONObject) throws -> Void) async throws -> String? {
      let page = try await start(harness, "SignInNameless")
      var answer = try device.signIn(page, id)
      try bend(&answer)
      return try await report(harness, page, answer.serializedString())
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
    let harness = try await harness()
    let device = try JourneyDevice()
    let id = try await enroll(harness, device)
    let page = try await harness.start("LoginTrustedDevice")
    let text = try device.signIn(page, id).serializedString()
    #expect(try await answer(harness, page, text).token != nil)
    #expect(try await answer(harness, page, text).status == 401)
    #expect(try await answer(harness, try await harness.start("LoginTrustedDevice"), text).status == 401)
  }

  @Test(arguments: RegistryKind.allCases) func fortyAnswersToOneStepMakeOneSession(_ kind: RegistryKind) async throws {
    let directory = try TemporaryDirectory()
    let harness = try await harness(try kind.make(directory))
    let device = try JourneyDevice()
    let id = try await enroll(harness, device)
    let page = try await harness.start("LoginTrustedDevice")
    let step = page.filled([1: ["": .string(try device.signIn(page, id).serializedString())]])
    let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<40 { group.addTask { try await harness.post(step).token } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(tokens.count { $0 != nil } == 1)
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
