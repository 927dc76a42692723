import AuthenticatorCoding
import Glibc
import TestMachine
import Testing
import ToolSupport

/// What can be wrong with the store, and with where it is.
extension DoctorTests {
  @Test func anUnusableStore() async throws {
    try folder.write("text", String(repeating: "no store ", count: 100))
    let other = "name another file with --store"
    // The file is named.
    try await expectFault(
      "store", folder.file("text") + ": ", fix: other, healthy(["--store": folder.file("text")]))
    #expect(symlink(folder.file("text"), folder.file("link")) == 0)
    try await expectFault("store", fix: other, healthy(["--store": folder.file("link")]))
    try await expectFault("store", fix: "--store", healthy(["--store": folder.file("text/keys.sqlite")]))
  }

  @Test func aStoreThatCannotBeMade() async throws {
    for path in ["/proc/nowhere/keys.sqlite", "/proc/keys.sqlite"] {
      try await expectFault("store", "cannot be made", fix: "name another place", healthy(["--store": path]))
    }
    let (status, _) = try await bench.run(healthy(["--store": folder.file("new/keys.sqlite")]))
    #expect(status == 0)
    #expect(!folder.contents().contains { $0.contains("doctor") || $0.hasPrefix("new") }, "trying leaves nothing")
  }

  @Test func aStoreOfALaterVersion() async throws {
    let store = try await boundStore { bytes in
      // SQLite's user_version, with the most significant byte first.
      bytes.replaceSubrange(60..<64, with: [0, 0, 0, 99])
    }
    let before = TemporaryFolder.read(store)
    try await expectFault(
      "store", "storeNewer", fix: "use the version of this tool that wrote it", healthy(["--store": store]))
    #expect(TemporaryFolder.read(store) == before)
  }

  @Test func aDamagedStore() async throws {
    let store = try await boundStore { $0.removeLast($0.count / 2) }
    try await expectFault("store", fix: "bind anew", healthy(["--store": store]))
  }

  @Test func aDamagedRecord() async throws {
    try bench.person(Bench.touch)
    try await bench.bind("BindDeviceBiometricOnly", as: "noa")
    let store = try await boundStore { _ in }
    let edit = """
      import sqlite3, sys
      with sqlite3.connect(sys.argv[1]) as store:
          name, sealed = store.execute("SELECT tag, record FROM keys ORDER BY tag").fetchone()
          store.execute("UPDATE keys SET record = ? WHERE tag = ?", (sealed[:-1] + bytes([sealed[-1] ^ 1]), name))
      """
    let edited = try await ChildProcess("python3", ["-c", edit, store]).result()
    #expect(edited.status == 0, "\(edited.stderr)")
    try await expectFault(
      "store", "1 of 2 records cannot be read", fix: "authenticator keys delete", healthy(["--store": store]))
  }

  /// A copy of a store with a key, changed.
  private func boundStore(_ change: (inout [UInt8]) -> Void) async throws -> String {
    try bench.person(Bench.touch)
    try await bench.bind()
    var bytes = try #require(TemporaryFolder.read(bench.store))
    change(&bytes)
    return try folder.write("copy", bytes: bytes)
  }

  @Test(.enabled(if: Skips.unless(SmallDisk.isPossible))) func noRoom() async throws {
    let disk = try SmallDisk(bytes: 256 * 1024)
    defer { disk.unmount() }
    for isThere in [false, true] {
      if isThere { _ = try await keep(on: disk) }
      try disk.fill(leaving: 0)
      try await expectFault(
        "store", "there is no room", fix: "make room on the file system of \(disk.path)",
        healthy(["--store": disk.file("keys.sqlite")]))
      try disk.free()
      #expect(try await bench.run(healthy(["--store": disk.file("keys.sqlite")])).0 == 0)
    }
  }

  @Test(.enabled(if: Skips.unless(SmallDisk.isPossible))) func aStoreThatCannotBeWritten() async throws {
    let disk = try SmallDisk(bytes: 1024 * 1024)
    defer { disk.unmount() }
    let store = try await keep(on: disk)
    try disk.makeReadOnly()
    try await expectFault(
      "store", "cannot be written", fix: "make the file and its folder writable", healthy(["--store": store]))
    try await expectFault(
      "store", "cannot be made", fix: "name another place with --store",
      healthy(["--store": disk.file("another.sqlite")]))
  }

  /// A store with a key on that disk.
  private func keep(on disk: SmallDisk) async throws -> String {
    let store = disk.file("keys.sqlite")
    let bytes = try #require(TemporaryFolder.read(try await boundStore { _ in }))
    let file = try #require(fopen(store, "we"))
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    fclose(file)
    chmod(store, 0o600)
    return store
  }

  @Test func aStoreThatAnotherProgramHolds() async throws {
    let store = try await boundStore { _ in }
    let hold = """
      import sqlite3, sys, time
      store = sqlite3.connect(sys.argv[1], isolation_level=None)
      store.execute("PRAGMA locking_mode = EXCLUSIVE")
      store.execute("BEGIN EXCLUSIVE")
      print("held", flush=True)
      time.sleep(600)
      """
    let holder = try ChildProcess("python3", ["-c", hold, store])
    #expect(try await holder.firstLine() == "held")
    try await expectFault(
      "store", "(busy)", fix: "end the other program that uses the store", healthy(["--store": store]))
    holder.end()
    #expect(try await bench.run(healthy(["--store": store])).0 == 0)
  }

  @Test func aFolderThatOthersMayWrite() async throws {
    _ = try await boundStore { _ in }
    func check(_ mode: mode_t, of folder: String, store: String) async throws -> JSONValue? {
      #expect(chmod(folder, mode) == 0)
      defer { chmod(folder, 0o700) }
      let (status, json) = try await bench.run(healthy(["--store": store]))
      #expect(status == 0 && json["healthy"] == true, "nothing fails")
      return json["checks"]?.arrayValue?.first { $0["check"] == "store" }
    }
    let keys = folder.file("keys")
    for (mode, isOpen) in [(0o700, false), (0o755, false), (0o777, true), (0o1777, true)] as [(mode_t, Bool)] {
      let store = try await check(mode, of: keys, store: bench.store)
      #expect(store?["status"] == (isOpen ? "warning" : "ok"), "\(String(mode, radix: 8))")
      #expect(store?["message"]?.stringValue?.contains("everybody may write to \(keys)") == isOpen)
      #expect(store?["fix"]?.stringValue?.contains("chmod go-w") ?? false == isOpen)
    }
    // From a folder above, the whole folder could be replaced; a sticky bit keeps others from that. So it is for a
    // store that is not there yet.
    for store in [bench.store, folder.file("new/keys.sqlite")] {
      #expect(try await check(0o777, of: folder.path, store: store)?["status"] == "warning")
      #expect(try await check(0o1777, of: folder.path, store: store)?["status"] == "ok")
    }
    #expect(chmod(keys, 0o777) == 0)
    let plain = try await Tool.run(healthy(without: "--json"))
    #expect(plain.status == 0 && plain.stdout.contains("warning  store: everybody may write"))
  }
}
