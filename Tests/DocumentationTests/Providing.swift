import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import Testing

/// A module that makes P-256 keys only, and asks the person itself whenever one signs.
struct ConfirmingKeyProvider: KeyProvider {
  let confirm: @Sendable () async throws -> Void
  private let inner = SoftwareKeyProvider(algorithms: [.es256])

  init(confirm: @escaping @Sendable () async throws -> Void) { self.confirm = confirm }

  var residence: KeyProtection.Residence { KeyProtection.Residence(rawValue: "module") }
  var isHardware: Bool { true }
  var algorithms: Set<SignatureAlgorithm> { inner.algorithms }
  var storage: MaterialStorage { .blob }

  func make(
    _ algorithm: SignatureAlgorithm, name: KeyTag, access: KeyAccess, authorization: KeyAuthorization
  ) async throws -> (material: KeyMaterial, publicKey: PublicKey) {
    try await inner.make(algorithm, name: name, access: access, authorization: authorization)
  }

  func sign(
    _ message: [UInt8], with material: KeyMaterial, algorithm: SignatureAlgorithm, authorization: KeyAuthorization
  ) async throws -> Signature {
    try await confirm()
    return try await inner.sign(message, with: material, algorithm: algorithm, authorization: authorization)
  }

  func presence(of material: KeyMaterial) async throws -> Bool { try await inner.presence(of: material) }
  func destroy(_ material: KeyMaterial) async throws { try await inner.destroy(material) }
}

@Suite("Article: providing a key store")
struct Providing {
  @Test func goesBeforeSoftware() async throws {
    let test = TestEnvironment()
    let store = try InMemoryKeyStore(
      environment: test.environment, providers: [SoftwareKeyProvider(), ConfirmingKeyProvider(confirm: {})])
    let owner = KeyOwner(instance: "https://id.example.com", family: .deviceBinding, party: "/", account: [1])
    let request = KeyRequest(owner: owner, algorithms: [.es256])
    let protection = await store.prospectiveProtection(for: request, access: KeyAccess(gate: .open))
    #expect(protection?.residence.rawValue == "module")
    #expect(protection?.isHardware == true)
  }

  @Test func endsTheSignatureWhenThePersonDoes() async throws {
    let test = TestEnvironment()
    let provider = ConfirmingKeyProvider { throw AuthenticatorError(.userCanceled, stage: "module") }
    let store = try InMemoryKeyStore(environment: test.environment, providers: [provider])
    let owner = KeyOwner(instance: "https://id.example.com", family: .deviceBinding, party: "/", account: [1])
    let record = try await store.stage(
      KeyRequest(owner: owner, algorithms: [.es256]), as: .none, access: KeyAccess(gate: .open),
      enrollmentState: nil, ticket: nil)
    await #expect(throws: AuthenticatorError(.userCanceled)) {
      try await store.sign([1, 2, 3], with: record.tag, ticket: nil)
    }
  }
}
