import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

/// Files of earlier versions.
@Suite struct RegistryUpgradeTests {
  let directory: TemporaryDirectory
  let alpha: Realm
  let now = UnixTime(milliseconds: 1_767_225_600_000)

  init() throws {
    directory = try TemporaryDirectory()
    alpha = try #require(Realm("alpha"))
  }

  /// A file as the first version made it, with a user and a bound device.
  private func makeFirstVersion(_ path: String, and sql: String = "") throws {
    try directory.tamper(path, EarlierRegistry.firstVersion + EarlierRegistry.rows + sql)
  }

  @Test func bringsAFileOfTheFirstVersionUpToDate() async throws {
    try makeFirstVersion(directory.file())
    let registry = try SQLiteRegistry(path: directory.file())
    #expect(try await registry.user(named: "mira", in: alpha)?.id == "u1")
    let bound = try #require(try await registry.device("k1", family: .binding, realm: alpha))
    #expect(bound.userID == "u1" && bound.name == "Phone" && bound.lastAccessAt.milliseconds == 7)
    #expect(try await registry.recoveryCodes(ofUser: "u1", realm: alpha).isEmpty)
    let device = DeviceRecord(
      family: .webAuthn, realm: alpha, externalID: "c1", userID: "u1", uuid: "d1", name: "n", deviceID: "", key: [:],
      createdAt: now, lastAccessAt: now)
    let hash = PasswordHash(
      parameters: ScryptParameters(logN: 6, r: 8, p: 1), salt: [1], digest: [UInt8](repeating: 1, count: 32))
    let code = RecoveryCodeRecord(realm: alpha, userID: "u1", deviceUUID: "d1", hash: hash)
    #expect(try await registry.addDevice(device, recoveryCodes: [code], limit: 0) == .added)
    // Opened again, it is as it was left.
    let again = try SQLiteRegistry(path: directory.file())
    #expect(try await again.recoveryCodes(ofUser: "u1", realm: alpha) == [code])
    #expect(try await again.device("k1", family: .binding, realm: alpha) == bound)
  }

  @Test func severalMayBringAFileUpToDateAtOnce() async throws {
    try makeFirstVersion(directory.file())
    let path = directory.file()
    try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<6 {
        group.addTask {
          try await SQLiteRegistry(path: path).user(id: "u1", in: Realm("alpha") ?? .root)?.name
        }
      }
      for try await name in group { #expect(name == "Mira") }
    }
  }

  @Test(arguments: [
    ("CREATE TRIGGER t AFTER INSERT ON device BEGIN DELETE FROM user; END;", "DROP TRIGGER t;"),
    ("CREATE TABLE recovery_code (a);", "DROP TABLE recovery_code;"),
  ]) func changesNothingInAFileThatCannotBeBroughtUpToDate(damage: String, repair: String) async throws {
    try makeFirstVersion(directory.file(), and: damage)
    #expect(throws: RegistryError.self) { try SQLiteRegistry(path: directory.file()) }
    // Half of the step would be in the way now.
    try directory.tamper(directory.file(), repair)
    let registry = try SQLiteRegistry(path: directory.file())
    #expect(try await registry.user(id: "u1", in: alpha) != nil)
  }
}
