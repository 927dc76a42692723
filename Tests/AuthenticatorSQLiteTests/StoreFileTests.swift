import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorSQLite
import Foundation
import TestMachine
import Testing

/// What may stand at a store's path, and what a store puts there.
@Suite struct StoreFileTests {
  /// In a process of its own: the umask belongs to all of it.
  @Test(arguments: [0, 0o777] as [mode_t]) func modesDoNotDependOnTheUmask(mask: mode_t) async {
    await #expect(processExitsWith: .success) { [mask = mask as mode_t] in
      let folder = try TemporaryFolder()
      let path = folder.path + "/made/for/keys.authstore"
      umask(mask)
      let store = try await TestStore.open(path)
      _ = try await TestStore.active(store)
      for name in ["", "-wal", "-shm"] { #expect(try TemporaryFolder.mode(path + name) == 0o600, "\(name)") }
      #expect(try TemporaryFolder.mode(folder.path + "/made") == 0o700)
      #expect(try TemporaryFolder.mode(folder.path + "/made/for") == 0o700)
      #expect(try await store.records(matching: .everything).count == 1)
    }
  }

  @Test func aWideModeIsTightened() async throws {
    let folder = try TemporaryFolder()
    _ = try await TestStore.open(folder.store)
    chmod(folder.store, 0o666)
    _ = try await TestStore.open(folder.store)
    #expect(try TemporaryFolder.mode(folder.store) == 0o600)
  }

  @Test(arguments: [(0o644, 0o600), (0o400, 0o400), (0o444, 0o400), (0o755, 0o600), (0o200, 0o200), (0, 0)])
  func aModeIsOnlyTakenFrom(_ mode: Int, _ expected: Int) async throws {
    let folder = try TemporaryFolder()
    _ = try await TestStore.open(folder.store)
    chmod(folder.store, mode_t(mode))
    // Whether it can be read then depends on who runs this.
    _ = await code { try await TestStore.open(folder.store) }
    #expect(try TemporaryFolder.mode(folder.store) == mode_t(expected))
  }

  @Test func aReadOnlyFileIsReadAndNotWritten() async throws {
    let folder = try TemporaryFolder()
    let key = try await TestStore.active(try await TestStore.open(folder.store))
    let before = try folder.bytes()
    chmod(folder.store, 0o400)
    let store = try await TestStore.open(folder.store)
    #expect(store.isReadOnly)
    #expect(try await TestStore.signs(store, key))
    #expect(await code { try await TestStore.active(store) } == .storageFailed)
    // Who must write before something is shown learns it first, and which file it is.
    do {
      try store.checkWritable()
      Issue.record("nothing was said")
    } catch let error as AuthenticatorError {
      #expect(error.code == .storageFailed && error.reason == "the store is read-only: \(folder.store)")
    }
    #expect(try folder.bytes() == before)
    #expect(try folder.names() == ["keys.authstore"])
    chmod(folder.store, 0o600)
    let writable = try await TestStore.open(folder.store)
    try writable.checkWritable()
    _ = try await TestStore.active(writable)
    #expect(try await store.records(matching: .everything).count == 2, "what was written since is seen")
  }

  @Test(.enabled(if: Skips.unless(Driver.canBeBoundByModes)))
  func aFolderThatNothingCanBeAddedToIsReadFrom() async throws {
    let folder = try TemporaryFolder()
    _ = try await TestStore.active(try await TestStore.open(folder.store))
    #expect(try folder.names() == ["keys.authstore"])
    chmod(folder.path, 0o500)
    defer { chmod(folder.path, 0o700) }
    #expect(try Driver.run(["look", folder.store], byModes: true).lines == ["ok open", "ok signed 1", "ok done"])
    #expect(try Driver.run(["stage", folder.store], byModes: true).lines == ["ok open", "error storageFailed"])
    chmod(folder.store, 0)
    #expect(try Driver.run(["look", folder.store], byModes: true).lines == ["error storageFailed"])
    #expect(try TemporaryFolder.mode(folder.store) == 0)
  }

