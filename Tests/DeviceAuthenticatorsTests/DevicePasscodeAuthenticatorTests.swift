import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

@Suite struct DevicePasscodeAuthenticatorTests {
  @Test func onlyThePasscodeLeadsIn() async throws {
    let device = try TestDevice.fingerprint(.match(), .passcode("482913"), .passcode("482913"))
    let record = try await device.bind(device.passcode)
    #expect(record.authenticator == .devicePasscode)
    #expect(record.access.gate == .verified([.passcode]))
    #expect(record.access.enrollment == .ignored)
    #expect(record.enrollmentState == nil)
    #expect(device.kinds == [.passcode])
    #expect(device.verifier.passedOver == [0])
    try await device.signIn(device.passcode, record)
  }

  @Test func enrollingAFingerMeansNothing() async throws {
    let device = try TestDevice.fingerprint(.passcode("482913"), .passcode("482913"))
    let record = try await device.bind(device.passcode)
    try device.verifier.enroll("left-thumb")
    try await device.signIn(device.passcode, record)
  }

  @Test func threeWrongEntriesEndThePrompt() async throws {
    let device = try TestDevice.fingerprint(
      .passcode("482913"), .passcode("000000"), .passcode("4829130"), .passcode(""), .passcode("482913"))
    let record = try await device.bind(device.passcode)
    let request = try device.signing(record)
    #expect(await code { try await device.passcode.authenticate(request) } == .userVerificationFailed)
    #expect(device.verifier.remainingSteps == 1)
    #expect(device.verifier.failedAttempts == 0)
    try await device.signIn(device.passcode, record)
  }

  @Test func withoutPasscodeItSaysSo() async throws {
    let device = try TestDevice(ScriptedDevice(sensor: .fingerprint, enrolled: ["a"]))
    #expect(await device.passcode.availability() == .unavailable(.passcodeNotSet))
    #expect(await !device.passcode.isSupported(attestation: .none))
    let request = try device.registration(of: device.owner())
    #expect(await code { try await device.passcode.register(request) } == .passcodeNotSet)
  }

  @Test func itOffersNoFallbackButton() async throws {
    let device = try TestDevice.fingerprint(.passcode("482913"), .fallback, .passcode("482913"))
    let record = try await device.bind(device.passcode)
    try await device.signIn(device.passcode, record, prompt: Prompt(reason: "Sign in", fallbackTitle: "Other"))
    #expect(device.verifier.prompts.last?.fallbackTitle == nil)
  }

  @Test func theCancelTitleComesFromTheConfiguration() async throws {
    let device = try TestDevice.fingerprint(.passcode("482913"))
    let authenticator = DevicePasscodeAuthenticator(
      config: DevicePasscodeConfig(cancelTitle: "Stop"), context: device.context)
    _ = try await device.bind(authenticator)
    #expect(device.verifier.prompts.map(\.cancelTitle) == ["Stop"])
  }

  @Test func softwareKeysMustBeAllowedByName() async throws {
    let device = try TestDevice(
      ScriptedDevice(passcode: "482913", steps: [.passcode("482913")]), providers: [SoftwareKeyProvider()])
    #expect(await !device.passcode.isSupported(attestation: .none))
    let allowed = DevicePasscodeAuthenticator(
      config: DevicePasscodeConfig(allowsSoftwareKeys: true), context: device.context)
    #expect(await allowed.isSupported(attestation: .none))
    _ = try await device.bind(allowed)
  }
}
