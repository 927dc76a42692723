import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorSQLite
import Foundation
import KeyStoreBehavior
import Testing

@Suite struct SQLiteKeyStoreTests {
  @Test(arguments: KeyStoreCheck.all)
  func behaves(as check: KeyStoreCheck) async throws {
    let folder = try TemporaryFolder()
    let bench = KeyStoreBench(isPersistent: true) { environment, providers in
      try await SQLiteKeyStore.open(
        path: folder.path + "/\(UInt64.random(in: 0...(.max))).authstore", environment: environment,
        options: TestStore.options(providers: providers))
    }
    try await check.run(on: bench)
  }

  // MARK: What stays

  @Test func everythingIsThereAfterReopening() async throws {
    let folder = try TemporaryFolder()
    let domain = SecretDomain(rawValue: "pin")
    var first: SQLiteKeyStore? = try await TestStore.open(folder.store)
    let store = try #require(first)
    let staged = try await store.stage(
      TestStore.request(slot: "s"), as: .none, access: KeyAccess(gate: .open), enrollmentState: nil, ticket: nil)
    let key = try await TestStore.active(store, TestStore.request(account: "bob", slot: "t", counter: .rising))
    let wrapped = try await TestStore.wrapped(
      store, try await store.create(domain, secret: TestStore.secret("1234")), in: domain)
    let value = try await store.advance(.key(key.tag))
    try await store.setItem(ItemName(owner: key.tag, name: "i"), to: [1])
    #expect(await code { try await store.unlock(domain, with: TestStore.secret("0000")) } == .userVerificationFailed)
    first = nil

    let again = try await TestStore.open(folder.store)
    #expect(try await again.records(matching: .everything) == [staged, key, wrapped])
    #expect(try await TestStore.signs(again, key))
    #expect(try await again.advance(.key(key.tag)) > value)
    #expect(try await again.item(ItemName(owner: key.tag, name: "i")) == [1])
    #expect(try await again.attempts(of: domain).failures == 1)
    let opened = try await again.unlock(domain, with: TestStore.secret("1234"))
    #expect(try await TestStore.signs(again, wrapped, TestStore.ticket(opened)))
  }

  @Test func anInvalidatedKeyStaysSoForEveryOpenedStore() async throws {
    let folder = try TemporaryFolder()
    let store = try await TestStore.open(folder.store)
    let key = try await TestStore.active(store)
    let other = try await TestStore.open(folder.store)
    #expect(try await TestStore.signs(other, key))
    try await store.invalidate(key.tag)
    #expect(await code { try await TestStore.signs(other, key) } == .keyInvalidated)
    let again = try await TestStore.open(folder.store)
    #expect(try await again.record(key.tag)?.isInvalidated == true)
    #expect(await code { try await TestStore.signs(again, key) } == .keyInvalidated)
  }

