import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import DeviceAuthenticators
import Testing

@Suite struct EnrollTests {
  @Test func signsExactlyWhatWasSent() async throws {
    let bench = try Bench()
    try await bench.signIn()
    // Spaces, order, escapes and other scripts: nothing is taken apart and put together again.
    let data = "{ \"z\":1,\"a\" : \"\u{E9}e\u{301}/\\u00e9\",\n\"challenge_id\":\"ch_1\" }"
    bench.script(prepare: Wire.challenge(expires: bench.now.advanced(by: .seconds(300)), data: data))
    bench.script(attempt: "tdc_1")
    bench.device.verifier.perform(.match())
    let device = try await bench.devices.enroll(
      identifierHint: " Mira@Example.COM\n", reason: "Use your finger to sign in.")
    #expect(device.id == "tdc_1")
    let record = try #require(try await bench.records([.active]).first)
    let form = try #require(bench.requests.last?.form)
    #expect(form["client_data"].map { Array($0.utf8) } == Array(data.utf8))
    let signature = try Signature(raw: try Base64URL.decode(try #require(form["signature"])), algorithm: .es256)
    #expect(try record.publicKey.isValidSignature(signature, for: Array(data.utf8)))
    #expect(bench.device.verifier.prompts.map(\.reason) == ["Use your finger to sign in."])
    let credential = try LocalCredential(record)
    #expect(credential.userID == "user_A")
    #expect(credential.attributes.hint == "mira@example.com")
    #expect(credential.attributes.policy == .biometryOrDevicePasscode)
    #expect(
      record.owner
        == KeyOwner(
          instance: Bench.server, family: .trustedDevice, party: "com.example.app", account: Array("user_A".utf8)))
    #expect(record.journal.isEmpty)
    #expect(try await bench.records().count == 1)
    #expect(bench.events.all.last == .enrolled(id: "tdc_1", isRecovered: false))
  }

  @Test(arguments: [
    (
      TrustedDevicePolicy.biometryCurrentSet, AuthenticatorType.biometricOnly, KeyAccess.EnrollmentPolicy.currentSet,
      false
    ),
    (.biometryAny, .biometricOnly, .ignored, false),
    (.biometryOrDevicePasscode, .biometricAllowFallback, .ignored, true),
  ])
  func guardsTheKeyAsThePolicySays(
    _ policy: TrustedDevicePolicy, _ type: AuthenticatorType, _ reaction: KeyAccess.EnrollmentPolicy,
    _ admitsPasscode: Bool
  ) async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll(policy: policy)
    let record = try #require(try await bench.records([.active]).first)
    #expect(record.authenticator == type)
    #expect(record.access.enrollment == reaction)
    #expect(record.access.gate == .verified(VerificationMethod.biometrics.union(admitsPasscode ? [.passcode] : [])))
    #expect(record.access.requiresHardware)
    #expect(try LocalCredential(record).attributes.policy == policy)
  }

  @Test func takesTheConfigurationsPolicyAndName() async throws {
    let bench = try Bench(configure: { $0.defaultPolicy = .biometryCurrentSet })
    try await bench.signIn()
    bench.script()
    bench.script(attempt: "tdc_1", name: "Kitchen")
    bench.device.verifier.perform(.match())
    try await bench.devices.enroll(deviceName: "Kitchen")
    #expect(bench.requests.last?.form["name"] == "Kitchen")
    #expect(try await bench.records()[0].access.enrollment == .currentSet)
    #expect(bench.device.verifier.prompts.map(\.reason) == ["Use biometrics to enroll this device."])
  }

  @Test func letsThePasscodeStandInForTheFingerUnderTheDefaultPolicy() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.script()
    bench.script(attempt: "tdc_1")
    bench.device.verifier.perform(.fallback, .passcode("482913"))
    try await bench.devices.enroll()
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  @Test func worksWithTasksLeft() async throws {
    let bench = try Bench()
    try await bench.signIn(status: "pending")
    try await bench.enroll()
    #expect(try await bench.activeIDs() == ["tdc_1"])
    #expect(bench.requests.suffix(2).map(\.line).allSatisfy { $0.hasPrefix("POST /v1/me/trusted_devices/") })
  }

  // MARK: Replacing

