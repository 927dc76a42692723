import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorSQLite
import AuthenticatorWebAuthn
import DeviceAuthenticators
import Foundation

/// The platform authenticator against OpenSSL and against the disk (P1 to P5), and beside a Python authenticator.
struct WebAuthnSuite: Suite {
  let name = "webauthn"
  let workspace: Workspace
  /// Twice what a store keeps warm, so that each credential in turn meets a key that was dropped.
  private static let coldCredentials = 2048

  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let environment = BenchKeys.environment
    let signing = try Floor.signing()
    let commits = try Floor.commits(at: workspace.disk.appendingPathComponent("webauthn-floor.sqlite").path)
    let memory = try InMemoryKeyStore(environment: environment)
    let warm = try await CredentialBench(store: memory)
    let verified = try await CredentialBench(store: memory, type: .biometricOnly)
    let cold = try await CredentialBench(
      store: try InMemoryKeyStore(environment: environment), counter: .zero, credentials: Self.coldCredentials)
    let blocks = try await worn("blocks")
    let silent = try await CredentialBench(store: try await sqlite("zero"), counter: .zero)
    var everyTime = SQLiteKeyStore.Options()
    everyTime.counterBlock = 1
    let durable = try await worn("durable", everyTime)
    let registering = try await worn("registering")
    let peer = PythonPeer(seconds: effort.isQuick ? 0.3 : 1)
    return [
      Benchmark(
        id: "P1", what: "assertion, ES256, warm key, in-memory store, silent, rising counter in blocks of 64",
        unit: "1/s", ours: warm.assertions, floor: signing, goal: 0.65),
      Benchmark(
        id: "P1-verified", what: "the same with user verification, by a verifier that answers at once", unit: "1/s",
        ours: verified.assertions, floor: signing),
      Benchmark(
        id: "P2", what: "assertion, warm key, SQLite, rising counter reserved in durable blocks of 64", unit: "1/s",
        ours: blocks.assertions, floor: signing, goal: 0.45),
      Benchmark(
        id: "P2-zero", what: "assertion, warm key, SQLite, counter 0", unit: "1/s", ours: silent.assertions,
        floor: signing, goal: 0.45),
      Benchmark(
        id: "P3", what: "assertion, key imported each time, in-memory store; floor: OpenSSL import and sign",
        unit: "1/s", ours: cold.assertions, floor: try Floor.importing(), goal: 0.7),
      Benchmark(
        id: "P4", what: "assertion with a durable counter each time; floor: bare SQLite commits", unit: "1/s",
        ours: durable.assertions, floor: commits, goal: 0.85),
      Benchmark(
        id: "P5", what: "registration, SQLite, silent, no attestation; floor: bare SQLite commits", unit: "1/s",
        ours: registering.registrations, floor: commits, goal: 0.4),
      Benchmark(
        id: "get-peer", what: "P1 beside soft-webauthn's get on the same machine", unit: "1/s", ours: warm.assertions,
        floor: peer.reading("get")),
      Benchmark(
        id: "create-peer", what: "registration in memory beside soft-webauthn's create", unit: "1/s",
        ours: warm.registrations, floor: peer.reading("create")),
    ]
  }

  /// A credential in a store that has been in use for a while.
  private func worn(
    _ name: String, _ options: SQLiteKeyStore.Options = SQLiteKeyStore.Options()
  ) async throws -> CredentialBench {
    let bench = try await CredentialBench(store: try await sqlite(name, options))
    try await WornLog.wear(path(name)) { try await bench.register(1) }
    return bench
  }

  private func sqlite(
    _ name: String, _ options: SQLiteKeyStore.Options = SQLiteKeyStore.Options()
  ) async throws -> SQLiteKeyStore {
    try await SQLiteKeyStore.open(path: path(name), environment: BenchKeys.environment, options: options)
  }

  private func path(_ name: String) -> String { workspace.disk.appendingPathComponent("webauthn-\(name).keys").path }
}

/// Credentials of one relying party, and what is measured with them.
private struct CredentialBench: Sendable {
  private let context: AuthenticatorContext
  private let type: AuthenticatorType
  private let configuration: WebAuthnPlatformConfiguration
  private let ids: [CredentialID]
  private let position = Position()
  private static let relyingPartyID = "example.org"
  private static let hash = SHA256.hash(Array("client data".utf8))

  init(
    store: any KeyStore, type: AuthenticatorType = .none, counter: CounterMode = .rising, credentials: Int = 1
  ) async throws {
    context = AuthenticatorContext(
      instance: BenchKeys.instance, keyStore: store, verifier: PromptlyYes(environment: BenchKeys.environment),
      environment: BenchKeys.environment)
    self.type = type
    var configuration = WebAuthnPlatformConfiguration()
    configuration.counter = counter
    self.configuration = configuration
    var ids: [CredentialID] = []
    let authenticator = try await Self.authenticator(type, context, configuration)
    for number in 0..<credentials {
      ids.append(try await authenticator.makeCredential(Self.creation(number, type, context)).credential.id)
    }
    self.ids = ids
  }

  private static func authenticator(
    _ type: AuthenticatorType, _ context: AuthenticatorContext, _ configuration: WebAuthnPlatformConfiguration
  ) async throws -> WebAuthnPlatformAuthenticator {
    let factories = AuthenticatorFactories.defaults(
      biometricOnly: BiometricAuthenticatorConfig(allowsSoftwareKeys: true))
    return WebAuthnPlatformAuthenticator(
      wrapping: try await factories.make(type, context), factories: factories, configuration: configuration)
  }

  private static func creation(
    _ number: Int, _ type: AuthenticatorType, _ context: AuthenticatorContext
  ) throws -> MakeCredentialRequest {
    guard
      let user = PublicKeyCredentialUserEntity(
        id: Array("\(type.rawValue)-\(number)".utf8), name: "user-\(number)", displayName: "User \(number)")
    else { throw Floor.Failed(what: "user entity") }
    return MakeCredentialRequest(
      clientDataHash: hash, relyingPartyID: relyingPartyID, user: user, requireResidentKey: true,
      requireUserPresence: type != .none, requireUserVerification: type != .none,
      deadline: context.environment.uptime() + .seconds(600))
  }

  /// Each credential in turn.
  var assertions: Benchmark.Quantity {
    .rate { [context, type, configuration, ids, position] count in
      let authenticator = try await Self.authenticator(type, context, configuration)
      for turn in position.advance(by: count) {
        _ = try await authenticator.getAssertion(
          GetAssertionRequest(
            relyingPartyID: Self.relyingPartyID, clientDataHash: Self.hash,
            allowCredentials: [PublicKeyCredentialDescriptor(id: ids[turn % ids.count])],
            requireUserPresence: type != .none, requireUserVerification: type != .none,
            deadline: context.environment.uptime() + .seconds(60)))
      }
    }
  }

  /// Each for a user of its own.
  var registrations: Benchmark.Quantity { .rate { try await register($0) } }

  func register(_ count: Int) async throws {
    let authenticator = try await Self.authenticator(type, context, configuration)
    for turn in position.advance(by: count) {
      _ = try await authenticator.makeCredential(Self.creation(1_000_000 + turn, type, context))
    }
  }
}