  @Test func aPauseSurvivesReopening() async throws {
    let folder = try TemporaryFolder()
    let domain = SecretDomain(rawValue: "pin")
    let bench = KeyStoreBench(isPersistent: true) { environment, _ in
      try await SQLiteKeyStore.open(path: folder.store, environment: environment, options: TestStore.options())
    }
    func open() async throws -> SQLiteKeyStore {
      try await SQLiteKeyStore.open(path: folder.store, environment: bench.environment, options: TestStore.options())
    }
    _ = try await open().create(domain, secret: TestStore.secret("1234"))
    for _ in 0..<3 {
      #expect(
        await code { try await open().unlock(domain, with: TestStore.secret("0000")) } == .userVerificationFailed)
    }
    #expect(await code { try await open().unlock(domain, with: TestStore.secret("1234")) } == .lockedOut)
    bench.clock.pass(.seconds(5))
    _ = try await open().unlock(domain, with: TestStore.secret("1234"))
  }

  @Test func countersEndRatherThanWrap() async throws {
    let folder = try TemporaryFolder()
    var options = TestStore.options()
    options.counterBlock = .max / 2 + 1
    let key = try await TestStore.active(
      try await TestStore.open(folder.store, options), TestStore.request(counter: .rising))
    let counter = CounterID.key(key.tag)
    #expect(try await TestStore.open(folder.store, options).advance(counter) == 1)
    let second = try await TestStore.open(folder.store, options)
    #expect(try await second.advance(counter) == .max / 2 + 2)
    let third = try await TestStore.open(folder.store, options)
    #expect(await code { try await third.advance(counter) } == .counterExhausted)
    #expect(await code { try await third.advance(counter) } == .counterExhausted)
  }

  /// What a protocol counts by name is judged by others: a process that ends skips nothing.
  @Test func namedCountersRiseByOneWhoeverOpensTheStore() async throws {
    let folder = try TemporaryFolder()
    let counter = CounterID.named(instance: "", name: "registrations")
    for value in stride(from: UInt32(1), to: 7, by: 2) {
      let store = try await TestStore.open(folder.store)
      #expect(try await store.advance(counter) == value)
      #expect(try await store.advance(counter) == value + 1)
    }
  }

  /// Opens the store of a folder by a clock that moves when it is told to.
  private func opening(_ folder: TemporaryFolder, _ clock: BenchClock) async throws -> SQLiteKeyStore {
    let environment = AuthenticatorEnvironment(
      appIdentifier: "org.example.bench", deviceName: "Bench", now: { clock.now }, uptime: { clock.uptime })
    return try await SQLiteKeyStore.open(path: folder.store, environment: environment, options: TestStore.options())
  }

  /// What is reserved is lost at the end of a process, so that it shows in the first value after reopening.
  @Test(arguments: [(Duration.zero, UInt32(64 + 128)), (.seconds(1), 64 + 64)])
  func aCounterUsedUpWithinASecondIsReservedInLargerBlocks(_ pause: Duration, _ reserved: UInt32) async throws {
    let folder = try TemporaryFolder()
    let clock = BenchClock()
    let store = try await opening(folder, clock)
    let key = try await TestStore.active(store, TestStore.request(counter: .rising))
    for value in UInt32(1)...64 { #expect(try await store.advance(.key(key.tag)) == value) }
    clock.pass(pause)
    #expect(try await store.advance(.key(key.tag)) == 65)
    #expect(try await opening(folder, clock).advance(.key(key.tag)) == reserved + 1)
  }

  @Test func largerBlocksEndAtALimit() async throws {
    let folder = try TemporaryFolder()
    let clock = BenchClock()
    let store = try await opening(folder, clock)
    let key = try await TestStore.active(store, TestStore.request(counter: .rising))
    // 64, 128 and so on to 2,048, then blocks of 4,096.
    for value in UInt32(1)...(4032 + 4096 + 1) where try await store.advance(.key(key.tag)) != value {
      Issue.record("\(value) does not follow")
    }
    #expect(try await opening(folder, clock).advance(.key(key.tag)) == 4032 + 8192 + 1)
  }

  @Test func aPINSetAtALowerCostIsWrappedAnewAtItsNextUse() async throws {
    let folder = try TemporaryFolder()
    let domain = SecretDomain(rawValue: "pin")
    _ = try await TestStore.open(folder.store).create(domain, secret: TestStore.secret("1234"))
    let dearer = try await TestStore.open(folder.store, TestStore.options(logN: 6))
    #expect(await code { try await dearer.unlock(domain, with: TestStore.secret("0")) } == .userVerificationFailed)
    #expect(try RawDatabase.run(folder.store, "SELECT log_n FROM domains") == [["4"]])
    _ = try await dearer.unlock(domain, with: TestStore.secret("1234"))
    #expect(try RawDatabase.run(folder.store, "SELECT log_n FROM domains") == [["6"]])
    _ = try await dearer.unlock(domain, with: TestStore.secret("1234"))
    #expect(await code { try await dearer.unlock(domain, with: TestStore.secret("0")) } == .userVerificationFailed)
  }

  @Test func anAnnouncedObjectIsCleanedUpAtOpening() async throws {
    let folder = try TemporaryFolder()
    let token = ForgetfulToken()
    let bench = KeyStoreBench(isPersistent: true) { _, _ in throw AuthenticatorError(.unsupported) }
    func open() async throws -> SQLiteKeyStore {
      try await SQLiteKeyStore.open(
        path: folder.store, environment: bench.environment, options: TestStore.options(providers: [token]))
    }
    token.cut()
    let store = try await open()
    #expect(
      await code {
        try await store.stage(
          TestStore.request(), as: .none, access: KeyAccess(gate: .open), enrollmentState: nil, ticket: nil)
      } == .storageFailed)
    #expect(token.names.count == 1)
    token.mend()
    // Another process may still be at work on it.
    _ = try await open()
    #expect(token.names.count == 1)
    bench.clock.pass(.seconds(121))
    _ = try await open()
    #expect(token.names.isEmpty)
    #expect(try RawDatabase.run(folder.store, "SELECT tag FROM intents").isEmpty)
  }

  @Test func aHalfDestroyedObjectIsFinishedAtOpening() async throws {
    let folder = try TemporaryFolder()
    let token = ForgetfulToken()
    func open() async throws -> SQLiteKeyStore {
      try await TestStore.open(folder.store, TestStore.options(providers: [token]))
    }
    let store = try await open()
    let key = try await TestStore.active(store)
    token.cut()
    #expect(await code { try await store.delete(key.tag) } == .storageFailed)
    // The token is away: the store opens all the same.
    #expect(try await open().record(key.tag)?.state == .revoking)
    token.mend()
    let again = try await open()
    #expect(try await again.record(key.tag) == nil)
    #expect(token.names.isEmpty)
  }

  // MARK: Two handles on one file

  @Test func aChangeByOneIsSeenByTheOther() async throws {
    let folder = try TemporaryFolder()
    let first = try await TestStore.open(folder.store)
    let second = try await TestStore.open(folder.store)
    let key = try await TestStore.active(first, TestStore.request(slot: "s"))
    let query = KeyQuery(instance: "https://am.example")
    // Both remember the key, its record and the query's answer.
    for store in [first, second] {
      for _ in 0..<2 {
        #expect(try await TestStore.signs(store, key))
        #expect(try await store.records(matching: query).map(\.tag) == [key.tag])
      }
    }
    let successor = try await TestStore.active(second, TestStore.request(slot: "s"))
    #expect(await code { try await first.sign([1], with: key.tag, ticket: nil) } == .invalidKeyState)
    #expect(try await first.records(matching: query).map(\.tag) == [successor.tag])
    try await first.restore(key.tag)
    #expect(await code { try await second.sign([1], with: successor.tag, ticket: nil) } == .keyNotFound)
    #expect(try await TestStore.signs(second, key))
    try await second.delete(key.tag)
    #expect(await code { try await first.sign([1], with: key.tag, ticket: nil) } == .keyNotFound)
    #expect(try await first.record(key.tag) == nil)
  }

  @Test func anItemThatWasLookedAtIsSeenToChange() async throws {
    let folder = try TemporaryFolder()
    let first = try await TestStore.open(folder.store)
    let second = try await TestStore.open(folder.store)
    let name = ItemName(owner: nil, name: "i")
    #expect(try await first.item(name) == nil)
    for value: [UInt8]? in [[1], [2], [], nil, [UInt8](repeating: 3, count: 500), [4]] {
      try await second.setItem(name, to: value)
      #expect(try await first.item(name) == value)
      #expect(try await first.item(name) == value)
      #expect(try await second.item(name) == value)
    }
    let key = try await TestStore.active(first)
    let owned = ItemName(owner: key.tag, name: "i")
    try await first.setItem(owned, to: [5])
    for store in [first, second] { #expect(try await store.item(owned) == [5]) }
    try await second.delete(key.tag)
    for store in [first, second] { #expect(try await store.item(owned) == nil) }
  }

  @Test func aReaderSeesWhatTheWriterDoes() async throws {
    let folder = try TemporaryFolder()
    let writer = try await TestStore.open(folder.store)
    let key = try await TestStore.active(writer)
    let reader = try await TestStore.open(folder.store, TestStore.options(isReadOnly: true))
    for _ in 0..<2 { #expect(try await TestStore.signs(reader, key)) }
    // The log is emptied and begun anew in between, so that its header has every reason to look alike.
    for _ in 0..<3 {
      let other = try await TestStore.active(writer)
      #expect(try await reader.records(matching: .everything).count == 2)
      try await writer.delete(other.tag)
      #expect(try await reader.records(matching: .everything).count == 1)
    }
    try await writer.beginRevoking(key.tag)
    #expect(await code { try await reader.sign([1], with: key.tag, ticket: nil) } == .invalidKeyState)
  }

  @Test func countersOfTwoHandlesNeverRepeatNorFall() async throws {
    let folder = try TemporaryFolder()
    let stores = [try await TestStore.open(folder.store), try await TestStore.open(folder.store)]
    let key = try await TestStore.active(stores[0], TestStore.request(counter: .rising))
    var last: UInt32 = 0
    for round in 0..<60 {
      // Changing hands at uneven intervals.
      let value = try await stores[round / 3 % 2].advance(.key(key.tag))
      #expect(value > last)
      last = value
    }
  }

  @Test func aLockedStoreIsBusyAndRecovers() async throws {
    let folder = try TemporaryFolder()
    let store = try await TestStore.open(folder.store, TestStore.options(busyTimeout: .milliseconds(50)))
    let key = try await TestStore.active(store)
    let blocker = try Blocker(folder.store)
    #expect(await code { try await TestStore.active(store) } == .busy)
    #expect(await code { try await store.delete(key.tag) } == .busy)
    // Reading and signing go on beside a writer.
    #expect(try await TestStore.signs(store, key))
    #expect(try await store.records(matching: .everything).count == 1)
    blocker.release()
    _ = try await TestStore.active(store)
  }
}

/// Holds the write lock of a store until it is released.
private final class Blocker {
  var handle: OpaquePointer?
  init(_ path: String) throws { handle = try RawDatabase.lock(path) }
  func release() { RawDatabase.unlock(handle) }
}
