import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import KeyStoreBehavior
import Testing

@Suite struct InMemoryKeyStoreTests {
  /// A derivation that costs next to nothing.
  static let cheap = ScryptParameters(logN: 4, r: 8, p: 1)
  static let cheapBounds = ScryptBounds(minimumLogN: 1)

  @Test(arguments: KeyStoreCheck.all)
  func behaves(as check: KeyStoreCheck) async throws {
    let bench = KeyStoreBench(isPersistent: false) { environment, providers in
      try InMemoryKeyStore(
        environment: environment, providers: providers, scryptParameters: Self.cheap, scryptBounds: Self.cheapBounds)
    }
    try await check.run(on: bench)
  }

  @Test func refusesADerivationThatIsTooCheap() {
    let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "")
    #expect(throws: AuthenticatorError(.invalidRequest)) {
      try InMemoryKeyStore(environment: environment, scryptParameters: Self.cheap)
    }
  }

  @Test func twoStoresShareNothing() async throws {
    let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "")
    let first = try InMemoryKeyStore(environment: environment)
    let second = try InMemoryKeyStore(environment: environment)
    let request = KeyRequest(
      owner: KeyOwner(instance: "i", family: .uaf, party: "p", account: nil), algorithms: [.es256])
    let key = try await first.stage(
      request, as: .none, access: KeyAccess(gate: .open), enrollmentState: nil, ticket: nil)
    #expect(try await second.record(key.tag) == nil)
    #expect(try await second.records(matching: .everything).isEmpty)
  }
}
