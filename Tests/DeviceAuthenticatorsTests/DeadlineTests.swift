import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import DeviceAuthenticators
import Synchronization
import Testing

/// Time limits and cancellation, also against a prompt that ignores both.
@Suite struct DeadlineTests {
  @Test func timeThatIsOverEndsBeforeThePrompt() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    let signing = try device.signing(record, timeout: .zero)
    #expect(await code { try await device.biometricOnly.authenticate(signing) } == .timedOut)
    let registration = try device.registration(of: device.owner(), timeout: .seconds(-1))
    #expect(await code { try await device.biometricOnly.register(registration) } == .timedOut)
    #expect(device.verifier.prompts.count == 1)
    #expect(try await device.store.records(matching: .everything).count == 1)
  }

  /// The caller is cancelled while the prompt is being put up: it is taken down all the same.
  @Test func aCancellationWhileTheWorkBeginsEndsTheWork() async throws {
    let device = try TestDevice.fingerprint()
    let environment = device.context.environment
    let caller = Mutex<Task<Void, any Error>?>(nil)
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    let task = Task {
      while caller.withLock({ $0 == nil }) { await Task.yield() }
      try await DeadlineRace.run(until: environment.uptime() + .seconds(3600), in: environment, stage: "test") {
        caller.withLock { $0 }?.cancel()
        do { try await Task.sleep(for: .seconds(60)) } catch { end.yield(true) }
        end.finish()
      }
    }
    caller.withLock { $0 = task }
    #expect(await code { try await task.value } == .appCanceled)
    #expect(await ends.first { $0 } == true)
  }

  @Test func aPromptThatNobodyAnswersTimesOut() async throws {
    let device = try TestDevice.fingerprint(.match(), .noAnswer, .match())
    let record = try await device.bind(device.biometricOnly)
    let request = try device.signing(record)
    let clock = device.environment.clock
    let time = Task {
      // The prompt waits, and so does the race's own timer.
      await clock.waitForSleepers(2)
      clock.advance(by: .seconds(60))
    }
    #expect(await code { try await device.biometricOnly.authenticate(request) } == .timedOut)
    await time.value
    #expect(device.results.last == "timedOut")
    try await device.signIn(device.biometricOnly, record)
  }

  @Test func aPromptThatIgnoresItsCancellationTimesOut() async throws {
    let device = try TestDevice.fingerprint(.match(), .hang, .match())
    let record = try await device.bind(device.biometricOnly)
    let request = try device.signing(record)
    let clock = device.environment.clock
    let time = Task {
      await clock.waitForSleepers()
      // The touch of the binding and the hanging prompt are played, the last touch is left.
      while device.verifier.remainingSteps > 1 { await Task.yield() }
      clock.advance(by: .seconds(60))
    }
    #expect(await code { try await device.biometricOnly.authenticate(request) } == .timedOut)
    await time.value
    let again = try device.signing(record)
    #expect(await code { try await device.biometricOnly.authenticate(again) } == .busy)
    device.verifier.releaseHanging()
  }

  @Test func aCollectorThatIgnoresItsCancellationTimesOut() async throws {
    let device = try TestDevice(ScriptedDevice(steps: [.hang]))
    let request = try device.registration(of: device.owner())
    let clock = device.environment.clock
    let time = Task {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(60))
    }
    #expect(await code { try await device.applicationPIN.register(request) } == .timedOut)
    await time.value
    device.verifier.releaseHanging()
    #expect(try await device.store.records(matching: .everything).isEmpty)
  }

  /// Hands over a context when it is too late.
  private struct Slow: BiometricContextDelegate {
    let clock: ManualClock
    func biometricContext() async -> BiometricContext? {
      clock.advance(by: .seconds(3600))
      return BiometricContext(method: .fingerprint, time: clock.uptime)
    }
  }

  @Test func aDelegateThatTakesTooLongTimesOut() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.biometricOnly)
    let config = BiometricAuthenticatorConfig(contextDelegate: Slow(clock: device.environment.clock))
    let authenticator = BiometricOnlyAuthenticator(config: config, context: device.context)
    let request = try device.signing(record)
    do {
      // Whether the delegate or the timer is first, a spent deadline opens nothing.
      let key = try await authenticator.authenticate(request)
      #expect(await code { try await key.sign([1]) } == .verificationSpent)
    } catch let error as AuthenticatorError {
      #expect(error.code == .timedOut)
    }
  }

  @Test(arguments: [ScriptedStep.noAnswer, .hang])
  func cancellingTheTaskIsAppCanceled(_ step: ScriptedStep) async throws {
    let device = try TestDevice.fingerprint(.match(), step)
    let record = try await device.bind(device.biometricOnly)
    let request = try device.signing(record)
    let context = device.context
    let task = Task { try await BiometricOnlyAuthenticator(context: context).authenticate(request) }
    await device.environment.clock.waitForSleepers(step == .noAnswer ? 2 : 1)
    while device.verifier.prompts.count < 2 { await Task.yield() }
    task.cancel()
    let error = await error { try await task.value }
    #expect(error?.code == .appCanceled)
    #expect(error?.underlying is CancellationError)
    if step == .noAnswer { #expect(device.results.last == "appCanceled") }
    device.verifier.releaseHanging()
  }

  @Test func aTaskThatIsCancelledAlreadyShowsNoPrompt() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    let request = try device.signing(record)
    let context = device.context
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await BiometricOnlyAuthenticator(context: context).authenticate(request)
    }
    #expect(await code { try await task.value } == .appCanceled)
    #expect(device.verifier.prompts.count == 1)
  }

  @Test func exactlyOneAnswerIsGivenWhenBothAreDue() async throws {
    for _ in 0..<50 {
      let device = try TestDevice.fingerprint(.match(), .noAnswer)
      let record = try await device.bind(device.biometricOnly)
      let request = try device.signing(record)
      let context = device.context
      let task = Task { try await BiometricOnlyAuthenticator(context: context).authenticate(request) }
      await device.environment.clock.waitForSleepers(2)
      let time = Task { device.environment.clock.advance(by: .seconds(60)) }
      task.cancel()
      let code = await code { try await task.value }
      #expect(code == .appCanceled || code == .timedOut)
      await time.value
    }
  }
}
