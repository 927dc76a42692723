import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Synchronization
import Testing

/// Every seam has a second conformer.
@Suite struct ConformerTests {
  // MARK: A key provider that prompts while it signs, as Secure Enclave does

  /// P-256 only; asks its own sensor inside the signing call, unless the platform's object says that it was asked.
  private struct Enclave: KeyProvider {
    struct Evaluated: Sendable {}
    let software = SoftwareKeyProvider(algorithms: [.es256])
    let residence = KeyProtection.Residence.secureEnclave
    let isHardware = true
    let algorithms: Set<SignatureAlgorithm> = [.es256]
    let storage = MaterialStorage.blob
    let sensor: @Sendable () async throws -> Void

    func make(
      _ algorithm: SignatureAlgorithm, name: KeyTag, access: KeyAccess, authorization: KeyAuthorization
    ) async throws -> (material: KeyMaterial, publicKey: PublicKey) {
      try await software.make(algorithm, name: name, access: access, authorization: authorization)
    }
    func sign(
      _ message: [UInt8], with material: KeyMaterial, algorithm: SignatureAlgorithm, authorization: KeyAuthorization
    ) async throws -> Signature {
      if case .platform(let object) = authorization, object is Evaluated {} else { try await sensor() }
      return try await software.sign(message, with: material, algorithm: algorithm, authorization: authorization)
    }
    func presence(of material: KeyMaterial) async throws -> Bool { try await software.presence(of: material) }
    func destroy(_ material: KeyMaterial) async throws { try await software.destroy(material) }
  }

  @Test func aProviderThatPromptsWhileItSignsThrowsTheVerifiersCodes() async throws {
    let enclave = Enclave { throw AuthenticatorError(.userCanceled, stage: "enclave") }
    let device = try TestDevice(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], steps: [.match(), .match()]),
      providers: [SoftwareKeyProvider(), enclave])
    var request = try device.registration(of: device.owner())
    request.key.algorithms = [.rs256, .es256]
    let staged = try await device.biometricOnly.register(request)
    #expect(staged.record.algorithm == .es256)
    #expect(
      staged.record.protection == KeyProtection(residence: .secureEnclave, isHardware: true, isSecretWrapped: false))
    let key = try await device.biometricOnly.authenticate(try device.signing(staged.record))
    #expect(await code { try await key.sign([1]) } == .userCanceled)
    #expect(await code { try await key.sign([1]) } == .verificationSpent)
  }

  @Test func aHandedOverPlatformContextReachesTheProvider() async throws {
    let enclave = Enclave { throw AuthenticatorError(.userCanceled, stage: "enclave") }
    let device = try TestDevice(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["a"]), providers: [enclave])
    let holder = BiometricContextHolder()
    let authenticator = BiometricOnlyAuthenticator(
      config: BiometricAuthenticatorConfig(contextDelegate: holder), context: device.context)
    let staged = try await authenticator.register(try device.registration(of: device.owner()))
    holder.give(
      BiometricContext(
        method: .fingerprint, time: device.environment.clock.uptime, platformContext: Enclave.Evaluated()))
    let key = try await authenticator.authenticate(try device.signing(staged.record))
    try await device.expectSignature(of: key)
    #expect(device.verifier.prompts.isEmpty)
  }

  @Test func theProvidersKeepTheirContract() async {
    #expect(await ConformanceChecks.keyProvider(SoftwareKeyProvider()) == [])
    #expect(await ConformanceChecks.keyProvider(EmulatedHardware()) == [])
    #expect(await ConformanceChecks.keyProvider(Enclave {}) == [])
    let broken = await ConformanceChecks.keyProvider(Enclave { throw AuthenticatorError(.userCanceled) })
    #expect(broken.map(\.rule) == ["A key (ES256) signs", "An opened key (ES256) signs"])
  }

  // MARK: A verifier written from scratch

  /// A badge on the table is a passcode.
  private final class BadgeTable: UserVerifier {
    let environment: AuthenticatorEnvironment
    let isThere = Mutex(true)
    private let isShown = Mutex(false)
    init(_ environment: AuthenticatorEnvironment) { self.environment = environment }

    func methods() async -> [VerificationMethod: MethodState] { [.passcode: .ready] }
    func enrollmentState() async throws -> EnrollmentState? { nil }
    func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
      guard case .verified(let methods) = access.gate, methods.contains(.passcode) else {
        throw AuthenticatorError(.unsupported)
      }
      let isFirst = isShown.withLock { shown in
        defer { shown = true }
        return !shown
      }
      guard isFirst else { throw AuthenticatorError(.busy) }
      defer { isShown.withLock { $0 = false } }
      while !isThere.withLock({ $0 }) {
        guard environment.uptime() < request.deadline else { throw AuthenticatorError(.timedOut) }
        try await Task.sleep(for: .milliseconds(1))
      }
      guard environment.uptime() < request.deadline else { throw AuthenticatorError(.timedOut) }
      return VerificationTicket(
        verification: UserVerification(level: .verified, methods: [.passcode], time: environment.now()),
        operation: request.operation, keys: request.keys, expires: request.deadline)
    }
  }

  @Test func aVerifierFromScratchServesTheShippedAuthenticators() async throws {
    let device = try TestDevice(ScriptedDevice())
    var context = device.context
    context.verifier = BadgeTable(context.environment)
    let record = try await device.bind(DevicePasscodeAuthenticator(context: context))
    try await device.signIn(DevicePasscodeAuthenticator(context: context), record)
    let fallback = try await device.bind(BiometricDeviceCredentialAuthenticator(context: context))
    #expect(fallback.access.gate == .verified([.passcode]))
  }

  @Test func theVerifiersKeepTheirContract() async throws {
    let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "test")
    let table = BadgeTable(environment)
    let access = KeyAccess(gate: .verified([.passcode]))
    let violations = try await ConformanceChecks.verifier(
      table, access: access, environment: environment, answering: { table.isThere.withLock { $0 = true } },
      ignoring: { table.isThere.withLock { $0 = false } })
    #expect(violations == [])

    let scripted = try ScriptedUserVerifier(ScriptedDevice(passcode: "1"), environment: environment)
    let own = try await ConformanceChecks.verifier(
      scripted, access: access, environment: environment, answering: { scripted.script([.passcode("1")]) },
      ignoring: { scripted.script([.noAnswer]) })
    #expect(own == [])
  }

  /// Breaks what it can.
  private struct Yes: UserVerifier {
    func methods() async -> [VerificationMethod: MethodState] { [:] }
    func enrollmentState() async throws -> EnrollmentState? { throw AuthenticatorError(.storageFailed) }
    func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
      VerificationTicket(
        verification: UserVerification(level: .presence, methods: [.face], time: UnixTime(milliseconds: 0)),
        operation: OperationID(bytes: [1]), expires: .seconds(1 << 40))
    }
  }

  @Test func aVerifierThatSaysYesToEverythingIsFoundOut() async throws {
    let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "test")
    let violations = try await ConformanceChecks.verifier(
      Yes(), access: KeyAccess(gate: .verified([.passcode])), environment: environment, answering: {}, ignoring: {})
    #expect(violations.count == 9, "\(violations)")
  }

  // MARK: Authenticators that are no subclass

  /// An authenticator that is an actor.
  private actor Kiosk: DeviceAuthenticator {
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
  private final class BadgeAuthenticator: DefaultDeviceAuthenticator {
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
  private final class Careless: DefaultDeviceAuthenticator {
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
