import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

@Suite struct BiometricOnlyAuthenticatorTests {
  @Test func itsKeysOpenByBiometricsOfTheCurrentSetInHardware() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.biometricOnly)
    #expect(record.authenticator == .biometricOnly)
    #expect(record.access.gate == .verified([.fingerprint, .face]))
    #expect(record.access.enrollment == .currentSet)
    #expect(record.access.requiresHardware)
    #expect(record.enrollmentState == (try await device.verifier.enrollmentState()))
  }

  @Test func bindingAndSigningAskOnceEach() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    #expect(device.kinds == [.biometric])
    let evidence = try await device.signIn(device.biometricOnly, record)
    #expect(device.kinds == [.biometric, .biometric])
    #expect(evidence?.level == .verified)
    #expect(evidence?.isReused == false)
  }

  @Test func thePasscodeIsNoWayIn() async throws {
    let device = try TestDevice.fingerprint(.match(), .passcode("482913"), .cancel)
    let record = try await device.bind(device.biometricOnly)
    let request = try device.signing(record)
    #expect(await code { try await device.biometricOnly.authenticate(request) } == .userCanceled)
    #expect(device.verifier.passedOver == [1])
  }

  @Test func nothingEnrolledIsSaidSo() async throws {
    let device = try TestDevice(ScriptedDevice(sensor: .fingerprint, passcode: "482913"))
    #expect(await device.biometricOnly.availability() == .unavailable(.biometryNotEnrolled))
    #expect(await !device.biometricOnly.isSupported(attestation: .none))
    let request = try device.registration(of: device.owner())
    #expect(await code { try await device.biometricOnly.register(request) } == .biometryNotEnrolled)
    #expect(device.store.calls.isEmpty)
    #expect(device.verifier.prompts.isEmpty)
  }

  @Test func noSensorIsSaidSo() async throws {
    let device = try TestDevice(ScriptedDevice(sensor: .none, passcode: "482913"))
    #expect(await device.biometricOnly.availability() == .unavailable(.verifierUnavailable))
    let request = try device.registration(of: device.owner())
    #expect(await code { try await device.biometricOnly.register(request) } == .verifierUnavailable)
  }

  @Test func softwareKeysMustBeAllowedByName() async throws {
    let device = try TestDevice(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], steps: [.match()]), providers: [SoftwareKeyProvider()])
    #expect(await !device.biometricOnly.isSupported(attestation: .none))
    let request = try device.registration(of: device.owner())
    #expect(await code { try await device.biometricOnly.register(request) } == .hardwareRequired)
    let allowed = BiometricOnlyAuthenticator(
      config: BiometricAuthenticatorConfig(allowsSoftwareKeys: true), context: device.context)
    #expect(await allowed.isSupported(attestation: .none))
    let record = try await device.bind(allowed)
    #expect(!record.protection.isHardware)
    #expect(record.protection.name == "software")
  }

  @Test func allowingSoftwareDoesNotWaiveTheProtocolsDemand() async throws {
    let device = try TestDevice(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["a"]), providers: [SoftwareKeyProvider()])
    let allowed = BiometricOnlyAuthenticator(
      config: BiometricAuthenticatorConfig(allowsSoftwareKeys: true), context: device.context)
    var request = try device.registration(of: device.owner())
    request.key.requiresHardware = true
    let demanding = request
    #expect(await code { try await allowed.register(demanding) } == .hardwareRequired)
  }

  @Test func supportDoesNotDependOnTheAttestation() async throws {
    let device = try TestDevice.fingerprint()
    #expect(await device.biometricOnly.isSupported(attestation: .none))
    #expect(await device.biometricOnly.isSupported(attestation: .challenge("challenge")))
    #expect(device.verifier.prompts.isEmpty)
    #expect(!device.store.calls.contains(.stage))
  }

  @Test func healthIsToldSilently() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.biometricOnly)
    #expect(await device.biometricOnly.health(of: record).state == .usable)
    #expect(await device.allowFallback.health(of: record).state == .unknown)
    device.store.fail(.presence)
    #expect(await device.biometricOnly.health(of: record).state == .unknown)
    device.store.repair()
    device.store.fail(.presence, with: AuthenticatorError(.integrityFailed))
    #expect(await device.biometricOnly.health(of: record).state == .damaged)
    device.store.repair()
    try device.verifier.enroll("left-thumb")
    #expect(await device.biometricOnly.health(of: record).state == .changed)
    try device.verifier.remove("left-thumb")
    try device.verifier.remove("right-index")
    #expect(await device.biometricOnly.health(of: record).state == .changed)
    try await device.store.delete(record.tag)
    #expect(await device.biometricOnly.health(of: record).state == .gone)
    #expect(device.verifier.prompts.count == 1)
  }

  @Test func deletingSparesTheOtherTypes() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let only = try await device.bind(device.biometricOnly)
    let fallback = try await device.bind(device.allowFallback)
    try await device.biometricOnly.deleteKeys()
    #expect(try await device.store.record(only.tag) == nil)
    #expect(try await device.store.record(fallback.tag) != nil)
  }
}
