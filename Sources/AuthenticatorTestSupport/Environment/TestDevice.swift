import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore

/// A whole device in a test's hands: environment, store with faults to order, and a scripted person in front of it.
public struct TestDevice: Sendable {
  /// Clock, randomness and events.
  public let environment: TestEnvironment
  /// What verifies, collects PINs and answers.
  public let verifier: ScriptedUserVerifier
  /// Keys in memory; checking a PIN costs almost nothing here.
  public let store: FaultInjectingKeyStore
  /// The server that the keys are for.
  public let instance: String
  private let outside: AuthenticatorEnvironment

  /// A device with one enrolled finger and the passcode 482913, unless described otherwise.
  /// - Parameter providers: what makes keys; by default hardware in name only, so that nothing has to be allowed.
  public init(
    _ device: ScriptedDevice = ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913"),
    instance: String = "https://am.example.com", environment: TestEnvironment = TestEnvironment(),
    providers: [any KeyProvider] = [EmulatedHardware()]
  ) throws {
    self.environment = environment
    self.instance = instance
    outside = device.applied(to: environment.environment)
    verifier = try ScriptedUserVerifier(device, environment: outside)
    store = FaultInjectingKeyStore(
      try InMemoryKeyStore(
        environment: outside, providers: providers,
        scryptParameters: ScryptParameters(logN: 4, r: 8, p: 1), scryptBounds: ScryptBounds(minimumLogN: 4)))
  }

  /// What authenticators are given.
  public var context: AuthenticatorContext {
    AuthenticatorContext(
      instance: instance, keyStore: store, verifier: verifier, environment: outside)
  }

  /// An owner on this device's server.
  public func owner(
    _ account: String = "alice", party: String = "/alpha", family: ProtocolFamily = .deviceBinding
  ) -> KeyOwner {
    KeyOwner(instance: instance, family: family, party: party, account: Array(account.utf8))
  }

  /// A request for an ES256 key.
  public func registration(
    of owner: KeyOwner, prompt: Prompt = Prompt(reason: "Bind this device"), timeout: Duration = .seconds(60),
    slot: String? = nil, ticket: VerificationTicket? = nil
  ) throws -> RegistrationRequest {
    RegistrationRequest(
      key: KeyRequest(owner: owner, algorithms: [.es256], slot: slot),
      operation: try OperationID(in: environment.environment), prompt: prompt,
      deadline: environment.clock.uptime + timeout, ticket: ticket)
  }

  /// A request to use a key once.
  public func signing(
    _ record: KeyRecord, level: VerificationLevel = .none, prompt: Prompt = Prompt(reason: "Sign in"),
    timeout: Duration = .seconds(60)
  ) throws -> SigningRequest {
    SigningRequest(
      record: record, operation: try OperationID(in: environment.environment), level: level, prompt: prompt,
      deadline: environment.clock.uptime + timeout)
  }
}

/// Software keys that call themselves hardware: for tests of what demands hardware. Protects nothing.
public struct EmulatedHardware: KeyProvider {
  private let software: SoftwareKeyProvider
  public let residence: KeyProtection.Residence
  public let isHardware = true
  public let storage = MaterialStorage.blob

  /// Pretends to be such a residence.
  public init(
    residence: KeyProtection.Residence = .secureEnclave, algorithms: Set<SignatureAlgorithm> = [.es256]
  ) {
    software = SoftwareKeyProvider(algorithms: algorithms)
    self.residence = residence
  }

  public var algorithms: Set<SignatureAlgorithm> { software.algorithms }

  public func make(
    _ algorithm: SignatureAlgorithm, name: KeyTag, access: KeyAccess, authorization: KeyAuthorization
  ) async throws -> (material: KeyMaterial, publicKey: PublicKey) {
    try await software.make(algorithm, name: name, access: access, authorization: authorization)
  }

  public func sign(
    _ message: [UInt8], with material: KeyMaterial, algorithm: SignatureAlgorithm, authorization: KeyAuthorization
  ) async throws -> Signature {
    try await software.sign(message, with: material, algorithm: algorithm, authorization: authorization)
  }

  public func presence(of material: KeyMaterial) async throws -> Bool { try await software.presence(of: material) }

  public func destroy(_ material: KeyMaterial) async throws { try await software.destroy(material) }
}
