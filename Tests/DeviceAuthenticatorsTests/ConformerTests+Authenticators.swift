import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Synchronization
import Testing

extension ConformerTests {
  // MARK: Authenticators that are no subclass

  /// An authenticator that is an actor.
  actor Kiosk: DeviceAuthenticator {
    nonisolated let context: AuthenticatorContext
    var uses = 0
    init(_ context: AuthenticatorContext) { self.context = context }
    nonisolated func type() -> AuthenticatorType { AuthenticatorType(rawValue: "kiosk") }
    func availability() async -> AuthenticatorAvailability { .available(.none) }
    func isSupported(attestation: Attestation) async -> Bool { true }
    func verify(_ request: VerificationRequest) async throws -> VerificationTicket {
      try await context.verifier.verify(request, by: KeyAccess(gate: .open))
    }
    func register(_ request: RegistrationRequest) async throws -> StagedKey {
      let record = try await context.keyStore.stage(
        request.key, as: type(), access: KeyAccess(gate: .open), enrollmentState: nil, ticket: nil)
      return StagedKey(record: record, ticket: nil, store: context.keyStore)
    }
    func authenticate(_ request: SigningRequest) async throws -> SigningKey {
      guard request.record.authenticator == type(), request.record.owner.instance == context.instance else {
        throw AuthenticatorError(.invalidRequest)
      }
      uses += 1
      return SigningKey(record: request.record, ticket: nil, store: context.keyStore)
    }
    func health(of record: KeyRecord) async -> KeyHealthReport {
      KeyHealthReport(await state(of: record), protection: record.protection)
    }
    private func state(of record: KeyRecord) async -> KeyHealth {
      do { return try await context.keyStore.presence(of: record.tag) ? .usable : .gone } catch { return .unknown }
    }
    func deleteKeys() async throws {
      let query = KeyQuery(
        instance: context.instance, authenticator: type(), states: Set(KeyRecord.State.allCases))
      for record in try await context.keyStore.records(matching: query) {
        try await context.keyStore.delete(record.tag)
      }
    }
  }

  /// An authenticator of the user interface: it keeps plain state on the main actor and forwards the rest.
  @MainActor private final class Screen: DeviceAuthenticator {
    nonisolated let context: AuthenticatorContext
    var shown: [String] = []
    init(_ context: AuthenticatorContext) { self.context = context }
    private var wrapped: DevicePasscodeAuthenticator { DevicePasscodeAuthenticator(context: context) }
    nonisolated func type() -> AuthenticatorType { .devicePasscode }
    @MainActor func availability() async -> AuthenticatorAvailability { await wrapped.availability() }
    @MainActor func isSupported(attestation: Attestation) async -> Bool {
      await wrapped.isSupported(attestation: attestation)
    }
    @MainActor func verify(_ request: VerificationRequest) async throws -> VerificationTicket {
      try await wrapped.verify(request)
    }
    @MainActor func register(_ request: RegistrationRequest) async throws -> StagedKey {
      try await wrapped.register(request)
    }
    @MainActor func authenticate(_ request: SigningRequest) async throws -> SigningKey {
      shown.append(request.prompt.reason)
      return try await wrapped.authenticate(request)
    }
    @MainActor func health(of record: KeyRecord) async -> KeyHealthReport { await wrapped.health(of: record) }
    @MainActor func deleteKeys() async throws { try await wrapped.deleteKeys() }
  }

  @Test func anActorConforms() async throws {
    let device = try TestDevice(ScriptedDevice())
    let kiosk = Kiosk(device.context)
    let record = try await device.bind(kiosk)
    try await device.signIn(kiosk, record)
    #expect(await kiosk.uses == 2)
    #expect(try await ConformanceChecks.authenticator { context, _ in Kiosk(context) } == [])
  }

  @MainActor @Test func aMainActorTypeConforms() async throws {
    let device = try TestDevice(ScriptedDevice(passcode: "1", steps: [.passcode("1"), .passcode("1")]))
    let screen = Screen(device.context)
    let record = try await device.bind(screen)
    try await device.signIn(screen, record)
    #expect(screen.shown == ["Bind", "Sign in"])
  }

