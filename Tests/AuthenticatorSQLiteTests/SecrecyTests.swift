import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorSQLite
import Foundation
import KeyStoreBehavior
import TestMachine
import Testing

/// What can be found in the files of a store.
@Suite struct SecrecyTests {
  /// The forms in which a careless store would write bytes down.
  private static func forms(_ bytes: [UInt8]) -> [[UInt8]] {
    let hex = Hex.encode(bytes)
    return [
      bytes, Array(hex.utf8), Array(hex.uppercased().utf8), Array(Base64.encode(bytes).utf8.prefix { $0 != 0x3D }),
      Array(Base64URL.encode(bytes).utf8), bytes.flatMap { [$0, 0] }, bytes.flatMap { [0, $0] },
    ]
  }

  private static func everything(_ folder: TemporaryFolder) throws -> [UInt8] {
    try folder.names().flatMap { try folder.bytes($0) }
  }

  @Test func namesAndSecretsAreNotInTheFiles() async throws {
    let folder = try TemporaryFolder()
    let recorder = MaterialRecorder()
    let store = try await TestStore.open(folder.store, TestStore.options(providers: [recorder]))
    let domain = SecretDomain(rawValue: "domain-of-alice")
    let opened = try await store.create(domain, secret: TestStore.secret("4829131847"))
    let secret = SecretName(rawValue: "secret-name")
    let request = KeyRequest(
      owner: KeyOwner(
        instance: "https://instance.example", family: .webAuthn, party: "party.example",
        account: Array("account-of-alice".utf8)),
      algorithms: [.es256], slot: "slot-of-alice", externalID: Array("external-identity".utf8),
      attributes: Array("attributes-of-key".utf8), secrets: [secret: .likeTheRecord],
      journal: Array("journal-of-key".utf8))
    for gate in [KeyAccess.Gate.open, .secret(domain)] {
      var request = request
      if gate != .open { request.externalID = nil }
      let staged = try await store.stage(
        request, as: AuthenticatorType(rawValue: "authenticator-type"), access: KeyAccess(gate: gate),
        enrollmentState: EnrollmentState(digest: Array("enrollment-state".utf8)), ticket: try TestStore.ticket(opened))
      try await store.commit(staged.tag, externalID: nil, details: Array("details-of-key".utf8))
    }
    try await store.setItem(ItemName(owner: nil, name: "item-name"), to: Array("item-content".utf8))
    let key = try #require(try await store.records(matching: .everything).last)
    let extra = try await store.secret(secret, of: key.tag, ticket: try TestStore.ticket(opened)).withUnsafeBytes {
      Array($0)
    }
    guard case .domain(_, let domainKey) = opened else { throw AuthenticatorError(.invalidRequest) }

    var needles = [
      "4829131847", "domain-of-alice", "instance.example", "party.example", "account-of-alice", "slot-of-alice",
      "external-identity", "attributes-of-key", "journal-of-key", "details-of-key", "authenticator-type",
      "enrollment-state", "item-name", "item-content", "secret-name",
    ].map { Array($0.utf8) }
    needles += recorder.materials.map { Array($0.prefix(32)) }
    needles += [extra, domainKey.withUnsafeBytes { Array($0.suffix(32)) }]
    let content = try Self.everything(folder)
    #expect(recorder.materials.count == 2)
    for needle in needles {
      for form in Self.forms(needle) { #expect(!content.contains(form)) }
    }
    // The search itself works: tags are plain.
    #expect(content.contains(Array(key.tag.rawValue.utf8)))
  }

  @Test func aFormerWrapIsGoneAfterAChange() async throws {
    let folder = try TemporaryFolder()
    let store = try await TestStore.open(folder.store)
    let domain = SecretDomain(rawValue: "pin")
    _ = try await store.create(domain, secret: TestStore.secret("1234"))
    func wrap() throws -> [UInt8] {
      try Hex.decode(try #require(try RawDatabase.run(folder.store, "SELECT hex(wrap) FROM domains").first?.first))
    }
    let former = try wrap()
    #expect(try Self.everything(folder).contains(former))
    try await store.change(domain, from: TestStore.secret("1234"), to: TestStore.secret("5678"))
    #expect(try !Self.everything(folder).contains(former))
    let present = try wrap()
    try await store.remove(domain)
    #expect(try !Self.everything(folder).contains(present))
  }

  @Test func aDestroyedKeyIsGoneFromTheFiles() async throws {
    let folder = try TemporaryFolder()
    let store = try await TestStore.open(folder.store)
    for isStaged in [true, false] {
      let key = try await store.stage(
        TestStore.request(), as: .none, access: KeyAccess(gate: .open), enrollmentState: nil, ticket: nil)
      if !isStaged { try await store.commit(key.tag, externalID: nil, details: []) }
      let columns = try #require(
        try RawDatabase.run(folder.store, "SELECT hex(material), hex(record), tag FROM keys").first)
      let traces = [try Hex.decode(columns[0]), try Hex.decode(columns[1]), Array(columns[2].utf8)]
      for trace in traces { #expect(try Self.everything(folder).contains(trace)) }
      if isStaged { try await store.discard(key.tag) } else { try await store.delete(key.tag) }
      for trace in traces { #expect(try !Self.everything(folder).contains(trace)) }
    }
  }

  @Test func errorsAndDescriptionsHoldNoSecret() async throws {
    let folder = try TemporaryFolder()
    let store = try await TestStore.open(folder.store)
    let domain = SecretDomain(rawValue: "pin")
    let opened = try await store.create(domain, secret: TestStore.secret("4829131847"))
    var texts = ["\(opened)", String(reflecting: opened), String(reflecting: store)]
    do { _ = try await store.unlock(domain, with: TestStore.secret("9999999999")) } catch {
      texts += ["\(error)", String(reflecting: error)]
    }
    #expect(texts.count == 5)
    for text in texts {
      #expect(!text.contains("4829131847"))
      #expect(!text.contains("9999999999"))
    }
  }
}
