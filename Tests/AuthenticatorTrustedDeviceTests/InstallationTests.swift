import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Foundation
import Synchronization
import Testing

/// Telling the keys of an earlier installation from one's own.
@Suite struct InstallationTests {
  /// Marks that live as long as the object.
  private final class Marks: InstallationMarkers {
    private let names = Mutex<Set<String>>([])
    private let isBroken = Mutex(false)
    var count: Int { names.withLock { $0.count } }
    func breakDown(_ broken: Bool) { isBroken.withLock { $0 = broken } }
    func contains(_ name: String) async throws -> Bool {
      if isBroken.withLock({ $0 }) { throw AuthenticatorError(.storageFailed) }
      return names.withLock { $0.contains(name) }
    }
    func insert(_ name: String) async throws { names.withLock { _ = $0.insert(name) } }
  }

  @Test func removesWhatAnEarlierInstallationLeft() async throws {
    let marks = Marks()
    let bench = try Bench(configure: { $0.installationMarkers = marks })
    try await bench.signIn()
    try await bench.enroll()
    try await bench.signOut()
    #expect(marks.count == 1)
    #expect(try await bench.restarted().client.trustedDevices.availability() == .available)
    // The app was removed, its folder with it, and is installed again; the store has survived.
    let fresh = Marks()
    let again = bench.restarted(configure: { $0.installationMarkers = fresh })
    #expect(try await again.devices.availability() == .unavailable(.noLocalCredential))
    #expect(try await again.records().count == 1)
    try await again.client.start()
    #expect(try await again.records().isEmpty)
    #expect(fresh.count == 1)
    #expect(again.events.all.contains(.removed(id: "tdc_1", reason: .reinstalled)))
    #expect(again.events.all.contains(.installationReplaced(removed: 1)))
  }

  @Test func twoFirstRunsAtOnceGetOneIdentifier() async throws {
    let device = try TestDevice()
    let scope = CredentialScope(instance: Bench.server, party: "com.example.app")
    let other = Mutex("")
    // Another process makes one after this one found none.
    device.store.interrupt(before: .exchangeItem) {
      let identifier = try await InstallationIdentity(device.context, scope: scope).identifier()
      other.withLock { $0 = identifier }
    }
    let identifier = try await InstallationIdentity(device.context, scope: scope).identifier()
    #expect(identifier == other.withLock { $0 })
    #expect(try await InstallationIdentity(device.context, scope: scope).identifier() == identifier)
  }

  @Test func leavesOtherAppsKeysAlone() async throws {
    let bench = try Bench(configure: { $0.installationMarkers = Marks() })
    let owner = KeyOwner(
      instance: Bench.server, family: .trustedDevice, party: "com.example.other", account: Array("u".utf8))
    let record = try await bench.device.store.stage(
      KeyRequest(owner: owner, algorithms: [.es256]), as: .biometricOnly,
      access: KeyAccess(gate: .verified([.fingerprint])), enrollmentState: nil, ticket: nil)
    _ = try await bench.device.store.commit(record.tag, externalID: [1], details: [])
    try await bench.client.start()
    #expect(try await bench.records([.active]).count == 1)
  }

  @Test func makesNoMarkBeforeEverythingIsGone() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll()
    try await bench.signOut()
    let marks = Marks()
    let again = bench.restarted(configure: { $0.installationMarkers = marks })
    again.device.store.fail(.delete)
    #expect(await failure { try await again.client.start() }?.code == .storageFailed)
    #expect(marks.count == 0)
    #expect(try await again.devices.availability() == .unavailable(.noLocalCredential))
    again.device.store.repair()
    try await again.client.start()
    #expect(marks.count == 1)
    #expect(try await again.records().isEmpty)
  }

  @Test func deletesNothingWhenItCannotTell() async throws {
    let marks = Marks()
    let bench = try Bench(configure: { $0.installationMarkers = marks })
    try await bench.signIn()
    try await bench.enroll()
    marks.breakDown(true)
    let again = bench.restarted()
    #expect(await failure { try await again.client.start() }?.code == .storageFailed)
    #expect(await failure { try await again.devices.availability() }?.code == .storageFailed)
    #expect(try await again.activeIDs() == ["tdc_1"])
  }

  @Test func keepsMarksInAFolder() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("marks-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let marks = FolderInstallationMarkers(folder: folder.path)
    // Nil, nothing and the word nil are three names.
    let names = ["s1:a.n", "s1:a.s0:", "s1:a.s3:nil", "s1:a.s1:n"]
    for name in names {
      #expect(try await !marks.contains(name))
      try await marks.insert(name)
      #expect(try await marks.contains(name))
      try await marks.insert(name)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == names.count)
    let deeper = FolderInstallationMarkers(folder: folder.path + "/missing/deeper")
    #expect(try await !deeper.contains("x"))
    try await deeper.insert("x")
    #expect(try await deeper.contains("x"))
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/missing")[.posixPermissions]
    #expect(mode as? Int == 0o700)
    try Data().write(to: folder.appendingPathComponent("file"))
    let nowhere = FolderInstallationMarkers(folder: folder.path + "/file/deeper")
    #expect(await failure { try await nowhere.insert("x") }?.code == .storageFailed)
    #expect(await failure { try await nowhere.contains("x") }?.code == .storageFailed)
  }
}
