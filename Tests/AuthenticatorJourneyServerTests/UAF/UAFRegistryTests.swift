import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorRelyingParty
import Testing

/// What every registry must do with UAF keys.
@Suite struct UAFRegistryTests {
  let directory: TemporaryDirectory
  let alpha: Realm
  let now = UnixTime(milliseconds: 1_767_225_600_000)

  init() throws {
    directory = try TemporaryDirectory()
    alpha = try #require(Realm("alpha"))
  }

  private func key(
    _ number: UInt8, user: String = "u1", aaid: String = "FFFF#F001", realm: Realm? = nil, counter: UInt32 = 0
  ) -> UAFKeyRecord {
    UAFKeyRecord(
      realm: realm ?? alpha, userID: user,
      registration: UAFRegistrationRecord(
        aaid: aaid, keyID: [UInt8](repeating: number, count: 32), publicKey: [4, number], keyForm: .ecRaw,
        signatureForm: .es256DER, signCounter: counter, registrationCounter: 7, authenticatorVersion: 2,
        userVerificationState: number == 9 ? [1, 2] : nil, attestationType: 15879), createdAt: now)
  }

  /// A use of a key that leaves the record as it is given.
  private func use(_ key: UAFKeyRecord, flagged: Bool = false, state: [UInt8]? = nil) -> UAFKeyUse {
    UAFKeyUse(
      realm: key.realm, userID: key.userID, name: key.name, signCounter: key.registration.signCounter,
      isCounterNotIncreased: flagged, authenticatorVersion: key.registration.authenticatorVersion,
      userVerificationState: state, usedAt: key.lastUsedAt ?? now)
  }

  @Test(arguments: RegistryKind.allCases) func keepsKeysByNameAndUser(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    let (first, second) = (key(1), key(9))
    #expect(try await registry.addUAFKeys([first, second], limit: 2) == .added)
    #expect(try await registry.uafKeys(ofUser: "u1", realm: alpha) == [first, second])
    #expect(try await registry.uafKey(second.name, realm: alpha) == second)
    #expect(try await registry.uafKey(second.name, realm: .root) == nil)
    #expect(try await registry.uafKeys(ofUser: "u2", realm: alpha).isEmpty)
    // The same KeyID of another model, and the same name in another realm, are other keys.
    #expect(try await registry.addUAFKeys([key(1, user: "u2", aaid: "FFFF#F002")], limit: 1) == .added)
    #expect(try await registry.addUAFKeys([key(1, realm: .root)], limit: 1) == .added)
    if kind == .sqlite {
      let again = try SQLiteRegistry(path: directory.file())
      #expect(try await again.uafKeys(ofUser: "u1", realm: alpha) == [first, second])
    }
  }

  @Test(arguments: RegistryKind.allCases) func storesAllKeysOrNone(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    #expect(try await registry.addUAFKeys([key(1)], limit: 2) == .added)
    #expect(try await registry.addUAFKeys([key(2), key(1, user: "u2")], limit: 9) == .conflict)
    #expect(try await registry.addUAFKeys([key(2), key(2)], limit: 9) == .conflict)
    #expect(try await registry.addUAFKeys([key(2), key(3)], limit: 2) == .limitReached)
    #expect(try await registry.uafKeys(ofUser: "u1", realm: alpha) == [key(1)])
  }

  @Test(arguments: RegistryKind.allCases) func countersOnlyRise(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    #expect(try await registry.addUAFKeys([key(1), key(2)], limit: 9) == .added)
    var (one, two) = (key(1), key(2))
    one.lastUsedAt = now.advanced(by: .seconds(1))
    // Zero after zero: the authenticator counts nothing.
    #expect(try await registry.advanceUAFKeys([use(one)]))
    one.registration.signCounter = 5
    one.registration.userVerificationState = [3]
    #expect(try await registry.advanceUAFKeys([use(one, state: [3])]))
    #expect(try await registry.uafKey(one.name, realm: alpha) == one)
    two.registration.signCounter = 1
    #expect(try await registry.advanceUAFKeys([use(two), use(one)]) == false)
    #expect(try await registry.uafKey(two.name, realm: alpha) == key(2))
    #expect(try await registry.advanceUAFKeys([use(key(3))]) == false)
  }

  /// A set of fingers that was accepted while somebody signed stays accepted.
  @Test(arguments: RegistryKind.allCases) func aUseLeavesTheStateThatWasSetMeanwhile(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    var key = key(9)
    #expect(try await registry.addUAFKeys([key], limit: 9) == .added)
    #expect(try await registry.setUserVerificationState([7], ofKey: key.name, user: "u1", realm: alpha))
    key.registration.signCounter = 1
    #expect(try await registry.advanceUAFKeys([use(key)]))
    #expect(try await registry.uafKey(key.name, realm: alpha)?.registration.userVerificationState == [7])
  }