  @Test func aLiveAuthenticatorMayBeKeptByTheMainActor() async throws {
    /// A view's model: it keeps an authenticator that is not `Sendable`.
    @MainActor final class Model {
      let device: TestDevice
      let authenticator: BiometricOnlyAuthenticator
      init() throws {
        device = try TestDevice.fingerprint(.match(), .match())
        authenticator = device.biometricOnly
      }
      func run() async throws -> VerificationLevel? {
        let record = try await device.bind(authenticator)
        return try await device.signIn(authenticator, record)?.level
      }
    }
    #expect(try await Model().run() == .verified)
  }

  // MARK: A subclass with four overrides

  /// Verifies by a badge reader of the app's own.
  final class BadgeAuthenticator: DefaultDeviceAuthenticator {
    static let badge = VerificationMethod(rawValue: "badge")
    var isBadgeThere = true

    override func type() -> AuthenticatorType { AuthenticatorType(rawValue: "badge") }
    override func keyAccess(for request: KeyRequest) async throws -> KeyAccess {
      KeyAccess(gate: .verified([Self.badge]), requiresHardware: true)
    }
    override func availability() async -> AuthenticatorAvailability { .available(.verified) }
    override func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
      guard isBadgeThere else { throw AuthenticatorError(.userVerificationFailed, stage: "badge") }
      let environment = context.environment
      return try await withDeadline(request.deadline) {
        VerificationTicket(
          verification: UserVerification(level: .verified, methods: [Self.badge], time: environment.now()),
          operation: request.operation, keys: request.keys, expires: request.deadline)
      }
    }
  }

  @Test func aSubclassTakesFourOverrides() async throws {
    #expect(try await ConformanceChecks.authenticator { context, _ in BadgeAuthenticator(context: context) } == [])
    let device = try TestDevice(ScriptedDevice())
    let authenticator = BadgeAuthenticator(context: device.context)
    let record = try await device.bind(authenticator)
    authenticator.isBadgeThere = false
    let request = try device.signing(record)
    #expect(await code { try await authenticator.authenticate(request) } == .userVerificationFailed)
  }

  @Test func theShippedAuthenticatorsKeepTheirContract() async throws {
    #expect(
      try await ConformanceChecks.authenticator { context, _ in BiometricOnlyAuthenticator(context: context) } == [])
    #expect(
      try await ConformanceChecks.authenticator { context, _ in
        BiometricDeviceCredentialAuthenticator(context: context)
      } == [])
    #expect(
      try await ConformanceChecks.authenticator { context, _ in DevicePasscodeAuthenticator(context: context) } == [])
    #expect(try await ConformanceChecks.authenticator { context, _ in NoneAuthenticator(context: context) } == [])
    #expect(
      try await ConformanceChecks.authenticator { context, verifier in
        ApplicationPINAuthenticator(config: ApplicationPINConfig(pinCollector: verifier), context: context)
      } == [])
  }

  /// Breaks the rules that a subclass most easily breaks.
  final class Careless: DefaultDeviceAuthenticator {
    override func type() -> AuthenticatorType { AuthenticatorType(rawValue: "careless") }
    override func keyAccess(for request: KeyRequest) async throws -> KeyAccess { KeyAccess(gate: .open) }
    override func authenticate(_ request: SigningRequest) async throws -> SigningKey {
      SigningKey(record: request.record, ticket: nil, store: context.keyStore)
    }
    override func deleteKeys() async throws {
      for record in try await context.keyStore.records(matching: .everything) {
        try await context.keyStore.delete(record.tag)
      }
    }
  }

  @Test func aCarelessSubclassIsFoundOut() async throws {
    let violations = try await ConformanceChecks.authenticator { context, _ in Careless(context: context) }
    #expect(
      violations.map(\.rule) == [
        "A record of another type is refused", "A record of another instance is refused",
        "Deleting spares other types", "Deleting spares other instances",
      ])
  }

  // MARK: Stores

  @Test func theStoresKeepTheirContract() async throws {
    let device = try TestDevice(ScriptedDevice())
    let environment = device.environment.environment
    #expect(try await ConformanceChecks.keyStore(device.store, environment: environment) == [])
    device.store.fail(.commit)
    let broken = try await ConformanceChecks.keyStore(device.store, environment: environment)
    #expect(broken.map(\.rule) == ["The life cycle runs"])
  }
}
