import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Foundation
import Testing

@Suite struct SQLiteRegistryTests {
  let directory: TemporaryDirectory
  let alpha: Realm
  let now = UnixTime(milliseconds: 1_767_225_600_000)

  init() throws {
    directory = try TemporaryDirectory()
    alpha = try #require(Realm("alpha"))
  }

  private func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

  private func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

  // MARK: Starting again

  @Test func everythingIsThereAfterARestart() async throws {
    let clock = ManualClock()
    let device = try Device()
    let first = try await Harness(registry: try SQLiteRegistry(path: directory.file()), clock: clock)
    _ = try await first.bind(device)
    let token = try await first.session()
    let pending = try await first.start("Login")
    let used = try await first.start("Login")
    let next = try await first.post(first.credentials(used, "noor", "wrong"))

    let second = try await Harness(registry: try SQLiteRegistry(path: directory.file()), clock: clock, users: [])
    #expect(try await second.start("Login", session: token).token == token)
    #expect(try await second.sign(device).token != nil)
    #expect(try await second.post(second.credentials(pending)).token != nil)
    #expect(try await second.post(second.credentials(used)).status == 401)
    #expect(try await second.post(second.credentials(next)).token != nil)
  }

  @Test func locksOutlastRestarts() async throws {
    let clock = ManualClock()
    for attempt in 0..<5 {
      let harness = try await Harness(registry: try SQLiteRegistry(path: directory.file()), clock: clock)
      #expect(try await harness.login("mira", "wrong").status == 200, "attempt \(attempt)")
    }
    let harness = try await Harness(registry: try SQLiteRegistry(path: directory.file()), clock: clock)
    #expect(try await harness.login().message == "Your account has been locked.")
    clock.advance(by: 31)
    #expect(try await harness.login().token != nil)
  }

  @Test(arguments: ["9223372036854775807", "-9223372036854775808"])
  func aCountAtTheEndOfTheRangeIsCountedOnFrom(count: String) async throws {
    let path = directory.file()
    let harness = try await Harness(registry: try SQLiteRegistry(path: path))
    #expect(try await harness.login("mira", "wrong").status == 200)
    try directory.tamper(path, "UPDATE attempt SET failures = \(count)")
    // The attempt of now is still compared; what it leads to follows from the count.
    #expect(try await harness.login("mira", "wrong").status == 200)
    #expect((try await harness.login().token == nil) == !count.hasPrefix("-"))
  }

