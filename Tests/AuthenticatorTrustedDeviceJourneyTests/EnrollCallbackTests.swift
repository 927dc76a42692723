import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import AuthenticatorTrustedDeviceJourney
import DeviceAuthenticators
import Testing

@Suite struct EnrollCallbackTests {
  @Test func enrollsInAJourney() async throws {
    let kit = try await JourneyKit()
    let walk = try await kit.walk("EnrollTrustedDevice", .match())
    #expect(walk.isSuccess)
    let record = try #require(try await kit.records().first)
    #expect(record.state == .active)
    let credential = try LocalCredential(record)
    #expect(credential.attributes.hint == "mira")
    #expect(credential.attributes.policy == .biometryOrDevicePasscode)
    #expect(!credential.details.isUnproven)
    #expect(kit.device.verifier.prompts.map(\.reason) == ["Use biometrics to enroll this device."])
    let listed = try await kit.listed()
    #expect(listed.map(\.id) == [credential.id])
    #expect(listed[0].platform == .ios)
    #expect(listed[0].name == "Test device")
  }

  /// What a journey enrolls signs in over the Frontend API, and the other way round.
  @Test func sharesItsCredentialsWithTheFrontendAPI() async throws {
    let kit = try await JourneyKit()
    #expect(try await kit.walk("EnrollTrustedDevice", .match()).isSuccess)
    try await kit.client.refresh()
    kit.device.verifier.script([.match()])
    #expect(try await kit.client.auth.signInWithTrustedDevice(identifierHint: "MIRA").status == .complete)
    #expect(try await kit.client.trustedDevices.reconcile().removed.isEmpty)
    try await kit.client.trustedDevices.revokeCurrentDeviceCredential()
    #expect(try await kit.records().isEmpty)
    kit.device.verifier.script([.match()])
    try await kit.client.trustedDevices.enroll()
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
    // The installation is the same to the server either way: enrolling again replaces.
    kit.device.environment.clock.advance(by: .seconds(1))
    #expect(try await kit.walk("EnrollTrustedDevice", .match()).isSuccess)
    #expect(try await kit.listed().count == 1)
    #expect(try await kit.records().count == 1)
  }

  @Test(arguments: TrustedDeviceEnrollNode.Policy.allCases, TrustedDevicePolicy.known)
  func takesTheStricterPolicy(_ asked: TrustedDeviceEnrollNode.Policy, _ own: TrustedDevicePolicy) async throws {
    let kit = try await JourneyKit(policy: asked)
    #expect(try await kit.walk("Enroll", .match(), policy: own).isSuccess)
    let order = ["biometry_or_device_passcode", "biometry_any", "biometry_current_set"]
    let stricter = max(order.firstIndex(of: asked.rawValue) ?? 0, order.firstIndex(of: own.rawValue) ?? 0)
    #expect(try LocalCredential(try await kit.records()[0]).attributes.policy.rawValue == order[stricter])
  }

  // MARK: Not enrolled

