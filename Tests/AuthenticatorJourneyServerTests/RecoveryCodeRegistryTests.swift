import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

/// What every registry does with recovery codes.
@Suite struct RecoveryCodeRegistryTests {
  let directory: TemporaryDirectory
  let alpha: Realm
  let start = UnixTime(milliseconds: 1_767_225_600_000)

  init() throws {
    directory = try TemporaryDirectory()
    alpha = try #require(Realm("alpha"))
  }

  private func device(_ id: String, user: String = "u1") -> DeviceRecord {
    DeviceRecord(
      family: .binding, realm: alpha, externalID: id, userID: user, uuid: "uuid-" + id, name: "n", deviceID: "d",
      key: ["kty": "EC"], createdAt: start, lastAccessAt: start)
  }

  private func code(_ number: UInt8, device: String = "uuid-a", user: String = "u1") -> RecoveryCodeRecord {
    let hash = PasswordHash(
      parameters: ScryptParameters(logN: 6, r: 8, p: 1), salt: [1, 2], digest: [UInt8](repeating: number, count: 32))
    return RecoveryCodeRecord(realm: alpha, userID: user, deviceUUID: device, hash: hash)
  }

  @Test(arguments: RegistryKind.allCases) func storesRecoveryCodesWithTheirDevice(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    let codes = [code(1), code(2)]
    #expect(try await registry.addDevice(device("a"), recoveryCodes: codes, limit: 1) == .added)
    #expect(try await registry.recoveryCodes(ofUser: "u1", realm: alpha) == codes)
    // What is refused leaves no codes behind.
    #expect(try await registry.addDevice(device("a"), recoveryCodes: [code(3)], limit: 1) == .alreadyPresent)
    #expect(try await registry.addDevice(device("b"), recoveryCodes: [code(4)], limit: 1) == .limitReached)
    let foreign = device("a", user: "u2")
    #expect(try await registry.addDevice(foreign, recoveryCodes: [code(5, user: "u2")], limit: 1) == .conflict)
    #expect(try await registry.recoveryCodes(ofUser: "u1", realm: alpha) == codes)
    #expect(try await registry.recoveryCodes(ofUser: "u2", realm: alpha).isEmpty)
    #expect(try await registry.recoveryCodes(ofUser: "u1", realm: .root).isEmpty)
    // The codes of a device go with it, and no others.
    let other = device("b")
    #expect(try await registry.addDevice(other, recoveryCodes: [code(6, device: "uuid-b")], limit: 0) == .added)
    #expect(try await registry.removeDevice("a", ofUser: "u2", family: .binding, realm: alpha) == nil)
    #expect(try await registry.recoveryCodes(ofUser: "u1", realm: alpha).count == 3)
    #expect(try await registry.removeDevice("a", ofUser: "u1", family: .binding, realm: alpha) != nil)
    #expect(try await registry.recoveryCodes(ofUser: "u1", realm: alpha) == [code(6, device: "uuid-b")])
  }

  @Test(arguments: RegistryKind.allCases) func usesARecoveryCodeOnce(kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    let (wanted, other) = (code(1), code(2))
    _ = try await registry.addDevice(device("a"), recoveryCodes: [wanted, other], limit: 0)
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<40 { group.addTask { try await registry.useRecoveryCode(wanted) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
    #expect(try await registry.recoveryCodes(ofUser: "u1", realm: alpha) == [other])
    #expect(try await registry.useRecoveryCode(code(2, user: "u2")) == false)
    #expect(try await registry.useRecoveryCode(code(2, device: "uuid-b")) == false)
  }

  @Test func aDeviceIsNotStoredWithoutItsCodes() async throws {
    let registry = try SQLiteRegistry(path: directory.file())
    // The second code cannot be written, so neither may the first nor the device.
    await #expect(throws: RegistryError(.conflict)) {
      try await registry.addDevice(device("a"), recoveryCodes: [code(1), code(1)], limit: 0)
    }
    #expect(try await registry.device("a", family: .binding, realm: alpha) == nil)
    #expect(try await registry.recoveryCodes(ofUser: "u1", realm: alpha).isEmpty)
    #expect(try await registry.addDevice(device("a"), recoveryCodes: [code(1)], limit: 0) == .added)
  }
}
