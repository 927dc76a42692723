import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorSQLite
import Foundation
import KeyStoreBehavior
import Testing

extension SQLiteKeyStoreTests {
  // MARK: Device secret

  @Test func aStoreWithADeviceSecretOpensWithItOnly() async throws {
    let folder = try TemporaryFolder()
    func secret(_ byte: UInt8, _ count: Int = 32) -> SecretBytes { SecretBytes([UInt8](repeating: byte, count: count)) }
    let key = try await TestStore.active(
      try await TestStore.open(folder.store, TestStore.options(deviceSecret: secret(1))))
    for wrong in [secret(2), nil] {
      #expect(
        await code { try await TestStore.open(folder.store, TestStore.options(deviceSecret: wrong)) }
          == .integrityFailed)
    }
    #expect(
      await code { try await TestStore.open(folder.store, TestStore.options(deviceSecret: secret(1, 31))) }
        == .invalidRequest)
    let again = try await TestStore.open(folder.store, TestStore.options(deviceSecret: secret(1)))
    #expect(try await TestStore.signs(again, key))
  }

  @Test func aStoreMadeWithoutADeviceSecretRefusesOne() async throws {
    let folder = try TemporaryFolder()
    _ = try await TestStore.open(folder.store)
    let options = TestStore.options(deviceSecret: SecretBytes([UInt8](repeating: 1, count: 32)))
    #expect(await code { try await TestStore.open(folder.store, options) } == .integrityFailed)
  }

  // MARK: Presence of the store itself

  @Test func aMissingStoreIsAnsweredWithoutMakingOne() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/deep/er/keys.authstore"
    #expect(try await SQLiteKeyStore.openIfPresent(path: path, environment: TestStore.environment()) == nil)
    #expect(await code { try await TestStore.open(path, TestStore.options(createIfMissing: false)) } == .storeMissing)
    #expect(await code { try await TestStore.open(path, TestStore.options(isReadOnly: true)) } == .storeMissing)
    #expect(try folder.names().isEmpty)
  }

  @Test func aReadOnlyStoreSignsAndChangesNothing() async throws {
    let folder = try TemporaryFolder()
    let domain = SecretDomain(rawValue: "pin")
    var key: KeyRecord?
    do {
      let store = try await TestStore.open(folder.store)
      key = try await TestStore.active(store, TestStore.request(counter: .rising))
      _ = try await store.create(domain, secret: TestStore.secret("1234"))
    }
    let record = try #require(key)
    let before = try folder.bytes()
    do {
      let store = try await TestStore.open(folder.store, TestStore.options(isReadOnly: true))
      #expect(store.isReadOnly)
      #expect(try await TestStore.signs(store, record))
      #expect(try await store.records(matching: .everything) == [record])
      #expect(await code { try await store.delete(record.tag) } == .storageFailed)
      #expect(await code { try await store.advance(.key(record.tag)) } == .storageFailed)
      // No attempt can be paid, so none is made.
      #expect(await code { try await store.unlock(domain, with: TestStore.secret("1234")) } == .storageFailed)
      #expect(await code { try await TestStore.active(store) } == .storageFailed)
    }
    #expect(try folder.bytes() == before)
  }

  @Test func aReplacedFileIsNotMistakenForTheStore() async throws {
    let folder = try TemporaryFolder()
    let store = try await TestStore.open(folder.store)
    let key = try await TestStore.active(store)
    try FileManager.default.moveItem(atPath: folder.store, toPath: folder.path + "/old")
    for name in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.store + name) }
    _ = try await TestStore.open(folder.store)
    #expect(await code { try await TestStore.active(store) } == .storageFailed)
    #expect(await code { try await store.delete(key.tag) } == .storageFailed)
  }

  /// What a process remembers of its store ends with the file, whether or not another one stands in its place.
  @Test(arguments: [false, true]) func nothingIsTakenFromMemoryWhenTheFileIsGone(isReplaced: Bool) async throws {
    let folder = try TemporaryFolder()
    let store = try await TestStore.open(folder.store)
    let key = try await TestStore.active(store, TestStore.request(counter: .rising))
    let item = ItemName(owner: nil, name: "item")
    try await store.setItem(item, to: [1])
    let query = KeyQuery(instance: key.owner.instance)
    let uses: [@Sendable () async throws -> Void] = [
      { _ = try await store.sign([1], with: key.tag, ticket: nil) }, { _ = try await store.advance(.key(key.tag)) },
      { _ = try await store.item(item) }, { _ = try await store.records(matching: query) },
      { _ = try await store.record(key.tag) },
    ]
    for use in uses { for _ in 0..<2 { try await use() } }
    for name in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.store + name) }
    if isReplaced { _ = try await TestStore.open(folder.store) }
    // It is looked at every other millisecond.
    try await Task.sleep(for: .milliseconds(10))
    for use in uses { #expect([.storageFailed, .storeMissing, .keyNotFound].contains(await code(use))) }
  }
}
