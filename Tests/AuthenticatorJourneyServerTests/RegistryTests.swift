import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

/// What every registry must do.
@Suite struct JourneyRegistryTests {
  let directory: TemporaryDirectory
  let alpha: Realm
  let start = UnixTime(milliseconds: 1_767_225_600_000)

  init() throws {
    directory = try TemporaryDirectory()
    alpha = try #require(Realm("alpha"))
  }

  func later(_ seconds: Int) -> UnixTime { start.advanced(by: .seconds(seconds)) }

  private func user(_ name: String, id: String, realm: Realm? = nil) -> UserRecord {
    let hash = PasswordHash(
      parameters: ScryptParameters(logN: 15, r: 8, p: 3), salt: [1, 2, 3, 4, 5, 6, 7, 8],
      digest: [UInt8](repeating: 7, count: 32))
    return UserRecord(id: id, realm: realm ?? alpha, name: name, password: hash)
  }

  private func device(_ id: String, user: String = "u1", key: String = "x", realm: Realm? = nil) -> DeviceRecord {
    DeviceRecord(
      family: .binding, realm: realm ?? alpha, externalID: id, userID: user, uuid: "uuid-" + id, name: "n",
      deviceID: "d", key: ["kty": "EC", "x": .string(key)], createdAt: start, lastAccessAt: start)
  }

  func journey(_ number: UInt8) throws -> JourneyID {
    try #require(JourneyID([UInt8](repeating: number, count: 16)))
  }

  @Test(arguments: RegistryKind.allCases) func keepsUsersApartByRealmAndName(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    let mira = user("Mira", id: "1")
    try await registry.addUser(mira)
    try await registry.addUser(user("mira", id: "1", realm: .root))
    #expect(try await registry.user(named: "MIRA", in: alpha) == mira)
    #expect(try await registry.user(id: "1", in: alpha) == mira)
    #expect(try await registry.user(id: "1", in: .root)?.name == "mira")
    #expect(try await registry.user(named: "mira ", in: alpha) == nil)
    await #expect(throws: RegistryError(.conflict)) { try await registry.addUser(user("miRA", id: "2")) }
    await #expect(throws: RegistryError(.conflict)) { try await registry.addUser(user("other", id: "1")) }
    #expect(try await registry.user(id: "2", in: alpha) == nil)
  }

  @Test(arguments: RegistryKind.allCases) func changesPasswordAndActivityOnly(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    var mira = user("Mira", id: "1")
    try await registry.addUser(mira)
    mira.isActive = false
    mira.password = nil
    mira.name = "Other"
    #expect(try await registry.updateUser(mira))
    let stored = try #require(try await registry.user(id: "1", in: alpha))
    #expect(stored.name == "Mira" && !stored.isActive && stored.password == nil)
    mira.id = "2"
    #expect(try await registry.updateUser(mira) == false)
  }

  @Test(
    arguments: RegistryKind.allCases,
    ["'; DROP TABLE user; --", "a\r\nSet-Cookie: x=1", "\u{0}", "%00", "\"\\", "名前", "a\u{0}b", "ß", "İ"]
  ) func takesAnyTextAsAName(kind: RegistryKind, name: String) async throws {
    let registry = try kind.make(directory)
    try await registry.addUser(user("first", id: "1"))
    try await registry.addUser(user(name, id: name))
    #expect(try await registry.user(named: name, in: alpha)?.name == name)
    #expect(try await registry.user(id: name, in: alpha)?.id == name)
    #expect(try await registry.user(named: "first", in: alpha) != nil)
    #expect(try await registry.addDevice(device(name, user: name), limit: 0) == .added)
    #expect(try await registry.device(name, family: .binding, realm: alpha)?.userID == name)
  }

  /// Unicode calls these two equivalent, and Swift equal; they are two people, with attempts of their own.
  @Test(arguments: RegistryKind.allCases) func comparesNamesByteForByte(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    let (one, other) = ("\u{C9}ve", "E\u{301}ve")
    try await registry.addUser(user(one, id: "1"))
    #expect(try await registry.user(named: other, in: alpha) == nil)
    try await registry.addUser(user(other, id: "2"))
    for (name, id) in [(one, "1"), ("\u{E9}VE", "1"), (other, "2"), ("e\u{301}ve", "2")] {
      #expect(try await registry.user(named: name, in: alpha)?.id == id)
    }
    let policy = LockoutPolicy(failuresBeforeLock: 1)
    let (first, second) = (
      AttemptSubject(realm: alpha, username: one), AttemptSubject(realm: alpha, username: other)
    )
    #expect(first != second && first == AttemptSubject(realm: alpha, username: "\u{E9}ve"))
    #expect(try await registry.takeAttempt(first, policy: policy, now: start) == .granted)
    #expect(try await registry.takeAttempt(first, policy: policy, now: start) == .locked(until: later(30)))
    #expect(try await registry.takeAttempt(second, policy: policy, now: start) == .granted)
  }

