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
  struct Enclave: KeyProvider {
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
  final class BadgeTable: UserVerifier {
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
  struct Yes: UserVerifier {
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
}