  /// A counter that was seen not to rise stays; all else is written down, and the key must still be there.
  @Test(arguments: RegistryKind.allCases) func aFlaggedUseStoresAllButTheCounter(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    var key = key(1, counter: 5)
    #expect(try await registry.addUAFKeys([key], limit: 9) == .added)
    key.lastUsedAt = now.advanced(by: .seconds(1))
    key.registration.userVerificationState = [8]
    var flagged = use(key, flagged: true, state: [8])
    flagged.signCounter = 3
    #expect(try await registry.advanceUAFKeys([flagged]))
    #expect(try await registry.uafKey(key.name, realm: alpha) == key)
    // Gone, and then another user's.
    #expect(try await registry.removeUAFKeys(nil, ofUser: "u1", realm: alpha).count == 1)
    #expect(try await registry.advanceUAFKeys([flagged]) == false)
    #expect(try await registry.addUAFKeys([self.key(1, user: "u2")], limit: 9) == .added)
    #expect(try await registry.advanceUAFKeys([flagged]) == false)
    #expect(try await registry.uafKey(key.name, realm: alpha)?.lastUsedAt == nil)
  }

  @Test(arguments: RegistryKind.allCases) func onlyOneOfManyWithOneCounterAdvances(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    #expect(try await registry.addUAFKeys([key(1, counter: 1)], limit: 9) == .added)
    let next = use(key(1, counter: 2))
    let won = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 { group.addTask { try await registry.advanceUAFKeys([next]) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(won == 1)
  }

  @Test(arguments: RegistryKind.allCases) func onlyTheOwnerChangesAndRemoves(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    #expect(try await registry.addUAFKeys([key(1), key(2), key(9)], limit: 9) == .added)
    let name = key(1).name
    #expect(try await registry.setUserVerificationState([7], ofKey: name, user: "u2", realm: alpha) == false)
    #expect(try await registry.setUserVerificationState([7], ofKey: name, user: "u1", realm: alpha))
    #expect(try await registry.uafKey(name, realm: alpha)?.registration.userVerificationState == [7])
    #expect(try await registry.removeUAFKeys(nil, ofUser: "u2", realm: alpha).isEmpty)
    #expect(try await registry.removeUAFKeys([name, key(8).name], ofUser: "u1", realm: alpha).map(\.name) == [name])
    #expect(try await registry.removeUAFKeys(nil, ofUser: "u1", realm: alpha).count == 2)
    #expect(try await registry.uafKeys(ofUser: "u1", realm: alpha).isEmpty)
  }

  @Test(arguments: RegistryKind.allCases) func aChallengeIsUsedOnce(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    let use = ChallengeUse(id: [1, 2, 3], expiresAt: now.advanced(by: .seconds(60)))
    let start = now
    let won = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { try await registry.useChallenge(use, now: start) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(won == 1)
    #expect(try await registry.useChallenge(ChallengeUse(id: [4], expiresAt: use.expiresAt), now: now))
  }

  @Test(arguments: RegistryKind.allCases) func usedChallengesAreBoundedAndForgotten(kind: RegistryKind) async throws {
    let registry = try kind.make(directory, limits: RegistryLimits(sessions: 2))
    func use(_ number: UInt8, at time: UnixTime) async throws -> Bool {
      try await registry.useChallenge(
        ChallengeUse(id: [number], expiresAt: time.advanced(by: .seconds(60))), now: time)
    }
    #expect(try await use(1, at: now))
    #expect(try await use(2, at: now))
    #expect(try await use(2, at: now) == false)
    await #expect(throws: RegistryError(.full)) { try await use(3, at: now) }
    // Long after they have expired there is room again.
    #expect(try await use(3, at: now.advanced(by: .seconds(3600))))
  }

  // MARK: Files of earlier versions

  @Test func bringsAFileOfTheThirdVersionUpToDate() async throws {
    try directory.tamper(
      directory.file(), EarlierRegistry.firstVersion + EarlierRegistry.rows + EarlierRegistry.laterSteps)
    let registry = try SQLiteRegistry(path: directory.file())
    #expect(try await registry.user(named: "mira", in: alpha)?.id == "u1")
    #expect(try await registry.trustedDevice("tdc_1", realm: alpha)?.userID == "u1")
    #expect(try await registry.uafKeys(ofUser: "u1", realm: alpha).isEmpty)
    #expect(try await registry.addUAFKeys([key(9)], limit: 1) == .added)
    #expect(try await SQLiteRegistry(path: directory.file()).uafKey(key(9).name, realm: alpha) == key(9))
  }

  @Test func aFileOfTheFirstVersionGetsTheTableToo() async throws {
    try directory.tamper(directory.file(), EarlierRegistry.firstVersion + EarlierRegistry.rows)
    let registry = try SQLiteRegistry(path: directory.file())
    #expect(try await registry.addUAFKeys([key(1)], limit: 1) == .added)
  }

  @Test func aTableInTheWayChangesNothing() async throws {
    try directory.tamper(
      directory.file(), EarlierRegistry.firstVersion + EarlierRegistry.laterSteps + "CREATE TABLE uaf_key (a);")
    #expect(throws: RegistryError.self) { try SQLiteRegistry(path: directory.file()) }
    try directory.tamper(directory.file(), "DROP TABLE uaf_key;")
    #expect(try await SQLiteRegistry(path: directory.file()).uafKeys(ofUser: "u1", realm: alpha).isEmpty)
  }
}
