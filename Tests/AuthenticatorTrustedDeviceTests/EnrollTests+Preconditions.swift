import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import DeviceAuthenticators
import Testing

/// What is decided before anything is made or sent.
extension EnrollTests {
  @Test(arguments: ["expired", "ended", "removed", "abandoned", "replaced", "revoked", "later"])
  func refusesWithoutASessionThatIsSignedIn(_ status: String) async throws {
    let bench = try Bench()
    try await bench.signIn(status: status)
    let count = bench.requests.count
    bench.device.store.repair()
    #expect(await failure { try await bench.devices.enroll() }?.code == .signedOut)
    #expect(bench.requests.count == count)
    #expect(!bench.device.store.calls.contains(.stage))
    #expect(bench.device.verifier.prompts.isEmpty)
  }

  @Test func refusesWhenNobodyEverSignedIn() async throws {
    let bench = try Bench()
    #expect(await failure { try await bench.devices.enroll() }?.code == .signedOut)
    #expect(bench.requests.isEmpty)
  }

  @Test func refusesWhatTheServerHasSwitchedOff() async throws {
    for (settings, code, reason) in [
      (
        Wire.environment(api: false), AuthenticatorError.Code.nativeAPIDisabled,
        TrustedDeviceAvailability.UnavailableReason.nativeAPIDisabled
      ),
      (Wire.environment(feature: false), .featureDisabled, .featureDisabled),
      ([:], .nativeAPIDisabled, .nativeAPIDisabled),
    ] {
      let bench = try Bench()
      try await bench.signIn(settings: settings)
      let count = bench.requests.count
      // Asked for once more before they are taken for a no, and nothing else is.
      bench.transport.add(json: settings)
      let error = await failure { try await bench.devices.enroll() }
      #expect(error?.code == code)
      #expect(error?.trustedDevice?.unavailableReason == reason)
      #expect(bench.requests.dropFirst(count).map(\.line) == ["GET /v1/environment"])
      #expect(try await bench.records().isEmpty)
    }
  }

  @Test func refusesUnderEveryPolicyWithoutUsableBiometrics() async throws {
    let devices: [(ScriptedDevice, AuthenticatorError.Code, TrustedDeviceAvailability.UnavailableReason)] = [
      (ScriptedDevice(sensor: .none, passcode: "482913"), .verifierUnavailable, .biometricAuthenticationUnavailable),
      (ScriptedDevice(sensor: .none), .verifierUnavailable, .unsupportedPlatform),
      (ScriptedDevice(sensor: .fingerprint, passcode: "482913"), .biometryNotEnrolled, .biometricsNotEnrolled),
      (
        ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], passcode: "482913", isLockedOut: true), .lockedOut,
        .biometricAuthenticationLockedOut
      ),
    ]
    for (body, code, reason) in devices {
      for policy in TrustedDevicePolicy.known {
        let bench = try Bench(body)
        try await bench.signIn()
        let count = bench.requests.count
        #expect(await bench.devices.enrollmentAvailability(policy: policy) == .unavailable(reason))
        #expect(await failure { try await bench.devices.enroll(policy: policy) }?.code == code)
        #expect(bench.requests.count == count)
        #expect(try await bench.records().isEmpty)
        #expect(bench.device.verifier.prompts.isEmpty)
      }
    }
  }

  @Test func refusesWithoutSecureKeyStorageUnlessAllowed() async throws {
    let bench = try SoftwareBench(allowsSoftwareKeys: false)
    try await bench.signIn()
    #expect(await bench.client.trustedDevices.enrollmentAvailability() == .unavailable(.secureKeyStorageUnavailable))
    #expect(await failure { try await bench.client.trustedDevices.enroll() }?.code == .hardwareRequired)
    let allowed = try SoftwareBench(allowsSoftwareKeys: true)
    #expect(await allowed.client.trustedDevices.enrollmentAvailability() == .available)
  }

  @Test func refusesPasscodePINAndNothing() async throws {
    let makers: [@Sendable (AuthenticatorContext) -> any DeviceAuthenticator] = [
      { DevicePasscodeAuthenticator(config: DevicePasscodeConfig(), context: $0) }, { NoneAuthenticator(context: $0) },
      { ApplicationPINAuthenticator(config: ApplicationPINConfig(pinCollector: NoPIN()), context: $0) },
    ]
    for make in makers {
      let bench = try Bench(configure: { $0.authenticators.enrolling = { _, context in make(context) } })
      try await bench.signIn()
      let count = bench.requests.count
      let error = await failure { try await bench.devices.enroll() }
      #expect(error?.code == .unsupported)
      #expect(error?.reason.isEmpty == false)
      #expect(bench.requests.count == count)
      #expect(try await bench.records().isEmpty)
    }
  }

  @Test func refusesAKeyThatIsGuardedOtherwise() async throws {
    // A class of the app's own whose keys open by the passcode under a biometric policy.
    let bench = try Bench(configure: {
      $0.authenticators.enrolling = { _, context in
        BiometricDeviceCredentialAuthenticator(
          config: BiometricAuthenticatorConfig(enrollment: .ignored), context: context)
      }
    })
    try await bench.signIn()
    let count = bench.requests.count
    #expect(await failure { try await bench.devices.enroll(policy: .biometryAny) }?.code == .unsupported)
    #expect(bench.requests.count == count)
    #expect(try await bench.records().isEmpty)
  }

  @Test func refusesAPolicyItDoesNotKnowAndTextsThatAreTooLong() async throws {
    let bench = try Bench()
    try await bench.signIn()
    let later = TrustedDevicePolicy(rawValue: "later")
    #expect(await failure { try await bench.devices.enroll(policy: later) }?.code == .policyUnsupported)
    let long = String(repeating: "x", count: 2000)
    #expect(await failure { try await bench.devices.enroll(deviceName: long) }?.code == .invalidRequest)
    #expect(await failure { try await bench.devices.enroll(identifierHint: long) }?.code == .invalidRequest)
    #expect(try await bench.records().isEmpty)
  }

  @Test func loadsTheSettingsWhenItNeverHeardOfThem() async throws {
    let bench = try Bench()
    bench.transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: "sess_A"),
        client: Wire.client(sessions: [Wire.session("sess_A", user: "user_A")], last: "sess_A")))
    try await bench.client.auth.signIn(identifier: "mira", password: "x")
    bench.transport.add(json: Wire.environment())
    try await bench.enroll()
    #expect(try await bench.activeIDs() == ["tdc_1"])
    let other = try Bench()
    try await other.client.auth.signInLike(other)
    other.transport.addFailure(mayHaveArrived: false)
    let error = await failure { try await other.devices.enroll() }
    #expect(error?.code == .environmentUnavailable)
    #expect(error?.trustedDevice?.unavailableReason == .environmentUnavailable)
  }
}

private struct NoPIN: PINCollector {
  func collectPIN(_ request: PINRequest) async throws -> SecretBytes { throw AuthenticatorError(.userCanceled) }
}