  @Test func keepsWhatItAcknowledgedWhenKilled() async throws {
    let path = directory.file()
    for round in 0..<3 {
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
        let realm = try #require(Realm("alpha"))
        let registry = try SQLiteRegistry(path: path)
        let now = UnixTime(milliseconds: 1_767_225_600_000)
        let subject = AttemptSubject(realm: realm, username: "mira")
        _ = try await registry.takeAttempt(subject, policy: LockoutPolicy(failuresBeforeLock: 99), now: now)
        let device = DeviceRecord(
          family: .binding, realm: realm, externalID: "k\(round)", userID: "u", uuid: "x", name: "n", deviceID: "d",
          key: [:], createdAt: now, lastAccessAt: now)
        _ = try await registry.addDevice(device, limit: 0)
        let journey = try #require(JourneyID([UInt8](repeating: UInt8(round), count: 16)))
        _ = try await registry.consumeStep(1, ofJourney: journey, expiresAt: now.advanced(by: .seconds(300)), now: now)
        kill(getpid(), SIGKILL)
      }
    }
    let registry = try SQLiteRegistry(path: path)
    let devices = try await registry.devices(ofUser: "u", family: .binding, realm: alpha)
    #expect(devices.map(\.externalID) == ["k0", "k1", "k2"])
    for round in 0..<3 as Range<UInt8> {
      let journey = try #require(JourneyID([UInt8](repeating: round, count: 16)))
      #expect(
        try await registry.consumeStep(
          1, ofJourney: journey, expiresAt: now.advanced(by: .seconds(300)), now: now) == false)
    }
    let policy = LockoutPolicy(failuresBeforeLock: 4)
    let subject = AttemptSubject(realm: alpha, username: "mira")
    #expect(try await registry.takeAttempt(subject, policy: policy, now: now) == .granted)
    #expect(try await registry.takeAttempt(subject, policy: policy, now: now) != .granted)
  }

  @Test func twoServersShareOneFile() async throws {
    let one = try SQLiteRegistry(path: directory.file())
    let two = try SQLiteRegistry(path: directory.file())
    let id = try #require(JourneyID([UInt8](repeating: 5, count: 16)))
    let (expiry, now) = (now.advanced(by: .seconds(300)), now)
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<60 {
        let registry = index % 2 == 0 ? one : two
        group.addTask { try await registry.consumeStep(1, ofJourney: id, expiresAt: expiry, now: now) }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
  }

  @Test func oneRefusedWriteDoesNotHurtItsNeighbors() async throws {
    let registry = try SQLiteRegistry(path: directory.file())
    let alpha = alpha
    let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<40 {
        group.addTask {
          do {
            // Every name is asked for twice.
            let user = UserRecord(id: "id\(index)", realm: alpha, name: "user\(index / 2)", password: nil)
            try await registry.addUser(user)
            return true
          } catch let error as RegistryError where error.code == .conflict {
            return false
          }
        }
      }
      return try await group.reduce(into: [Bool: Int]()) { $0[$1, default: 0] += 1 }
    }
    #expect(outcomes == [true: 20, false: 20])
  }

  // MARK: Files

  /// In a process of its own: the umask belongs to all of it.
  @Test func onlyItsOwnerMayReadTheFile() async {
    await #expect(processExitsWith: .success) { [path = directory.file() as String] in
      umask(0)
      let registry = try SQLiteRegistry(path: path)
      withExtendedLifetime(registry) {
        for suffix in ["", "-wal", "-shm"] {
          var status = stat()
          #expect(stat(path + suffix, &status) == 0)
          #expect(status.st_mode & 0o777 == 0o600, "\(suffix)")
        }
      }
    }
  }

  @Test func refusesWhatIsNoRegistry() throws {
    let text = [UInt8]("this is not a database, and never was one; it is long enough to look at".utf8)
    try write([UInt8](repeating: 0x41, count: 4096) + text, to: directory.file("text"))
    #expect(throws: RegistryError(.notARegistry)) { try SQLiteRegistry(path: directory.file("text")) }
    #expect(throws: RegistryError(.notARegistry)) { try SQLiteRegistry(path: directory.path) }
    _ = try SQLiteRegistry(path: directory.file())
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("link"), withDestinationPath: directory.file())
    #expect(throws: RegistryError(.notARegistry)) { try SQLiteRegistry(path: directory.file("link")) }
    try directory.tamper(directory.file("other.db"), "CREATE TABLE mine (a); PRAGMA application_id = 7;")
    let before = try bytes(directory.file("other.db"))
    #expect(throws: RegistryError(.notARegistry)) { try SQLiteRegistry(path: directory.file("other.db")) }
    #expect(try bytes(directory.file("other.db")) == before)
    #expect(throws: RegistryError(.failed)) { try SQLiteRegistry(path: directory.path + "/none/registry.db") }
  }

  @Test func leavesNewerFilesAlone() throws {
    do { _ = try SQLiteRegistry(path: directory.file()) }
    try directory.tamper(directory.file(), "PRAGMA user_version = 1000; PRAGMA journal_mode = DELETE;")
    let before = try bytes(directory.file())
    #expect(throws: RegistryError(.newer)) { try SQLiteRegistry(path: directory.file()) }
    #expect(try bytes(directory.file()) == before)
  }

  @Test(arguments: [
    "CREATE TRIGGER t AFTER INSERT ON user BEGIN DELETE FROM device; END;",
    "CREATE VIEW v AS SELECT * FROM user;", "DROP TABLE attempt;", "ALTER TABLE user ADD COLUMN extra TEXT;",
    "CREATE TABLE more (a);",
  ]) func refusesAnotherSchema(sql: String) throws {
    do { _ = try SQLiteRegistry(path: directory.file()) }
    try directory.tamper(directory.file(), sql)
    #expect(throws: RegistryError(.damaged)) { try SQLiteRegistry(path: directory.file()) }
  }

  @Test func survivesCutAndFlippedFiles() async throws {
    let path = directory.file()
    do {
      let registry = try SQLiteRegistry(path: path)
      try await registry.addUser(UserRecord(id: "1", realm: alpha, name: "mira", password: nil))
    }
    try directory.tamper(path, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;")
    let whole = try bytes(path)
    #expect(whole.count > 4096)

    /// A registry of such a file answers or throws its own error; nothing else may happen.
    func probe(_ content: [UInt8]) async throws {
      let copy = directory.file("copy.db")
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
      try write(content, to: copy)
      do {
        let registry = try SQLiteRegistry(path: copy)
        _ = try await registry.user(named: "mira", in: alpha)
        _ = try await registry.tokenKeys()
        try await registry.addUser(UserRecord(id: "2", realm: alpha, name: "noor", password: nil))
      } catch is RegistryError {}
    }
    for length in stride(from: 512, to: whole.count, by: 8192) { try await probe(Array(whole[..<length])) }
    for offset in Array(stride(from: 0, to: 100, by: 5)) + Array(stride(from: 100, to: whole.count, by: 2999)) {
      var bent = whole
      bent[offset] ^= 0xFF
      try await probe(bent)
    }
  }

  @Test func aFileThatWasEmptyIsARegistryAfterwards() async throws {
    try write([], to: directory.file())
    let registry = try SQLiteRegistry(path: directory.file())
    #expect(try await registry.tokenKeys().isEmpty)
  }
}
