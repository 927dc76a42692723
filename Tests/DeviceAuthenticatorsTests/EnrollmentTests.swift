import AuthenticatorCore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// What a changed set of enrolled biometrics does, by each key's own rule.
@Suite struct EnrollmentTests {
  @Test func comparedDeletesThatKeyAndAsksToBindAgain() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.allowFallback)
    let other = try await device.bind(device.allowFallback, owner: device.owner("bob"))
    try device.verifier.enroll("left-thumb")
    let prompts = device.verifier.prompts.count
    let request = try device.signing(record)
    #expect(await code { try await device.allowFallback.authenticate(request) } == .deviceNotRegistered)
    #expect(try await device.store.record(record.tag) == nil)
    #expect(try await device.store.record(other.tag) != nil)
    #expect(device.verifier.prompts.count == prompts)
    #expect(device.environment.events.contains(.enrollmentChanged(record.tag, policy: .compared)))
  }

  @Test func comparedNoticesThatNoBiometricsAreLeft() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.allowFallback)
    try device.verifier.remove("right-index")
    let request = try device.signing(record)
    #expect(await code { try await device.allowFallback.authenticate(request) } == .deviceNotRegistered)
    #expect(try await device.store.record(record.tag) == nil)
  }

  @Test func withoutAStoredSetTheComparisonIsSkipped() async throws {
    let device = try TestDevice(
      ScriptedDevice(sensor: .fingerprint, passcode: "482913", steps: [.passcode("482913"), .passcode("482913")]))
    let record = try await device.bind(device.allowFallback)
    #expect(record.enrollmentState == nil)
    #expect(record.access.gate == .verified([.passcode]))
    try device.verifier.enroll("right-index")
    #expect(try await device.signIn(device.allowFallback, record)?.methods == [.passcode])
  }

  @Test func currentSetInvalidatesAndDeletesNothing() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    try device.verifier.enroll("left-thumb")
    let request = try device.signing(record)
    #expect(await code { try await device.biometricOnly.authenticate(request) } == .keyInvalidated)
    #expect(try await device.store.record(record.tag)?.state == .active)
    #expect(await device.biometricOnly.health(of: record).state == .changed)
    #expect(device.verifier.prompts.count == 1)
  }

  @Test func aKeyThatMetAChangedSetStaysClosedWhenTheSetComesBack() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.biometricOnly)
    try device.verifier.enroll("left-thumb")
    let request = try device.signing(record)
    #expect(await code { try await device.biometricOnly.authenticate(request) } == .keyInvalidated)
    try device.verifier.remove("left-thumb")
    device.verifier.script([.match(), .match()])
    #expect(await device.biometricOnly.health(of: record).state == .changed)
    // Whoever knows the record of now is told before anything is shown; an old copy gets no further than the store.
    let current = try #require(try await device.store.record(record.tag))
    #expect(current.isInvalidated && current.state == .active)
    let known = try device.signing(current)
    #expect(await code { try await device.biometricOnly.authenticate(known) } == .keyInvalidated)
    #expect(device.verifier.prompts.count == 1)
    let late = try device.signing(record)
    #expect(await code { try await device.biometricOnly.authenticate(late).sign([1]) } == .keyInvalidated)
  }

  @Test func askingForHealthInvalidatesNothing() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    try device.verifier.enroll("left-thumb")
    #expect(await device.biometricOnly.health(of: record).state == .changed)
    #expect(!device.store.calls.contains(.invalidate))
    try device.verifier.remove("left-thumb")
    try await device.signIn(device.biometricOnly, record)
  }

  @Test func aKeyWhoseInvalidationCannotBeWrittenDownDoesNotSign() async throws {
    let device = try TestDevice.fingerprint(.match(), .enroll("left-thumb"), .match(), .match())
    let record = try await device.bind(device.biometricOnly)
    device.store.fail(.invalidate)
    let during = try device.signing(record)
    #expect(await code { try await device.biometricOnly.authenticate(during) } == .storageFailed)
    let before = try device.signing(record)
    #expect(await code { try await device.biometricOnly.authenticate(before) } == .storageFailed)
    device.store.repair()
    #expect(await code { try await device.biometricOnly.authenticate(before) } == .keyInvalidated)
  }

  @Test func aSetChangedDuringThePromptIsSeen() async throws {
    for policy in [KeyAccess.EnrollmentPolicy.compared, .currentSet] {
      let device = try TestDevice.fingerprint(.match(), .enroll("left-thumb"), .match(finger: "left-thumb"))
      let config = BiometricAuthenticatorConfig(enrollment: policy)
      let authenticator = BiometricOnlyAuthenticator(config: config, context: device.context)
      let record = try await device.bind(authenticator)
      let request = try device.signing(record)
      let expected: AuthenticatorError.Code = policy == .compared ? .deviceNotRegistered : .keyInvalidated
      #expect(await code { try await authenticator.authenticate(request) } == expected)
      #expect(device.verifier.prompts.count == 2)
      #expect((try await device.store.record(record.tag) == nil) == (policy == .compared))
    }
  }

  @Test func ignoredToleratesChangeAndExposesTheDigest() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let config = BiometricAuthenticatorConfig(enrollment: .ignored)
    let authenticator = BiometricOnlyAuthenticator(config: config, context: device.context)
    let record = try await device.bind(authenticator)
    #expect(record.enrollmentState != nil)
    try device.verifier.enroll("left-thumb")
    let evidence = try await device.signIn(authenticator, record)
    #expect(evidence?.enrollmentState != nil)
    #expect(evidence?.enrollmentState != record.enrollmentState)
  }

  @Test func aKeyObeysItsOwnRuleWhateverTheConfigurationSaysLater() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.allowFallback)
    try device.verifier.enroll("left-thumb")
    let lenient = BiometricDeviceCredentialAuthenticator(
      config: BiometricAuthenticatorConfig(enrollment: .ignored), context: device.context)
    let request = try device.signing(record)
    #expect(await code { try await lenient.authenticate(request) } == .deviceNotRegistered)
  }

  /// A verifier whose sensor refuses to tell what is enrolled.
  private struct Mute: UserVerifier {
    let base: ScriptedUserVerifier
    var error: any Error = AuthenticatorError(.enrollmentStateUnreadable)
    func methods() async -> [VerificationMethod: MethodState] { await base.methods() }
    func enrollmentState() async throws -> EnrollmentState? { throw error }
    func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
      try await base.verify(request, by: access)
    }
  }
  private struct DaemonGone: Error {}

  @Test func anUnreadableSetThrowsAndDeletesNothing() async throws {
    for error in [AuthenticatorError(.enrollmentStateUnreadable) as any Error, DaemonGone()] {
      let device = try TestDevice.fingerprint(.match(), .match())
      let record = try await device.bind(device.allowFallback)
      var context = device.context
      context.verifier = Mute(base: device.verifier, error: error)
      let authenticator = BiometricDeviceCredentialAuthenticator(context: context)
      let request = try device.signing(record)
      #expect(await code { try await authenticator.authenticate(request) } == .enrollmentStateUnreadable)
      #expect(device.verifier.prompts.count == 1)
      #expect(try await device.store.record(record.tag)?.state == .active)
      #expect(await authenticator.health(of: record).state == .unknown)
      let registration = try device.registration(of: device.owner("bob"))
      #expect(await code { try await authenticator.register(registration) } == .enrollmentStateUnreadable)
      #expect(try await device.store.records(matching: .everything).count == 1)
    }
  }

  @Test func aLockedSensorHidesTheSetUntilThePasscodeIsGiven() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.allowFallback)
    try device.verifier.enroll("left-thumb")
    device.verifier.script(Array(repeating: .mismatch, count: 5))
    let probe = VerificationRequest(
      operation: OperationID(bytes: [1]), level: .verified, owner: record.owner, prompt: Prompt(reason: "lock"),
      deadline: device.environment.clock.uptime + .seconds(60))
    while !device.verifier.isLockedOut {
      do { _ = try await device.verifier.verify(probe, by: KeyAccess(gate: .verified([.fingerprint]))) } catch {}
    }
    #expect(await device.allowFallback.health(of: record).state == .lockedOut)
    device.verifier.script([.passcode("482913")])
    let request = try device.signing(record)
    #expect(await code { try await device.allowFallback.authenticate(request) } == .deviceNotRegistered)
    #expect(device.verifier.prompts.last?.result == "success")
    #expect(try await device.store.record(record.tag) == nil)
  }

  @Test func registeringWithALockedSensorAsksOnceAndStoresTheSet() async throws {
    let device = try TestDevice(
      ScriptedDevice(
        sensor: .fingerprint, enrolled: ["a"], passcode: "482913", isLockedOut: true, steps: [.passcode("482913")]))
    let record = try await device.bind(device.allowFallback)
    #expect(device.kinds == [.passcode])
    #expect(record.enrollmentState != nil)
  }

  @Test func aFailedDeletionIsReportedAndTheKeyStaysClosed() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.allowFallback)
    try device.verifier.enroll("left-thumb")
    device.store.fail(.delete)
    let request = try device.signing(record)
    #expect(await code { try await device.allowFallback.authenticate(request) } == .storageFailed)
    device.store.repair()
    #expect(await code { try await device.allowFallback.authenticate(request) } == .deviceNotRegistered)
  }

  @Test func theSeedsDomainStateIsTheDigest() async throws {
    let device = try TestDevice.fingerprint()
    let state = try await device.allowFallback.biometricDomainState()
    #expect(state == (try await device.verifier.enrollmentState()?.digest))
    #expect(state?.count == 32)
    try device.verifier.remove("right-index")
    #expect(try await device.allowFallback.biometricDomainState() == nil)
  }

  /// Reads the set in its own way.
  private final class OwnState: BiometricOnlyAuthenticator {
    var digest: [UInt8] = [1]
    override func biometricDomainState() async throws -> [UInt8]? { digest }
  }

  @Test func anOverriddenDomainStateIsTheOneStoredAndCompared() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let authenticator = OwnState(context: device.context)
    let staged = try await authenticator.register(try device.registration(of: device.owner()))
    #expect(staged.record.enrollmentState == EnrollmentState(digest: [1]))
    authenticator.digest = [2]
    let request = try device.signing(staged.record)
    #expect(await code { try await authenticator.authenticate(request) } == .keyInvalidated)
  }
}