  /// What stands in the log and not yet in the file is no less written.
  @Test(.enabled(if: Skips.unless(Driver.canBeBoundByModes)))
  func aLogInAFolderThatNothingCanBeAddedToIsReadToo() async throws {
    let folder = try TemporaryFolder()
    let copy = try TemporaryFolder()
    let store = try await TestStore.open(folder.store)
    _ = try await TestStore.active(store)
    for suffix in ["", "-wal"] {
      try copy.write(try folder.bytes("keys.authstore" + suffix), "keys.authstore" + suffix)
      chmod(copy.store + suffix, 0o600)
    }
    #expect(!(try copy.bytes("keys.authstore-wal").isEmpty))
    chmod(copy.path, 0o500)
    defer { chmod(copy.path, 0o700) }
    #expect(try Driver.run(["look", copy.store], byModes: true).lines == ["ok open", "ok signed 1", "ok done"])
    #expect(!store.isReadOnly)
  }

  @Test func aSymbolicLinkIsRefused() async throws {
    let folder = try TemporaryFolder()
    _ = try await TestStore.open(folder.path + "/real")
    let before = try folder.bytes("real")
    for target in ["real", "nowhere"] {
      symlink(folder.path + "/" + target, folder.store)
      #expect(await code { try await TestStore.open(folder.store) } == .notAStore)
      #expect(await code { try await TestStore.open(folder.store, TestStore.options(isReadOnly: true)) } == .notAStore)
      unlink(folder.store)
    }
    #expect(try folder.bytes("real") == before)
    #expect(try folder.names() == ["real"])
  }

  @Test func aLinkInTheFolderPathIsFollowed() async throws {
    let folder = try TemporaryFolder()
    mkdir(folder.path + "/real", 0o700)
    symlink(folder.path + "/real", folder.path + "/link")
    _ = try await TestStore.open(folder.path + "/link/keys")
    #expect(FileManager.default.fileExists(atPath: folder.path + "/real/keys"))
  }

  @Test func aFileWithASecondNameIsRefused() async throws {
    let folder = try TemporaryFolder()
    _ = try await TestStore.open(folder.path + "/real")
    link(folder.path + "/real", folder.store)
    #expect(await code { try await TestStore.open(folder.store) } == .notAStore)
  }

  @Test func whatIsNoRegularFileIsRefused() async throws {
    let folder = try TemporaryFolder()
    mkfifo(folder.path + "/pipe", 0o600)
    mkdir(folder.path + "/folder", 0o700)
    for name in ["pipe", "folder"] {
      #expect(await code { try await TestStore.open(folder.path + "/" + name) } == .notAStore)
    }
    for path in ["", "/", ".", folder.path + "/", folder.path + "/..", folder.path + "/a\0b"] {
      #expect(await code { try await TestStore.open(path) } == .notAStore, "\(path)")
    }
    #expect(try folder.names() == ["folder", "pipe"])
  }

  @Test(.enabled(if: Skips.unless(geteuid() == 0))) func aFileOfSomeoneElseIsRefused() async throws {
    let folder = try TemporaryFolder()
    _ = try await TestStore.open(folder.store)
    chown(folder.store, 12345, 12345)
    #expect(await code { try await TestStore.open(folder.store) } == .notAStore)
  }

  @Test func linksBesideTheStoreAreRefused() async throws {
    for suffix in ["-wal", "-shm", "-journal"] {
      let folder = try TemporaryFolder()
      _ = try await TestStore.open(folder.store)
      try folder.write([1, 2, 3], "victim")
      symlink(folder.path + "/victim", folder.store + suffix)
      #expect(await code { try await TestStore.open(folder.store) } == .notAStore)
      #expect(try folder.bytes("victim") == [1, 2, 3])
    }
  }

  @Test func aRollbackJournalBesideTheStoreIsRefused() async throws {
    let folder = try TemporaryFolder()
    _ = try await TestStore.open(folder.store)
    let before = try folder.bytes()
    try folder.write(
      [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7] + [UInt8](repeating: 0, count: 600), "keys.authstore-journal")
    #expect(await code { try await TestStore.open(folder.store) } == .storeDamaged)
    #expect(try folder.bytes() == before)
  }