  @Test func replacesTheUsersOwnCredential() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll("tdc_1")
    try await bench.enroll("tdc_2")
    #expect(try await bench.activeIDs() == ["tdc_2"])
    #expect(try await bench.records().count == 1)
    // The server has replaced its own by itself.
    #expect(!bench.requests.contains { $0.method == "DELETE" })
    #expect(bench.events.all.contains(.removed(id: "tdc_1", reason: .replaced)))
  }

  @Test(arguments: TrustedDeviceConfiguration.ReplaceScope.allCases)
  func replacesOthersOnlyWhenAsked(_ scope: TrustedDeviceConfiguration.ReplaceScope) async throws {
    let bench = try Bench(configure: { $0.replaceScope = scope })
    try await bench.signIn("user_A")
    try await bench.enroll("tdc_1")
    try await bench.signIn("user_B", session: "sess_B")
    try await bench.enroll("tdc_2")
    #expect(try await bench.activeIDs() == (scope == .user ? ["tdc_1", "tdc_2"] : ["tdc_2"]))
    // The other user's credential can only be revoked by a session of that user.
    #expect(!bench.requests.contains { $0.method == "DELETE" })
    let revoked = Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now))
    if scope == .installation {
      try await bench.signIn("user_A", session: "sess_C", settling: revoked)
    } else {
      try await bench.signIn("user_A", session: "sess_C")
    }
    #expect(bench.requests.contains { $0.line == "DELETE /v1/me/trusted_devices/tdc_1" } == (scope == .installation))
  }

  @Test func leavesOtherAppsServersAndProtocolsAlone() async throws {
    let bench = try Bench(configure: { $0.replaceScope = .installation })
    let others = [
      KeyOwner(
        instance: Bench.server, family: .trustedDevice, party: "com.example.other", account: Array("user_A".utf8)),
      KeyOwner(
        instance: "https://other.example.com", family: .trustedDevice, party: "com.example.app",
        account: Array("user_A".utf8)),
      KeyOwner(instance: Bench.server, family: .deviceBinding, party: "com.example.app", account: Array("user_A".utf8)),
    ]
    for owner in others {
      let record = try await bench.device.store.stage(
        KeyRequest(owner: owner, algorithms: [.es256]), as: .biometricOnly,
        access: KeyAccess(gate: .verified([.fingerprint])), enrollmentState: nil, ticket: nil)
      _ = try await bench.device.store.commit(record.tag, externalID: Array("x\(record.tag)".utf8), details: [])
    }
    let before = try await bench.records()
    try await bench.signIn()
    try await bench.enroll("tdc_1")
    try await bench.devices.forgetLocalCredentials(userID: "user_A")
    #expect(try await bench.records() == before)
  }

  @Test func takesUpANameThatTheServerUsesAgain() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll("tdc_1")
    let first = try await bench.records()[0]
    try await bench.enroll("tdc_1")
    let second = try await bench.records()
    #expect(second.count == 1)
    #expect(second[0].publicKey != first.publicKey)
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  @Test func refusesANameThatIsAnotherUsersHere() async throws {
    let bench = try Bench()
    try await bench.signIn("user_A")
    try await bench.enroll("tdc_1")
    let before = try await bench.records()
    try await bench.signIn("user_B", session: "sess_B")
    #expect(await failure { try await bench.enroll("tdc_1") }?.code == .invalidMessage)
    #expect(try await bench.records() == before)
    #expect(!bench.requests.contains { $0.method == "DELETE" })
  }

  @Test func keepsAReplacedKeyThatCannotBeDestroyedOutOfUse() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll("tdc_1")
    bench.device.store.fail(.delete)
    try await bench.enroll("tdc_2")
    #expect(try await bench.activeIDs() == ["tdc_2"])
    #expect(try await bench.records().count == 2)
    #expect(bench.events.all.contains(.postponed(.removal, code: .storageFailed)))
    bench.device.store.repair()
    let later = bench.restarted()
    try await later.client.start()
    #expect(try await later.records().count == 1)
    #expect(try await later.activeIDs() == ["tdc_2"])
  }
}

extension FrontendAuth {
  /// Signs in without ever having loaded the settings.
  func signInLike(_ bench: Bench) async throws {
    bench.transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: "sess_A"),
        client: Wire.client(sessions: [Wire.session("sess_A", user: "user_A")], last: "sess_A")))
    try await signIn(identifier: "mira", password: "x")
  }
}

/// A device without key hardware.
struct SoftwareBench {
  let device: TestDevice
  let transport = ScriptedTransport()
  let client: TrustedDeviceClient

  init(allowsSoftwareKeys: Bool) throws {
    device = try TestDevice(instance: Bench.server, providers: [SoftwareKeys.provider])
    var configuration = try TrustedDeviceConfiguration(server: Bench.server)
    configuration.authenticators = TrustedDeviceAuthenticators(
      BiometricAuthenticatorConfig(allowsSoftwareKeys: allowsSoftwareKeys))
    client = TrustedDeviceClient(
      configuration, transport: transport, keyStore: device.store, verifier: device.verifier,
      environment: device.context.environment)
  }

  func signIn() async throws {
    transport.add(json: Wire.environment())
    try await client.refresh()
    transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: "sess_A"),
        client: Wire.client(sessions: [Wire.session("sess_A", user: "user_A")], last: "sess_A")))
    try await client.auth.signIn(identifier: "mira", password: "x")
  }
}
