import AuthenticatorCore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

extension PromptBehaviorTests {
  // MARK: D10 to D15: misses and the lock

  @Test func d10ThreeMissesEndThePrompt() async throws {
    let device = try TestDevice.fingerprint(.match(), .mismatch, .match(finger: "left-thumb"), .mismatch, .match())
    let record = try await device.bind(device.biometricOnly)
    let request = try device.signing(record)
    let error = await error { try await device.biometricOnly.authenticate(request) }
    #expect(error?.code == .userVerificationFailed)
    #expect(error?.attemptsRemaining == 2)
    #expect(device.verifier.remainingSteps == 1)
  }

  @Test func d11AndD12GoingOnLocksTheSensor() async throws {
    let device = try TestDevice.fingerprint(.match(), .mismatch, .mismatch, .mismatch, .mismatch, .mismatch)
    let record = try await device.bind(device.biometricOnly)
    let first = try device.signing(record)
    #expect(await code { try await device.biometricOnly.authenticate(first) } == .userVerificationFailed)
    let second = try device.signing(record)
    #expect(await code { try await device.biometricOnly.authenticate(second) } == .lockedOut)
    #expect(device.verifier.isLockedOut)
    #expect(device.environment.events.contains(.lockedOut))
  }

  @Test func d13BiometricOnlyAsksForThePasscodeFirstWhenLocked() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.biometricOnly)
    try await lock(device, record)
    device.verifier.script([.passcode("482913"), .match()])
    let evidence = try await device.signIn(device.biometricOnly, record, prompt: titled)
    #expect(evidence?.methods == [.fingerprint])
    #expect(device.verifier.prompts.suffix(2).map(\.kind) == [.passcode, .biometric])
    #expect(device.verifier.prompts.suffix(2).map(\.fallbackTitle) == [nil, titled.fallbackTitle])
    #expect(device.verifier.failedAttempts == 0)
    #expect(!device.verifier.isLockedOut)
  }

  @Test func d13ARightPasscodeAloneDoesNotSign() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.biometricOnly)
    try await lock(device, record)
    device.verifier.script([.passcode("482913"), .cancel])
    let request = try device.signing(record)
    #expect(await code { try await device.biometricOnly.authenticate(request) } == .userCanceled)
  }

  @Test func lockedWithoutPasscodeIsLockedOut() async throws {
    let device = try TestDevice(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], failedAttempts: 4, steps: [.match()]))
    let only = try await device.bind(device.biometricOnly)
    try await lock(device, only)
    let prompts = device.verifier.prompts.count
    let request = try device.signing(only)
    #expect(await code { try await device.biometricOnly.authenticate(request) } == .lockedOut)
    #expect(device.verifier.prompts.count == prompts)
    #expect(try await device.store.record(only.tag) != nil)
    #expect(await device.biometricOnly.availability() == .unavailable(.lockedOut))
    #expect(await device.allowFallback.availability() == .unavailable(.lockedOut))
  }

  @Test func d14AMatchBeforeTheLimitResetsTheCount() async throws {
    let device = try TestDevice.fingerprint(.match(), .mismatch, .mismatch, .match())
    let record = try await device.bind(device.biometricOnly)
    try await device.signIn(device.biometricOnly, record)
    #expect(device.verifier.failedAttempts == 0)
  }

  @Test func d15ThePasscodeAloneCompletesAllowFallbackWhenLocked() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.allowFallback)
    try await lock(device, record)
    device.verifier.script([.passcode("482913")])
    let evidence = try await device.signIn(device.allowFallback, record)
    #expect(evidence?.methods == [.passcode])
    #expect(device.kinds.last == .passcode)
    #expect(device.verifier.failedAttempts == 0)
  }

  /// A change of the set would end the key, and a locked sensor hides the set: the context is no substitute then.
  @Test func d15AContextReplacesNoPromptWhereTheHiddenSetCounts() async throws {
    let device = try TestDevice.fingerprint(.match())
    let config = BiometricAuthenticatorConfig(contextDelegate: device.verifier)
    let authenticator = BiometricDeviceCredentialAuthenticator(config: config, context: device.context)
    let record = try await device.bind(authenticator)
    #expect(record.access.enrollment != .ignored && record.enrollmentState != nil)
    try await lock(device, record)
    for isBiometric in [true, false] {
      device.verifier.handOver(ScriptedDevice.Context(isBiometric: isBiometric))
      device.verifier.script([.passcode("482913")])
      let evidence = try await device.signIn(authenticator, record)
      #expect(evidence?.methods == [.passcode] && evidence?.isReused == false)
      #expect(device.kinds.last == .passcode)
      try await lock(device, record)
    }
  }

  @Test func d15TheLockMayComeInThePromptItself() async throws {
    let device = try TestDevice.fingerprint(
      .match(), .mismatch, .mismatch, .mismatch, .mismatch, .mismatch, .passcode("482913"))
    let record = try await device.bind(device.allowFallback)
    let first = try device.signing(record)
    #expect(await code { try await device.allowFallback.authenticate(first) } == .userVerificationFailed)
    try await device.signIn(device.allowFallback, record)
    #expect(!device.verifier.isLockedOut)
  }

  // MARK: D20, D21

  @Test func d20FacesBehaveLikeFingers() async throws {
    let device = try TestDevice(ScriptedDevice(sensor: .face, enrolled: ["alice"], steps: [.match(), .match()]))
    let record = try await device.bind(device.biometricOnly)
    #expect(try await device.signIn(device.biometricOnly, record)?.methods == [.face])
  }

  @Test func d21CancelIsItsOwnResult() async throws {
    let device = try TestDevice.fingerprint(.match(), .cancel, .systemCancel)
    let record = try await device.bind(device.biometricOnly)
    let first = try device.signing(record, prompt: titled)
    #expect(await code { try await device.biometricOnly.authenticate(first) } == .userCanceled)
    let second = try device.signing(record, prompt: titled)
    #expect(await code { try await device.biometricOnly.authenticate(second) } == .systemCanceled)
    #expect(device.verifier.failedAttempts == 0)
    #expect(try await device.store.record(record.tag)?.state == .active)
  }

  /// Locks the sensor by misses.
  func lock(_ device: TestDevice, _ record: KeyRecord) async throws {
    device.verifier.script(Array(repeating: .mismatch, count: 5))
    while !device.verifier.isLockedOut {
      let request = try device.signing(record)
      do {
        let authenticator: any DeviceAuthenticator =
          record.authenticator == .biometricOnly ? device.biometricOnly : device.allowFallback
        _ = try await authenticator.authenticate(request)
        Issue.record("a miss opened the key")
        return
      } catch {}
    }
  }
}
