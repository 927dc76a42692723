import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

@Suite struct SignInTests {
  /// Enrolled and signed out.
  func enrolled(
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

  /// A device that is enrolled does not say that it is not.
  @Test func saysThatNoCredentialFitsWhatIsAskedFor() async throws {
    let bench = try await enrolled()
    for (id, hint, reason) in [
      ("zzz", nil, "no credential here has this id"), (nil, "nobody", "no credential here has this hint"),
      ("zzz", "nobody", "no credential here has this id and this hint"),
    ] as [(String?, String?, String)] {
      let error = await failure { try await bench.client.auth.signInWithTrustedDevice(id: id, identifierHint: hint) }
      #expect(error?.code == .noLocalCredential)
      #expect(error?.reason == reason)
    }
    try await bench.signIn("user_B", session: "sess_B")
    for (id, reason) in [
      (nil, "no credential here is the signed-in user's"),
      ("tdc_1", "no credential here with this id is the signed-in user's"),
    ] as [(String?, String)] {
      let error = await failure { try await bench.client.auth.signInWithTrustedDevice(id: id) }
      #expect(error?.code == .noLocalCredential)
      #expect(error?.reason == reason)
    }
  }

  @Test func separatesLockoutNotEnrolledAndVoid() async throws {
    let away = try await enrolled(policy: .biometryAny)
    try away.device.verifier.remove("right-index")
    let none = await failure { try await away.client.auth.signInWithTrustedDevice() }
    #expect(none?.code == .biometryNotEnrolled)
    #expect(none?.trustedDevice?.unavailableReason == .biometricAuthenticationUnavailable)
    #expect(try await away.activeIDs() == ["tdc_1"])

    let other = { (body: ScriptedDevice) in try TestDevice(body, instance: Bench.server).verifier }
    let bare = away.restarted(verifier: try other(ScriptedDevice(sensor: .none, passcode: "482913")))
    let absent = await failure { try await bare.client.auth.signInWithTrustedDevice() }
    #expect(absent?.code == .verifierUnavailable)
    #expect(absent?.reason == "there is no usable biometric sensor")
    let dead = away.restarted(
      verifier: try other(ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], isSensorAvailable: false)))
    #expect(await failure { try await dead.client.auth.signInWithTrustedDevice() }?.code == .verifierUnavailable)

    let unread = try await enrolled(policy: .biometryCurrentSet)
    let blind = unread.restarted(
      verifier: try other(ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], domainState: .unreadable)))
    let unreadable = await failure { try await blind.client.auth.signInWithTrustedDevice() }
    #expect(unreadable?.code == .enrollmentStateUnreadable)
    #expect(unreadable?.trustedDevice?.unavailableReason == .biometricAuthenticationUnavailable)
    #expect(try await blind.activeIDs() == ["tdc_1"])

    let void = try await enrolled(policy: .biometryCurrentSet)
    try void.device.verifier.enroll("left-thumb")
    let count = void.requests.count
    let error = await failure { try await void.client.auth.signInWithTrustedDevice() }
    #expect(error?.code == .keyInvalidated)
    #expect(error?.trustedDevice?.unavailableReason == .localKeyMissing)
    #expect(error?.trustedDevice?.removedLocalState == true)
    #expect(void.requests.count == count)
    #expect(void.events.all.last == .removed(id: "tdc_1", reason: .keyInvalidated))
    #expect(try await void.records().isEmpty)
    #expect(try await void.devices.reconcile().pending == 1)
    #expect(try await void.devices.availability() == .unavailable(.noLocalCredential))
  }

  /// What is to be revoked cannot be written down, or the list of it is full: the row remembers it, nothing else is
  /// forgotten for it, and nobody says that the key is gone.
  @Test(arguments: [false, true]) func keepsTheRowOfWhatCannotBeWrittenDown(_ isFull: Bool) async throws {
    let bench = try await enrolled(policy: .biometryCurrentSet)
    let item = CredentialScope(instance: Bench.server, party: "com.example.app").item("pending")
    let full = JSONValue.array((1000..<2363).map { ["revoke": .string("tdc_other_\($0)"), "user": "user_B"] })
      .serialized()
    if isFull { try await bench.device.store.setItem(item, to: full) } else { bench.device.store.fail(.exchangeItem) }
    try bench.device.verifier.enroll("left-thumb")
    let error = await failure { try await bench.client.auth.signInWithTrustedDevice() }
    #expect(error?.code == .keyInvalidated)
    #expect(error?.trustedDevice?.removedLocalState == false)
    #expect(!bench.events.all.contains(.removed(id: "tdc_1", reason: .keyInvalidated)))
    #expect(bench.events.all.contains(.postponed(.saving, code: .storageFailed)))
    #expect(try await bench.records().map(\.state) == [.revoking])
    bench.device.store.repair()
    if isFull { #expect(try await bench.device.store.item(item) == full) }
    try await bench.signIn(settling: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now)))
    #expect(bench.requests.last?.line == "DELETE /v1/me/trusted_devices/tdc_1")
    #expect(try await bench.records().isEmpty)
  }

  /// A full list of open work costs neither another user's revocation nor the withdrawal of what cannot be destroyed.
  @Test func bearsAFullListOfOpenWork() async throws {
    let bench = try Bench(configure: { $0.replaceScope = .installation })
    try await bench.signIn("user_A")
    try await bench.enroll("tdc_1")
    try await bench.signIn("user_B", session: "sess_B")
    let item = CredentialScope(instance: Bench.server, party: "com.example.app").item("pending")
    let full = JSONValue.array((1000..<2363).map { ["revoke": .string("tdc_other_\($0)"), "user": "user_C"] })
      .serialized()
    try await bench.device.store.setItem(item, to: full)
    try await bench.enroll("tdc_2")
    #expect(try await bench.records([.revoking]).map(\.externalID) == [Array("tdc_1".utf8)])
    #expect(try await bench.activeIDs() == ["tdc_2"])
    bench.device.store.fail(.delete)
    bench.transport.add(json: Wire.envelope(Wire.device("tdc_2", status: "revoked", at: bench.now)))
    try await bench.devices.revoke(id: "tdc_2")
    bench.device.store.repair()
    #expect(try await bench.activeIDs().isEmpty)
    #expect(try await bench.device.store.item(item) == full)
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
}