  @Test(arguments: [
    ([ScriptedStep.cancel], AuthenticatorError.Code.userCanceled, "biometric_authentication_canceled"),
    ([.mismatch, .mismatch, .mismatch], .userVerificationFailed, "biometric_authentication_failed"),
  ])
  func tellsTheServerWhatThePersonDid(_ steps: [ScriptedStep], _ code: AuthenticatorError.Code, _ word: String)
    async throws
  {
    let kit = try await JourneyKit()
    let page = try await kit.page("EnrollTrustedDevice")
    kit.device.verifier.script(steps)
    let callback = try #require(page.callback(TrustedDeviceEnrollCallback.self))
    #expect(
      await failure { try await callback.enroll(kit.configuration, node: page, policy: .biometryAny) }?.code == code)
    #expect(page.trustedDeviceOutcome == #"{"error":"\#(word)"}"#)
    #expect(try await kit.records().isEmpty)
    guard case .failure = try await page.next() else {
      Issue.record("the journey went on")
      return
    }
    #expect(try await kit.listed().isEmpty)
  }

  @Test func tellsTheServerWhatTheDeviceCannotDo() async throws {
    let devices: [(ScriptedDevice, String)] = [
      (ScriptedDevice(sensor: .none, passcode: "482913"), "biometric_authentication_unavailable"),
      (ScriptedDevice(sensor: .fingerprint, passcode: "482913"), "biometric_authentication_unavailable"),
      (ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], isLockedOut: true), "biometric_lockout"),
    ]
    for (body, word) in devices {
      let kit = try await JourneyKit(body)
      let walk = try await kit.walk("EnrollTrustedDevice")
      #expect(walk.isFailure)
      #expect(walk.outcomes == [#"{"error":"\#(word)"}"#])
      #expect(try await kit.records().isEmpty)
      #expect(kit.device.verifier.prompts.isEmpty)
    }
    var nameless = try await JourneyKit()
    nameless.configuration.context.environment.appIdentifier = nil
    #expect(try await nameless.walk("EnrollTrustedDevice").outcomes == [#"{"error":"unsupported_platform"}"#])
    let policies = try await JourneyKit()
    let later = TrustedDevicePolicy(rawValue: "later")
    #expect(
      try await policies.walk("EnrollTrustedDevice", policy: later).outcomes == [#"{"error":"policy_unsupported"}"#])
  }

  @Test func forgetsAKeyThatTheServerRefuses() async throws {
    let kit = try await JourneyKit(configure: { $0.quota = 0 })
    let walk = try await kit.walk("EnrollTrustedDevice", .match())
    #expect(walk.isFailure)
    #expect(walk.codes.isEmpty)
    #expect(try await kit.records().isEmpty)
  }

  @Test func keepsTheFormerKeyWhenTheServerRefuses() async throws {
    let kit = try await JourneyKit(configure: { $0.enrolledAgain = .refuse })
    #expect(try await kit.walk("EnrollTrustedDevice", .match()).isSuccess)
    let before = try await kit.records()
    #expect(try await kit.walk("EnrollTrustedDevice", .match()).isFailure)
    #expect(try await kit.records() == before)
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
  }

  @Test func endsWithTheChallenge() async throws {
    let kit = try await JourneyKit()
    let page = try await kit.page("EnrollTrustedDevice")
    let callback = try #require(page.callback(TrustedDeviceEnrollCallback.self))
    kit.device.verifier.script([.noAnswer])
    let clock = kit.device.environment.clock
    let late = Task { @MainActor in
      await clock.waitForSleepers()
      clock.advance(by: .seconds(60))
    }
    let error = await failure { try await callback.enroll(kit.configuration, node: page) }
    await late.value
    #expect(error?.code == .challengeExpired || error?.code == .timedOut)
    #expect(try await kit.records().isEmpty)
    // Too late for another try.
    #expect(await failure { try await callback.enroll(kit.configuration, node: page) }?.code == .challengeExpired)
    #expect(page.trustedDeviceOutcome == #"{"error":"challenge_expired"}"#)
  }

  @Test func mayBeTriedAgainUntilItSucceeded() async throws {
    let kit = try await JourneyKit()
    let page = try await kit.page("EnrollTrustedDevice")
    let callback = try #require(page.callback(TrustedDeviceEnrollCallback.self))
    kit.device.verifier.script([.cancel, .match()])
    #expect(await failure { try await callback.enroll(kit.configuration, node: page) }?.code == .userCanceled)
    try await callback.enroll(kit.configuration, node: page)
    let answer = page.trustedDeviceOutcome
    #expect(await failure { try await callback.enroll(kit.configuration, node: page) }?.code == .invalidRequest)
    #expect(page.trustedDeviceOutcome == answer)
    #expect(callback.outcome == answer)
    guard case .success = try await page.next() else {
      Issue.record("the journey did not succeed")
      return
    }
    #expect(try await kit.records([.active]).count == 1)
  }

  @Test func refusesAConfigurationOfAnotherServerAndNone() async throws {
    var kit = try await JourneyKit()
    let page = try await kit.page("EnrollTrustedDevice")
    let callback = try #require(page.callback(TrustedDeviceEnrollCallback.self))
    #expect(await failure { try await callback.enroll(node: page) }?.code == .invalidRequest)
    kit.configuration.context.instance = "https://other.example.com"
    #expect(await failure { try await callback.enroll(kit.configuration, node: page) }?.code == .invalidRequest)
    #expect(try await kit.records().isEmpty)
  }

  @Test func letsTheAppCarryTheOutcome() async throws {
    let kit = try await JourneyKit()
    let page = try await kit.page("EnrollTrustedDevice")
    let callback = try #require(page.callback(TrustedDeviceEnrollCallback.self))
    kit.device.verifier.script([.match()])
    try await callback.enroll(kit.configuration)
    #expect(page.trustedDeviceOutcome == nil)
    page.trustedDeviceOutcome = callback.outcome
    guard case .success = try await page.next() else {
      Issue.record("the journey did not succeed")
      return
    }
    #expect(try await kit.records([.active]).count == 1)
  }

  // MARK: Lost messages

  @Test(arguments: [InProcessTransport.Loss.request, .answer]) func settlesAnEnrollmentWithoutAnAnswer(
    _ loss: InProcessTransport.Loss
  ) async throws {
    let kit = try await JourneyKit()
    let page = try await kit.page("EnrollTrustedDevice")
    kit.device.verifier.script([.match()])
    try await page.callback(TrustedDeviceEnrollCallback.self)?.enroll(kit.configuration, node: page)
    kit.transport.lose(loss)
    #expect(await failure { try await page.next() }?.code == .transportFailed)
    #expect(try await kit.records([.staged]).count == 1)
    // The list has it by the name that was told beforehand, or never will.
    let listed = try await kit.listed()
    #expect(listed.count == (loss == .answer ? 1 : 0))
    #expect(try await kit.records([.active]).count == (loss == .answer ? 1 : 0))
    kit.device.environment.clock.advance(by: .seconds(600))
    #expect(try await kit.client.trustedDevices.reconcile().pending == 0)
    #expect(try await kit.records().count == (loss == .answer ? 1 : 0))
    if loss == .answer {
      #expect(try !LocalCredential(try await kit.records()[0]).details.isUnproven)
      #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
    }
  }

  @Test func settlesItByTheNextSignIn() async throws {
    let kit = try await JourneyKit()
    let page = try await kit.page("EnrollTrustedDevice")
    kit.device.verifier.script([.match()])
    try await page.callback(TrustedDeviceEnrollCallback.self)?.enroll(kit.configuration, node: page)
    kit.transport.lose(.answer)
    #expect(await failure { try await page.next() }?.code == .transportFailed)
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
    #expect(try await kit.records().map(\.state) == [.active])
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
  }

  @Test(arguments: FaultInjectingKeyStore.Moment.allCases)
  func convergesWhicheverCallOfTheStoreFails(_ moment: FaultInjectingKeyStore.Moment) async throws {
    let dry = try await JourneyKit()
    dry.device.store.repair()
    #expect(try await dry.walk("EnrollTrustedDevice", .match()).isSuccess)
    for place in 0..<dry.device.store.calls.count {
      let kit = try await JourneyKit()
      kit.device.store.repair()
      kit.device.store.failCall(at: place, moment)
      do { _ = try await kit.walk("EnrollTrustedDevice", .match()) } catch {}
      kit.device.store.repair()
      kit.device.environment.clock.advance(by: .seconds(600))
      _ = try await kit.listed()
      let report = try await kit.client.trustedDevices.reconcile()
      #expect(report.pending == 0, "call \(place) \(moment)")
      let listed = Set(try await kit.listed().map(\.id))
      let local = try await kit.records()
      #expect(
        Set(local.compactMap { $0.externalID.map { String(decoding: $0, as: UTF8.self) } }) == listed,
        "call \(place) \(moment)")
      #expect(local.allSatisfy { $0.state == .active }, "call \(place) \(moment)")
    }
  }
}
