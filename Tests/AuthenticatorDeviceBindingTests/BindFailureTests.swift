import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorJOSE
import AuthenticatorJourney
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// The failure table: what ends a binding, what the server is told, and that nothing is left.
@Suite struct BindFailureTests {
  struct Failure: CustomTestStringConvertible {
    var name: String
    var code: AuthenticatorError.Code
    var word: String
    var type = "BIOMETRIC_ONLY"
    var body = ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913")
    var steps: [ScriptedStep] = []
    var timeout: JSONValue = 60
    var attestation: JSONValue = false
    /// Decided before a key is made and anything is shown.
    var isEarly = false
    var hasHardware = true
    var arrange: @Sendable (inout BindingKit) -> Void = { _ in }
    var testDescription: String { name }
  }

  static let failures: [Failure] = [
    Failure(name: "cancel", code: .userCanceled, word: "Abort", steps: [.cancel]),
    Failure(name: "system cancel", code: .systemCanceled, word: "Abort", steps: [.systemCancel]),
    Failure(
      name: "not recognized", code: .userVerificationFailed, word: "Abort", steps: [.mismatch, .mismatch, .mismatch]),
    Failure(
      name: "locked, no passcode", code: .lockedOut, word: "Abort",
      body: ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], isLockedOut: true), isEarly: true),
    Failure(name: "PIN cancel", code: .userCanceled, word: "Abort", type: "APPLICATION_PIN", steps: [.cancel]),
    Failure(name: "PIN too short", code: .pinRejected, word: "Abort", type: "APPLICATION_PIN", steps: [.pin("12")]),
    Failure(name: "PIN empty", code: .pinRejected, word: "Abort", type: "APPLICATION_PIN", steps: [.pin("")]),
    Failure(name: "time limit zero", code: .timedOut, word: "Timeout", timeout: 0, isEarly: true),
    Failure(
      name: "no sensor", code: .verifierUnavailable, word: "Unsupported",
      body: ScriptedDevice(sensor: .none, passcode: "482913"), isEarly: true),
    Failure(
      name: "nothing enrolled", code: .biometryNotEnrolled, word: "Unsupported",
      body: ScriptedDevice(sensor: .fingerprint, passcode: "482913"), isEarly: true),
    Failure(
      name: "no passcode, nothing enrolled", code: .passcodeNotSet, word: "Unsupported",
      type: "BIOMETRIC_ALLOW_FALLBACK", body: ScriptedDevice(sensor: .fingerprint), isEarly: true),
    Failure(
      name: "software keys not allowed", code: .unsupported, word: "Unsupported", isEarly: true, hasHardware: false),
    Failure(
      name: "attestation not possible", code: .unsupported, word: "Unsupported", attestation: true, isEarly: true),
    Failure(name: "unknown word", code: .unsupported, word: "Unsupported", type: "RETINA", isEarly: true),
    Failure(
      name: "word taken out", code: .unsupported, word: "Unsupported", isEarly: true,
      arrange: { $0.configuration.types[.biometricOnly] = nil }),
    Failure(
      name: "no factory", code: .unsupported, word: "Unsupported", isEarly: true,
      arrange: { $0.configuration.factories = AuthenticatorFactories() }),
    Failure(
      name: "no app identifier", code: .unsupported, word: "Unsupported", isEarly: true,
      arrange: { $0.configuration.context.environment.appIdentifier = nil }),
    Failure(
      name: "another server's configuration", code: .invalidRequest, word: "Abort", isEarly: true,
      arrange: { $0.configuration.context.instance = "https://other.example.com/am" }),
    Failure(
      name: "key generation fails", code: .keyGenerationFailed, word: "Unsupported",
      arrange: { $0.store.fail(.stage, with: AuthenticatorError(.keyGenerationFailed)) }),
    Failure(
      name: "store fails to stage", code: .storageFailed, word: "Abort", arrange: { $0.store.fail(.stage) }),
    Failure(
      name: "signature fails", code: .storageFailed, word: "Abort", steps: [.match()],
      arrange: { $0.store.fail(.sign) }),
    Failure(
      name: "identifier cannot be read", code: .storageFailed, word: "Abort", steps: [.match()],
      arrange: { $0.store.fail(.item) }),
    Failure(
      name: "identifier cannot be kept", code: .storageFailed, word: "Abort", steps: [.match()],
      arrange: { $0.store.fail(.exchangeItem) }),
    Failure(
      name: "sensor goes away", code: .verifierUnavailable, word: "Unsupported", steps: [.sensorUnavailable]),
  ]

  @Test(arguments: failures)
  func answersFailureAndLeavesNothing(_ failure: Failure) async throws {
    var kit = try BindingKit(
      failure.body, steps: failure.steps,
      providers: failure.hasHardware ? [EmulatedHardware()] : [SoftwareKeyProvider()])
    failure.arrange(&kit)
    let (node, callback) = try await kit.bindPage(
      failure.type, timeout: failure.timeout, attestation: failure.attestation)
    let error = await thrown { try await callback.bind(kit.configuration) }
    #expect(error?.code == failure.code)
    #expect(callback.clientError == failure.word)
    #expect(callback.jws == nil)
    #expect(callback.deviceID == nil)
    #expect(callback.deviceName == nil)
    if failure.isEarly {
      #expect(kit.verifier.prompts.isEmpty)
      #expect(!kit.store.calls.contains(.stage))
    }
    kit.store.repair()
    #expect(try await kit.records().isEmpty)
    #expect(
      try await !kit.store.isSet(ApplicationPINAuthenticator.domain(of: kit.device.owner(BindingKit.mira))))

    try await kit.refuse(node)
    let inputs = try #require(kit.transport.requests.last?.json?["callbacks"]?[0]?["input"]?.arrayValue)
    #expect(inputs.map { $0["value"] } == ["", "", "", .string(failure.word)])
    #expect(try await kit.records().isEmpty)
  }

  @Test func timesOutWhenNobodyAnswers() async throws {
    let kit = try BindingKit(steps: [.noAnswer])
    let (_, callback) = try await kit.bindPage(timeout: 20)
    let configuration = kit.configuration
    async let error = thrown { try await callback.bind(configuration) }
    await kit.clock.waitForSleepers()
    kit.clock.advance(by: .seconds(20))
    #expect(await error?.code == .timedOut)
    #expect(callback.clientError == "Timeout")
    #expect(try await kit.records().isEmpty)
  }

  @Test func timesOutWhenSigningIsSlow() async throws {
    let kit = try BindingKit(steps: [.match()])
    let (_, callback) = try await kit.bindPage(timeout: 20)
    let slow = SlowToSign(context: kit.device.context)
    slow.clock = kit.clock
    let error = await thrown { try await callback.bind(kit.configuration, with: slow) }
    #expect(error?.code == .timedOut)
    #expect(callback.clientError == "Timeout")
    #expect(callback.jws == nil)
    #expect(try await kit.records().isEmpty)
  }

  @Test func letsTheAppUseItsOwnWord() async throws {
    let kit = try BindingKit(steps: [.cancel])
    let (node, callback) = try await kit.bindPage()
    #expect(await thrown { try await callback.bind(kit.configuration) }?.code == .userCanceled)
    callback.clientError = "NotNow"
    try await kit.refuse(node)
    #expect(kit.transport.requests.last?.json?["callbacks"]?[0]?["input"]?[3]?["value"] == "NotNow")
  }

  @Test func mayBeTriedAgainBeforeSending() async throws {
    let kit = try BindingKit(steps: [.cancel, .match()])
    let (node, callback) = try await kit.bindPage()
    #expect(await thrown { try await callback.bind(kit.configuration) }?.code == .userCanceled)
    try await callback.bind(kit.configuration)
    #expect(callback.clientError == nil)
    #expect(await thrown { try await callback.bind(kit.configuration) }?.code == .invalidRequest)
    #expect(callback.jws != nil)
    try await kit.accept(node)
    #expect(try await kit.states() == [.active])
  }

  @Test @MainActor func runsOnceAtATime() async throws {
    let kit = try BindingKit(steps: [.noAnswer])
    let (_, callback) = try await kit.bindPage()
    let configuration = kit.configuration
    let first = Task { @MainActor in await thrown { try await callback.bind(configuration) }?.code }
    await kit.clock.waitForSleepers()
    #expect(await thrown { try await callback.bind(configuration) }?.code == .busy)
    #expect(callback.clientError == nil)
    kit.clock.advance(by: .seconds(60))
    #expect(await first.value == .timedOut)
  }

  @Test @MainActor func endsWithItsTask() async throws {
    let kit = try BindingKit(steps: [.noAnswer])
    let (_, callback) = try await kit.bindPage()
    let configuration = kit.configuration
    let binding = Task { @MainActor in await thrown { try await callback.bind(configuration) }?.code }
    await kit.clock.waitForSleepers()
    binding.cancel()
    #expect(await binding.value == .appCanceled)
    #expect(callback.clientError == "Abort")
    #expect(try await kit.records().isEmpty)
  }

  @Test func answersAChallengeOnceInAJourney() async throws {
    let kit = try BindingKit(steps: [.match(), .match()])
    let (node, callback) = try await kit.bindPage(user: BindingKit.mira, challenge: "same")
    try await callback.bind(kit.configuration)
    kit.transport.add(json: BindingKit.step([BindingKit.binding(user: BindingKit.noor, challenge: "same")]))
    let again = try #require(try await node.next().continueNode?.callback(DeviceBindingCallback.self))
    #expect(await thrown { try await again.bind(kit.configuration) }?.code == .invalidMessage)
    #expect(again.clientError == "Abort")
    #expect(kit.verifier.prompts.count == 1)
    #expect(try await kit.states() == [.active])
  }
}

/// Takes 30 seconds to sign.
private final class SlowToSign: BiometricOnlyAuthenticator, JWSSigningAuthenticator {
  var clock: ManualClock?
  func sign(params: SigningParameters, journey: JourneyContext?) async throws -> String {
    clock?.advance(by: .seconds(30))
    return try await standardProof(params)
  }
}
