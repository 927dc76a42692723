import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

@Suite struct BiometricDeviceCredentialAuthenticatorTests {
  @Test func withBiometricsEnrolledBothWaysLeadIn() async throws {
    let device = try TestDevice.fingerprint(.match(), .passcode("482913"))
    let record = try await device.bind(device.allowFallback)
    #expect(record.authenticator == .biometricAllowFallback)
    #expect(record.access.gate == .verified([.fingerprint, .face, .passcode]))
    #expect(record.access.enrollment == .compared)
    #expect(record.enrollmentState != nil)
    #expect(try await device.signIn(device.allowFallback, record)?.methods == [.passcode])
  }

  @Test func withoutBiometricsThePasscodeAloneLeadsIn() async throws {
    for sensor in [ScriptedDevice.Sensor.none, .fingerprint] {
      let device = try TestDevice(
        ScriptedDevice(sensor: sensor, passcode: "482913", steps: [.passcode("482913"), .passcode("482913")]))
      let record = try await device.bind(device.allowFallback)
      #expect(record.access.gate == .verified([.passcode]))
      #expect(record.enrollmentState == nil)
      #expect(device.kinds == [.passcode])
      try await device.signIn(device.allowFallback, record)
    }
  }

  @Test func withNeitherItIsUnavailable() async throws {
    let device = try TestDevice(ScriptedDevice(sensor: .fingerprint))
    #expect(await device.allowFallback.availability() == .unavailable(.passcodeNotSet))
    #expect(await !device.allowFallback.isSupported(attestation: .none))
    let request = try device.registration(of: device.owner())
    #expect(await code { try await device.allowFallback.register(request) } == .passcodeNotSet)
  }

  @Test func withoutPasscodeBiometricsStillLeadIn() async throws {
    let device = try TestDevice(ScriptedDevice(sensor: .face, enrolled: ["alice"], steps: [.match()]))
    let record = try await device.bind(device.allowFallback)
    #expect(await device.allowFallback.health(of: record).state == .usable)
  }

  /// A sensor that cannot be asked.
  private struct Unreachable: UserVerifier {
    func methods() async -> [VerificationMethod: MethodState] { [.fingerprint: .unavailable, .passcode: .ready] }
    func enrollmentState() async throws -> EnrollmentState? { throw AuthenticatorError(.enrollmentStateUnreadable) }
    func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
      throw AuthenticatorError(.verifierUnavailable)
    }
  }

  @Test func aSensorThatCannotBeAskedChoosesNoRule() async throws {
    let device = try TestDevice.fingerprint()
    var context = device.context
    context.verifier = Unreachable()
    let authenticator = BiometricDeviceCredentialAuthenticator(context: context)
    let request = try device.registration(of: device.owner())
    #expect(await code { try await authenticator.register(request) } == .verifierUnavailable)
    #expect(!device.store.calls.contains(.stage))
  }

  @Test func softwareKeysMustBeAllowedByName() async throws {
    let device = try TestDevice(
      ScriptedDevice(passcode: "482913", steps: [.passcode("482913")]), providers: [SoftwareKeyProvider()])
    #expect(await !device.allowFallback.isSupported(attestation: .none))
    let allowed = BiometricAllowFallbackAuthenticator(
      config: BiometricAuthenticatorConfig(allowsSoftwareKeys: true), context: device.context)
    #expect(await allowed.isSupported(attestation: .none))
    _ = try await device.bind(allowed)
  }

  @Test func deletingRemovesBothBiometricTypesOfThisInstanceAndStore() async throws {
    let device = try TestDevice.fingerprint(.match(), .match(), .match(), .passcode("482913"))
    let only = try await device.bind(device.biometricOnly)
    let fallback = try await device.bind(device.allowFallback, owner: device.owner("bob"))
    let passcode = try await device.bind(device.passcode)
    #expect(device.kinds.last == .passcode)
    let elsewhere = try await stage(.biometricOnly, in: device, instance: "https://other.example")
    let otherStore = try TestDevice.fingerprint(.match())
    let distant = try await otherStore.bind(otherStore.allowFallback)

    try await device.allowFallback.deleteKeys()
    #expect(try await device.store.record(only.tag) == nil)
    #expect(try await device.store.record(fallback.tag) == nil)
    #expect(try await device.store.record(passcode.tag) != nil)
    #expect(try await device.store.record(elsewhere) != nil)
    #expect(try await otherStore.store.record(distant.tag) != nil)
  }

  @Test func deletingOneOwnersKeysSparesTheOthers() async throws {
    let device = try TestDevice.fingerprint(.match(), .match(), .match())
    let alice = try await device.bind(device.allowFallback)
    let aliceOnly = try await device.bind(device.biometricOnly)
    let bob = try await device.bind(device.allowFallback, owner: device.owner("bob"))
    try await device.allowFallback.deleteKeys(of: device.owner())
    #expect(try await device.store.record(alice.tag) == nil)
    #expect(try await device.store.record(aliceOnly.tag) == nil)
    #expect(try await device.store.record(bob.tag) != nil)
  }

  @Test func anOwnerWithoutAccountIsNotEveryAccount() async throws {
    let device = try TestDevice.fingerprint(.match())
    let alice = try await device.bind(device.allowFallback)
    var nobody = device.owner()
    nobody.account = nil
    try await device.allowFallback.deleteKeys(of: nobody)
    #expect(try await device.store.record(alice.tag) != nil)
    let foreign = KeyOwner(instance: "https://other.example", family: .deviceBinding, party: "/", account: nil)
    #expect(await code { try await device.allowFallback.deleteKeys(of: foreign) } == .invalidRequest)
  }

  @Test func deletingGoesOnAfterAFailureAndReportsIt() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let first = try await device.bind(device.allowFallback)
    let second = try await device.bind(device.allowFallback, owner: device.owner("bob"))
    device.store.repair()
    device.store.failCall(at: 1)
    #expect(await code { try await device.allowFallback.deleteKeys() } == .storageFailed)
    #expect(device.store.calls == [.records, .delete, .delete])
    device.store.repair()
    #expect(try await device.store.record(first.tag) != nil)
    #expect(try await device.store.record(second.tag) == nil)
  }

  private func stage(_ type: AuthenticatorType, in device: TestDevice, instance: String) async throws -> KeyTag {
    let owner = KeyOwner(instance: instance, family: .deviceBinding, party: "/", account: [1])
    return try await device.store.stage(
      KeyRequest(owner: owner, algorithms: [.es256]), as: type, access: KeyAccess(gate: .open),
      enrollmentState: nil, ticket: nil
    ).tag
  }
}
