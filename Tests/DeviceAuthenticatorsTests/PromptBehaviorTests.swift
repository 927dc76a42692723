import AuthenticatorCore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// Rows D1 to D15 and D21 of the acceptance table for biometric prompts: titles, fallback, reuse, misses and lockout.
@Suite struct PromptBehaviorTests {
  let titled = Prompt(
    reason: "Sign in", cancelTitle: "Not now", fallbackTitle: "Use alternate authentication ☎︎")

  // MARK: D1 to D5: the app's own button

  @Test func d1OffersTheFallbackTitleVerbatim() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    try await device.signIn(device.biometricOnly, record, prompt: titled)
    let prompt = try #require(device.verifier.prompts.last)
    #expect(prompt.fallbackTitle == "Use alternate authentication ☎︎")
    #expect(prompt.cancelTitle == "Not now")
    #expect(prompt.reason == "Sign in")
  }

  @Test func d1RefusesAnEmptyFallbackTitle() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    let request = try device.signing(record, prompt: Prompt(reason: "Sign in", fallbackTitle: ""))
    #expect(await code { try await device.biometricOnly.authenticate(request) } == .invalidRequest)
    let configured = BiometricOnlyAuthenticator(
      config: BiometricAuthenticatorConfig(fallbackTitle: ""), context: device.context)
    let plain = try device.signing(record)
    #expect(await code { try await configured.authenticate(plain) } == .invalidRequest)
    #expect(device.verifier.prompts.count == 1)
  }

  @Test func d2FallbackIsNeitherCancelNorFailedAttempt() async throws {
    let device = try TestDevice.fingerprint(.match(), .mismatch, .fallback)
    let record = try await device.bind(device.biometricOnly)
    let request = try device.signing(record, prompt: titled)
    #expect(await code { try await device.biometricOnly.authenticate(request) } == .fallbackRequested)
    #expect(device.verifier.failedAttempts == 1)
    #expect(!device.store.calls.dropFirst(3).contains(.sign))
    #expect(device.results.last == "fallbackRequested")
  }

  @Test func d2TakesTitlesFromTheConfiguration() async throws {
    let device = try TestDevice.fingerprint(.match(), .fallback)
    let record = try await device.bind(device.biometricOnly)
    let config = BiometricAuthenticatorConfig(fallbackTitle: "Other", cancelTitle: "Stop")
    let authenticator = BiometricOnlyAuthenticator(config: config, context: device.context)
    let request = try device.signing(record)
    #expect(await code { try await authenticator.authenticate(request) } == .fallbackRequested)
    #expect(device.verifier.prompts.last?.fallbackTitle == "Other")
    #expect(device.verifier.prompts.last?.cancelTitle == "Stop")
  }

  @Test func d3WithoutTitleThereIsNoButton() async throws {
    let device = try TestDevice.fingerprint(.match(), .fallback, .match())
    let record = try await device.bind(device.biometricOnly)
    try await device.signIn(device.biometricOnly, record)
    #expect(device.verifier.prompts.last?.fallbackTitle == nil)
    #expect(device.verifier.passedOver == [1])
  }

  @Test func d4RegistrationOffersNoFallback() async throws {
    let device = try TestDevice.fingerprint(.fallback, .match())
    _ = try await device.bind(device.biometricOnly, prompt: titled)
    #expect(device.verifier.prompts.map(\.fallbackTitle) == [nil])
    #expect(device.results == ["success"])
  }

  @Test func d4RegistrationWithoutAKeyOffersNoFallback() async throws {
    let device = try TestDevice.fingerprint(.fallback, .match())
    let ticket = try await device.biometricOnly.verify(
      VerificationRequest(
        operation: OperationID(bytes: [1]), level: .verified, owner: device.owner(), prompt: titled,
        deadline: device.environment.clock.uptime + .seconds(60), isRegistration: true))
    #expect(ticket.verification.methods == [.fingerprint])
    #expect(device.verifier.prompts.map(\.fallbackTitle) == [nil])
  }

  @Test func d5PasscodeOrBiometricAsksForThePasscodeItself() async throws {
    let device = try TestDevice.fingerprint(.match(), .fallback, .passcode("482913"))
    let record = try await device.bind(device.allowFallback)
    let evidence = try await device.signIn(device.allowFallback, record, prompt: titled)
    #expect(evidence?.methods == [.passcode])
    #expect(device.verifier.prompts.last?.fallbackTitle == nil)
  }

  // MARK: D6 to D9: contexts handed over by the app

  @Test func d6AnAuthenticatedContextReplacesThePrompt() async throws {
    let device = try TestDevice.fingerprint()
    device.verifier.handOver(ScriptedDevice.Context())
    let config = BiometricAuthenticatorConfig(contextDelegate: device.verifier)
    let authenticator = BiometricOnlyAuthenticator(config: config, context: device.context)
    let record = try await device.bind(authenticator)
    device.verifier.handOver(ScriptedDevice.Context(age: .seconds(9)))
    let evidence = try await device.signIn(authenticator, record)
    #expect(evidence?.isReused == true)
    #expect(evidence?.methods == [.fingerprint])
    #expect(device.verifier.prompts.isEmpty)
    #expect(device.environment.events.contains(.verified(level: .verified, methods: [.fingerprint], isReused: true)))
  }

  @Test(arguments: [
    ScriptedDevice.Context(isAuthenticated: false), ScriptedDevice.Context(isInvalidated: true),
    ScriptedDevice.Context(age: .seconds(10)), ScriptedDevice.Context(age: .seconds(-1)),
    ScriptedDevice.Context(isBiometric: false), nil,
  ])
  func d8AnUnfitContextGivesTheNormalPrompt(_ context: ScriptedDevice.Context?) async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    device.verifier.handOver(context)
    let config = BiometricAuthenticatorConfig(contextDelegate: device.verifier)
    let authenticator = BiometricOnlyAuthenticator(config: config, context: device.context)
    let evidence = try await device.signIn(authenticator, record)
    #expect(evidence?.isReused == false)
    #expect(device.verifier.prompts.count == 2)
  }

  @Test func d8APasscodeContextSufficesWhereThePasscodeDoes() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.allowFallback)
    device.verifier.handOver(ScriptedDevice.Context(isBiometric: false))
    let config = BiometricAuthenticatorConfig(contextDelegate: device.verifier)
    let authenticator = BiometricDeviceCredentialAuthenticator(config: config, context: device.context)
    let evidence = try await device.signIn(authenticator, record)
    #expect(evidence?.methods == [.passcode])
    #expect(device.verifier.prompts.count == 1)
  }

  /// Gives out the same context whenever it is asked.
  struct Stubborn: BiometricContextDelegate {
    let context: BiometricContext
    func biometricContext() async -> BiometricContext? { context }
  }

  @Test func d9AContextIsGoodForOneOperation() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    let context = BiometricContext(method: .fingerprint, time: device.environment.clock.uptime)
    let config = BiometricAuthenticatorConfig(contextDelegate: Stubborn(context: context))
    let authenticator = BiometricOnlyAuthenticator(config: config, context: device.context)
    #expect(try await device.signIn(authenticator, record)?.isReused == true)
    #expect(try await device.signIn(authenticator, record)?.isReused == false)
    #expect(device.verifier.prompts.count == 2)
  }

  @Test func d9ClearingTheHolderStopsReuse() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    let holder = BiometricContextHolder()
    let config = BiometricAuthenticatorConfig(contextDelegate: holder)
    let authenticator = BiometricOnlyAuthenticator(config: config, context: device.context)
    holder.give(BiometricContext(method: .fingerprint, time: device.environment.clock.uptime))
    holder.clear()
    #expect(try await device.signIn(authenticator, record)?.isReused == false)
    holder.give(BiometricContext(method: .fingerprint, time: device.environment.clock.uptime))
    #expect(try await device.signIn(authenticator, record)?.isReused == true)
    authenticator.config.contextDelegate = nil
    holder.give(BiometricContext(method: .fingerprint, time: device.environment.clock.uptime))
    device.verifier.script([.match()])
    #expect(try await device.signIn(authenticator, record)?.isReused == false)
  }

  @Test func aReusedContextDoesNotHideAChangedSet() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.biometricOnly)
    try device.verifier.enroll("left-thumb")
    device.verifier.handOver(ScriptedDevice.Context())
    let config = BiometricAuthenticatorConfig(contextDelegate: device.verifier)
    let authenticator = BiometricOnlyAuthenticator(config: config, context: device.context)
    let request = try device.signing(record)
    #expect(await code { try await authenticator.authenticate(request) } == .keyInvalidated)
  }

  @Test func validityIsHeldToFiveMinutes() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    device.verifier.handOver(ScriptedDevice.Context(age: .seconds(300)))
    let config = BiometricAuthenticatorConfig(contextDelegate: device.verifier, contextValidity: .seconds(100_000))
    let authenticator = BiometricOnlyAuthenticator(config: config, context: device.context)
    #expect(try await device.signIn(authenticator, record)?.isReused == false)
  }
}