  @Test(arguments: RegistryKind.allCases) func countsAttemptsUntilTheyAreReset(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    let policy = LockoutPolicy(failuresBeforeLock: 2, firstLock: .seconds(10), failuresForGood: 4)
    let subject = AttemptSubject(realm: alpha, username: "Mira")
    let same = AttemptSubject(realm: alpha, username: "mira")
    #expect(try await registry.takeAttempt(subject, policy: policy, now: start) == .granted)
    #expect(try await registry.takeAttempt(same, policy: policy, now: start) == .granted)
    #expect(try await registry.takeAttempt(subject, policy: policy, now: later(9)) == .locked(until: later(10)))
    #expect(
      try await registry.takeAttempt(AttemptSubject(realm: .root, username: "mira"), policy: policy, now: start)
        == .granted)
    #expect(try await registry.takeAttempt(subject, policy: policy, now: later(10)) == .granted)
    #expect(try await registry.takeAttempt(subject, policy: policy, now: later(30)) == .granted)
    #expect(
      try await registry.takeAttempt(subject, policy: policy, now: later(9_999_999))
        == .locked(until: UnixTime(milliseconds: .max)))
    try await registry.resetAttempts(same)
    #expect(try await registry.takeAttempt(subject, policy: policy, now: start) == .granted)
  }

  @Test(arguments: RegistryKind.allCases) func boundsTheSubjectsItCounts(kind: RegistryKind) async throws {
    let registry = try kind.make(directory, limits: RegistryLimits(attemptSubjects: 3))
    let policy = LockoutPolicy(failuresBeforeLock: 1)
    for index in 0..<10 {
      let subject = AttemptSubject(realm: alpha, username: "n\(index)")
      #expect(try await registry.takeAttempt(subject, policy: policy, now: later(index)) == .granted)
    }
    // The newest is still locked, the oldest has given way.
    let newest = AttemptSubject(realm: alpha, username: "n9")
    #expect(try await registry.takeAttempt(newest, policy: policy, now: later(10)) != .granted)
    let oldest = AttemptSubject(realm: alpha, username: "n0")
    #expect(try await registry.takeAttempt(oldest, policy: policy, now: later(10)) == .granted)
  }

  @Test(arguments: RegistryKind.allCases) func storesOneKeyUnderOneName(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    #expect(try await registry.addDevice(device("a"), limit: 0) == .added)
    #expect(try await registry.addDevice(device("a"), limit: 1) == .alreadyPresent)
    #expect(try await registry.addDevice(device("a", key: "other"), limit: 0) == .conflict)
    #expect(try await registry.addDevice(device("a", user: "u2"), limit: 0) == .conflict)
    #expect(try await registry.addDevice(device("a", user: "u2", realm: .root), limit: 0) == .added)
    #expect(try await registry.addDevice(device("b"), limit: 1) == .limitReached)
    #expect(try await registry.addDevice(device("A"), limit: 2) == .added)
    let names = try await registry.devices(ofUser: "u1", family: .binding, realm: alpha).map(\.externalID)
    #expect(names == ["a", "A"])
    #expect(try await registry.device("a", family: .binding, realm: alpha) == device("a"))
    #expect(try await registry.device("a", family: .init(rawValue: "webauthn"), realm: alpha) == nil)
    try await registry.touchDevice(device("a"), at: later(5))
    #expect(try await registry.device("a", family: .binding, realm: alpha)?.lastAccessAt == later(5))
    #expect(try await registry.removeDevice("a", ofUser: "u2", family: .binding, realm: alpha) == nil)
    #expect(try await registry.removeDevice("a", ofUser: "u1", family: .binding, realm: alpha)?.externalID == "a")
    #expect(try await registry.removeDevice("a", ofUser: "u1", family: .binding, realm: alpha) == nil)
    #expect(try await registry.device("a", family: .binding, realm: .root) != nil)
  }

  @Test(arguments: RegistryKind.allCases) func raisesCountersAndNeverRepeatsThem(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    var counting = device("a")
    #expect(try await registry.addDevice(counting, limit: 0) == .added)
    // Zero after zero: a device without counter.
    #expect(try await registry.advanceDevice(counting))
    counting.attributes = ["backedUp": true]
    let used = counting
    let accepted = try await withThrowingTaskGroup(of: Int64?.self) { group in
      for counter in (1...50 as ClosedRange<Int64>).shuffled() {
        group.addTask {
          var device = used
          device.counter = counter
          return try await registry.advanceDevice(device) ? counter : nil
        }
      }
      return try await group.reduce(into: [Int64]()) { if let counter = $1 { $0.append(counter) } }
    }
    #expect(accepted.contains(50))
    let stored = try #require(try await registry.device("a", family: .binding, realm: alpha))
    #expect(stored.counter == 50 && stored.attributes == ["backedUp": true])
    for counter in [0, 49, 50] as [Int64] {
      counting.counter = counter
      #expect(try await registry.advanceDevice(counting) == false)
    }
    counting = device("b")
    #expect(try await registry.advanceDevice(counting) == false)
  }

  @Test(arguments: RegistryKind.allCases) func neverChangesASecretOnceMade(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    let first = try await registry.secret("s", orElse: SecretBytes([1, 2, 3]))
    let second = try await registry.secret("s", orElse: SecretBytes([4, 5, 6]))
    #expect(first.matches([1, 2, 3]) && second.matches([1, 2, 3]))
    #expect(try await registry.secret("t", orElse: SecretBytes([4])).matches([4]))
  }

  @Test(arguments: RegistryKind.allCases) func forgetsOldTokenKeys(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    func key(_ id: String, _ time: Int) -> TokenKeyRecord {
      TokenKeyRecord(id: id, secret: SecretBytes([UInt8](repeating: 1, count: 32)), createdAt: later(time))
    }
    try await registry.addTokenKey(key("a", 0), forgettingBefore: start)
    try await registry.addTokenKey(key("b", 100), forgettingBefore: start)
    #expect(try await registry.tokenKeys().map(\.id) == ["b", "a"])
    await #expect(throws: RegistryError(.conflict)) {
      try await registry.addTokenKey(key("b", 300), forgettingBefore: later(200))
    }
    #expect(try await registry.tokenKeys().map(\.id) == ["b", "a"])
    try await registry.addTokenKey(key("c", 200), forgettingBefore: later(50))
    #expect(try await registry.tokenKeys().map(\.id) == ["c", "b"])
  }
}
