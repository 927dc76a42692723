import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourney
import AuthenticatorKit
import Foundation

/// Signatures and proofs, against OpenSSL's own signature with a kept key.
struct SigningSuite: Suite {
  let workspace: Workspace
  private static let userID = "id=7b0f4c1e-6d4a-4f6e-9d53-2f4a0f1c9e11,ou=user,dc=example,dc=com"

  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let floor = try Floor.signing()
    let key = try PrivateKey.generate(.es256)
    let message = Floor.message
    let environment = BenchKeys.environment
    let memory = try InMemoryKeyStore(environment: environment)
    let file = try await SQLiteKeyStore.open(
      path: workspace.disk.appendingPathComponent("proof.keys").path, environment: environment)
    return [
      Benchmark(
        id: "sign-raw", what: "P-256 signature by AuthenticatorCrypto, kept key; floor: OpenSSL alone", unit: "1/s",
        ours: .rate { count in for _ in 0..<count { _ = try key.sign(message) } }, floor: floor),
      Benchmark(
        id: "proof-memory", what: "device-signing proof (callback to JWS), warm software key, in-memory store, NONE",
        unit: "1/s", ours: try await proofs(.none, in: memory, environment), floor: floor, goal: 0.6),
      Benchmark(
        id: "proof-sqlite", what: "the same with look-up in SQLite", unit: "1/s",
        ours: try await proofs(.none, in: file, environment), floor: floor, goal: 0.45),
      Benchmark(
        id: "proof-verified", what: "the same in memory, BIOMETRIC_ONLY, a verifier that answers at once", unit: "1/s",
        ours: try await proofs(.biometricOnly, in: memory, environment), floor: floor),
    ]
  }

  /// Binds a key as the callbacks do, and answers signing callbacks with it.
  private func proofs(
    _ type: AuthenticatorType, in store: any KeyStore, _ environment: AuthenticatorEnvironment
  ) async throws -> Benchmark.Quantity {
    let context = AuthenticatorContext(
      instance: BenchKeys.instance, keyStore: store, verifier: PromptlyYes(environment: environment),
      environment: environment)
    let configuration = DeviceBindingConfiguration(
      context: context,
      factories: .defaults(biometricOnly: BiometricAuthenticatorConfig(allowsSoftwareKeys: true)))
    let account = "\(Self.userID)-\(type)"
    let authenticator = try await configuration.factories.make(type, context)
    let owner = KeyOwner(
      instance: BenchKeys.instance, family: .deviceBinding, party: "/", account: Array(account.utf8))
    let staged = try await authenticator.register(
      RegistrationRequest(
        key: KeyRequest(owner: owner, algorithms: [.es256], slot: account, externalID: Array("kid-\(type)".utf8)),
        operation: try OperationID(in: environment), prompt: Prompt(reason: "Bind"),
        deadline: environment.uptime() + .seconds(60)))
    _ = try await staged.commit()
    let payload = try Self.payload(account)
    return .rate { count in
      for _ in 0..<count {
        let callback = try DeviceSigningVerifierCallback(payload)
        try await callback.sign(configuration)
      }
    }
  }

  private static func payload(_ account: String) throws -> CallbackPayload {
    func entry(_ name: String, _ value: JSONValue) -> JSONValue { ["name": .string(name), "value": value] }
    let json: JSONObject = [
      "type": "DeviceSigningVerifierCallback",
      "output": [
        entry("userId", .string(account)), entry("challenge", "8Z1nC5aLh7Rw4UeYg6dTtPoq3PzJ0mYtS2m0QfVb9kX="),
        entry("title", "Confirm"), entry("subtitle", "Sign in"), entry("description", "Sign in to the shop"),
        entry("timeout", 60),
      ], "input": [entry("IDToken1jws", ""), entry("IDToken1clientError", "")],
    ]
    return try CallbackPayload(
      json,
      context: CallbackContext(
        journey: JourneyContext(instance: BenchKeys.instance, realm: "/", journey: "SignDevice"), clockOffset: .zero,
        maximumClockOffset: .seconds(60)))
  }
}

/// A sensor that recognizes everybody at once, so that nothing but the package is measured.
private struct PromptlyYes: UserVerifier {
  let environment: AuthenticatorEnvironment
  private static let enrolled = EnrollmentState(digest: [1])

  func methods() async -> [VerificationMethod: MethodState] { [.fingerprint: .ready] }

  func enrollmentState() async throws -> EnrollmentState? { Self.enrolled }

  func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    VerificationTicket(
      verification: UserVerification(
        level: .verified, methods: [.fingerprint], time: environment.now(), enrollmentState: Self.enrolled),
      operation: request.operation, keys: request.keys, expires: request.deadline)
  }
}