  @Test func aFileThatIsNoStoreIsRefusedAndKept() async throws {
    let folder = try TemporaryFolder()
    try RawDatabase.run(folder.path + "/foreign", "CREATE TABLE notes(text TEXT)", "PRAGMA user_version = 1")
    for content in [[], [0x53], [UInt8](repeating: 0x41, count: 9000), Array("SQLite format 3\0".utf8)]
      + [try folder.bytes("foreign")]
    {
      try folder.write(content)
      for mode: mode_t in [0o755, 0o444] {
        #expect(chmod(folder.store, mode) == 0)
        #expect(await code { try await TestStore.open(folder.store) } == .notAStore)
        #expect(
          await code { try await TestStore.open(folder.store, TestStore.options(isReadOnly: true)) } == .notAStore)
        #expect(try TemporaryFolder.mode(folder.store) == mode)
      }
      #expect(chmod(folder.store, 0o600) == 0)
      #expect(try folder.bytes() == content)
    }
  }

  @Test func aNewerStoreIsRefusedAndKept() async throws {
    let folder = try TemporaryFolder()
    _ = try await TestStore.open(folder.store)
    try RawDatabase.run(folder.store, "PRAGMA user_version = 2")
    let before = try folder.bytes()
    let names = try folder.names()
    #expect(chmod(folder.store, 0o640) == 0)
    for isReadOnly in [false, true] {
      #expect(
        await code { try await TestStore.open(folder.store, TestStore.options(isReadOnly: isReadOnly)) } == .storeNewer)
      #expect(try folder.bytes() == before)
      #expect(try TemporaryFolder.mode(folder.store) == 0o640)
      // Reading needs the shared memory of the log, and without the right to write nobody takes it away again.
      if !isReadOnly { #expect(try folder.names() == names) }
    }
  }

  /// The log of a newer store may hold what its main file does not: it is not written back either.
  @Test func theLogOfANewerStoreIsKept() async throws {
    let folder = try TemporaryFolder()
    let copy = try TemporaryFolder()
    let store = try await TestStore.open(folder.store)
    try RawDatabase.run(folder.store, "PRAGMA user_version = 2")
    for suffix in ["", "-wal"] {
      try copy.write(try folder.bytes("keys.authstore" + suffix), "keys.authstore" + suffix)
    }
    let before = [try copy.bytes(), try copy.bytes("keys.authstore-wal")]
    #expect(!before[1].isEmpty)
    #expect(await code { try await TestStore.open(copy.store) } == .storeNewer)
    #expect([try copy.bytes(), try copy.bytes("keys.authstore-wal")] == before)
    #expect(!store.isReadOnly)
  }

  // MARK: Migration

  /// What a second schema version might look like.
  private static func second(_ steps: [Schema.Step]) -> Schema {
    Schema(
      version: 2, statements: Schema.current.statements + ["CREATE TABLE notes(text TEXT) STRICT"], steps: steps)
  }

  @Test func anOlderStoreIsBroughtUpToDate() async throws {
    let folder = try TemporaryFolder()
    let key = try await TestStore.active(try await TestStore.open(folder.store))
    var options = TestStore.options()
    options.schema = Self.second([.init(from: 1, ["CREATE TABLE notes(text TEXT) STRICT"])])
    let migrated = try await TestStore.open(folder.store, options)
    #expect(try await TestStore.signs(migrated, key))
    #expect(try RawDatabase.run(folder.store, "PRAGMA user_version") == [["2"]])
    #expect(try await TestStore.signs(try await TestStore.open(folder.store, options), key))
    #expect(await code { try await TestStore.open(folder.store) } == .storeNewer)
  }

  @Test func aFailedMigrationChangesNothing() async throws {
    let folder = try TemporaryFolder()
    let key = try await TestStore.active(try await TestStore.open(folder.store))
    var options = TestStore.options()
    options.schema = Self.second([.init(from: 1, ["CREATE TABLE notes(text TEXT) STRICT", "CREATE TABLE keys(x)"])])
    #expect(await code { try await TestStore.open(folder.store, options) } == .storageFailed)
    #expect(try RawDatabase.run(folder.store, "PRAGMA user_version") == [["1"]])
    #expect(try await TestStore.signs(try await TestStore.open(folder.store), key))
  }

  @Test func aStoreWithoutAWayToThePresentIsRefused() async throws {
    let folder = try TemporaryFolder()
    _ = try await TestStore.open(folder.store)
    try RawDatabase.run(folder.store, "PRAGMA user_version = 0")
    #expect(await code { try await TestStore.open(folder.store) } == .storeDamaged)
    try RawDatabase.run(folder.store, "PRAGMA user_version = -1")
    #expect(await code { try await TestStore.open(folder.store) } == .storeDamaged)
  }
}
