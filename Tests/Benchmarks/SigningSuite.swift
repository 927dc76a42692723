import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourney
import AuthenticatorKit
import Foundation

/// Signatures and proofs, against OpenSSL's own signature with a kept key.
struct SigningSuite: Suite {
  let name = "signing"
  let workspace: Workspace
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
        id: "proof-memory",
        what:
          "device-signing proof: key looked up, opened, claims signed as JWS; warm software key, in-memory store, NONE",
        unit: "1/s", ours: try await bench(memory, .none).proofs, floor: floor, goal: 0.6),
      Benchmark(
        id: "proof-sqlite", what: "the same with look-up in SQLite", unit: "1/s",
        ours: try await bench(file, .none).proofs, floor: floor, goal: 0.45),
      Benchmark(
        id: "proof-verified", what: "the same in memory, BIOMETRIC_ONLY, a verifier that answers at once", unit: "1/s",
        ours: try await bench(memory, .biometricOnly).proofs, floor: floor),
      Benchmark(
        id: "callback", what: "the whole callback, from the server's JSON to the answer; in-memory store, NONE",
        unit: "1/s", ours: try await bench(memory, .none).callbacks, floor: floor),
    ]
  }

  private func bench(_ store: any KeyStore, _ type: AuthenticatorType) async throws -> BoundKeyBench {
    try await BoundKeyBench(store: store, type: type)
  }

  /// In a process of its own, for a profiler: so many proofs, in memory.
  static func makeProofs(_ count: Int) async throws {
    let store = try InMemoryKeyStore(environment: BenchKeys.environment)
    if case .rate(let perform) = try await BoundKeyBench(store: store, type: .none).proofs { try await perform(count) }
  }
}

/// One bound key, and what is measured with it.
private struct BoundKeyBench: Sendable {
  private let configuration: DeviceBindingConfiguration
  private let account: String

  /// Binds a key as the callbacks do.
  init(store: any KeyStore, type: AuthenticatorType) async throws {
    let environment = BenchKeys.environment
    let context = AuthenticatorContext(
      instance: BenchKeys.instance, keyStore: store, verifier: PromptlyYes(environment: environment),
      environment: environment)
    var factories = AuthenticatorFactories.defaults(
      biometricOnly: BiometricAuthenticatorConfig(allowsSoftwareKeys: true))
    factories.register(.none) { ProvingNone(context: $0) }
    factories.register(.biometricOnly) {
      ProvingBiometric(config: BiometricAuthenticatorConfig(allowsSoftwareKeys: true), context: $0)
    }
    configuration = DeviceBindingConfiguration(context: context, factories: factories)
    account = "id=\(try environment.random(8).map { String($0, radix: 16) }.joined()),ou=user,dc=example,dc=com"
    let owner = KeyOwner(
      instance: BenchKeys.instance, family: .deviceBinding, party: "/", account: Array(account.utf8))
    let staged = try await factories.make(type, context).register(
      RegistrationRequest(
        key: KeyRequest(owner: owner, algorithms: [.es256], slot: account, externalID: Array("kid-\(account)".utf8)),
        operation: try OperationID(in: environment), prompt: Prompt(reason: "Bind"),
        deadline: environment.uptime() + .seconds(60)))
    _ = try await staged.commit()
  }

  /// From the user's identifier and a challenge to the JWS.
  var proofs: Benchmark.Quantity {
    .rate { [configuration, account] count in
      let context = configuration.context
      let environment = context.environment
      for _ in 0..<count {
        guard let key = try await UserKeys(context: context, realm: "/").active(ofUser: account).first,
          let authenticator = try await configuration.factories.make(key.record.authenticator, context)
            as? any JWSSigningAuthenticator
        else { throw Floor.Failed(what: "no key") }
        let opened = try await authenticator.authenticate(
          SigningRequest(
            record: key.record, operation: try OperationID(in: environment), prompt: Prompt(reason: "Sign in"),
            deadline: environment.uptime() + .seconds(60)))
        let now = authenticator.issueTime()
        _ = try await authenticator.sign(
          params: UserKeySigningParameters(
            key: opened, userKey: key, challenge: Self.challenge, issuer: environment.appIdentifier ?? "",
            issueTime: now, notBeforeTime: now, expirationTime: now.advanced(by: .seconds(60))), journey: nil)
      }
    }
  }

  /// The whole callback.
  var callbacks: Benchmark.Quantity {
    .rate { [configuration, account] count in
      let payload = try Self.payload(account)
      for _ in 0..<count { try await DeviceSigningVerifierCallback(payload).sign(configuration) }
    }
  }

  private static let challenge = "8Z1nC5aLh7Rw4UeYg6dTtPoq3PzJ0mYtS2m0QfVb9kX="

  private static func payload(_ account: String) throws -> CallbackPayload {
    func entry(_ name: String, _ value: JSONValue) -> JSONValue { ["name": .string(name), "value": value] }
    let json: JSONObject = [
      "type": "DeviceSigningVerifierCallback",
      "output": [
        entry("userId", .string(account)), entry("challenge", .string(challenge)),
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

private final class ProvingNone: NoneAuthenticator, JWSSigningAuthenticator {}

private final class ProvingBiometric: BiometricOnlyAuthenticator, JWSSigningAuthenticator {}
