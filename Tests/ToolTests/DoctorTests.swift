import AuthenticatorCoding
import AuthenticatorJourneyServer
import Glibc
import TestMachine
import Testing
import ToolSupport

/// `doctor`: healthy, and with each fault by itself.
@Suite struct DoctorTests {
  private let folder: TemporaryFolder
  private let bench: Bench

  init() async throws {
    bench = try await Bench()
    folder = bench.folder
    try bench.person()
  }

  private func healthy(_ changes: [String: String?] = [:], without flag: String? = nil) -> [String] {
    var options: [String: String?] = [
      "--store": bench.store, "--device": "scripted:" + folder.file("device.json"), "--server": bench.url,
    ]
    options.merge(changes) { $1 }
    var words: [String] = ["doctor", "--allow-software-keys", "--json"]
    words.removeAll { $0 == flag }
    for (name, value) in options { if let value { words += [name, value] } }
    return words
  }

  /// Expects that nothing but `check` is wrong, and that what is said about it begins and can be put right like this.
  private func expectFault(
    _ check: String, _ message: String = "", fix: String, _ arguments: [String], environment: [String: String?] = [:]
  ) async throws {
    let (status, json) = try await bench.run(arguments, environment: environment)
    expectFault(check, message, fix: fix, status, json)
  }

  private func expectFault(_ check: String, _ message: String, fix: String, _ status: Int32, _ json: JSONValue) {
    #expect(status == 3)
    #expect(json["healthy"] == false)
    let found = json["checks"]?.arrayValue?.first { $0["check"] == .string(check) }
    #expect(message.isEmpty || found?["message"]?.stringValue?.contains(message) == true)
    #expect(found?["fix"]?.stringValue?.contains(fix) == true, "\(json.serializedString())")
    for entry in json["checks"]?.arrayValue ?? [] {
      let isFault = entry["check"] == .string(check)
      #expect((entry["status"] == "fault") == isFault, "\(entry.serializedString())")
      #expect((entry["fix"]?.stringValue?.isEmpty == false) == isFault, "each fault has its fix")
      #expect(entry["message"]?.stringValue?.isEmpty == false)
    }
  }

  @Test func aHealthySetUp() async throws {
    let (status, json) = try await bench.run(healthy())
    #expect(status == 0)
    #expect(json["healthy"] == true)
    let checks = json["checks"]?.arrayValue ?? []
    #expect(checks.map { $0["check"] } == ["store", "keyProtection", "verifier", "pam", "server"])
    #expect(checks.map { $0["status"] } == ["ok", "ok", "ok", "skipped", "ok"])
    #expect(!folder.contents().contains { $0.hasPrefix("keys") }, "looking makes no store")
    let plain = try await Tool.run(healthy(without: "--json"))
    #expect(plain.status == 0 && plain.stdout.contains("ok  store"))
  }

  @Test func printsTheLimitsInForce() async throws {
    let (_, json) = try await bench.run(healthy())
    let limits = try #require(json["limits"])
    #expect(limits["client"]?["answerBytes"] == 1_048_576)
    #expect(limits["client"]?["jsonDepth"] == 64)
    #expect(limits["client"]?["callbacksPerNode"] == 100)
    #expect((limits["client"]?["steps"]?.intValue ?? 0) >= 30)
    #expect(limits["pin"]?["tries"] == 10)
    #expect(limits["pin"]?["delaySeconds"]?.arrayValue?.isEmpty == false)
    #expect(limits["prompt"]?["touchesBeforeLockout"] == 5)
    #expect(limits["webauthn"]?["challengeBytes"] == 8192 && limits["webauthn"]?["credentialIdBytes"] == 1023)
    #expect(limits["webauthn"]?["timeoutSeconds"] == ["default": 300, "least": 5, "most": 600])
    #expect(limits["webauthn"]?["algorithms"]?.arrayValue?.contains(-7) == true)
    #expect(limits["server"]?["lockout"]?["failuresBeforeLock"]?.intValue != nil)
    let server = JourneyServerLimits.default
    let numbers = [
      "jsonValues": server.jsonValues, "textBytes": server.textBytes, "stateBytes": server.stateBytes,
      "receiveSeconds": 15, "passwordQueue": server.passwordQueue, "failuresPerAddress": server.failuresPerAddress,
      "connections": server.connections, "usernameBytes": PasswordAuthority.maximumUsernameBytes,
      "passwordBytes": PasswordAuthority.maximumPasswordBytes, "addressIntervalSeconds": 60,
    ]
    for (name, number) in numbers { #expect(limits["server"]?[name]?.intValue == number, "\(name)") }
    #expect(limits["client"]?["requestSeconds"] == 30)
    #expect(limits["client"]?["shortestPollingWaitMilliseconds"] == 250)
    #expect(limits["pin"]?["triesPerPrompt"] == 3)
    #expect(limits["store"]?["busySeconds"] == 5)
  }

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

  @Test func noKeyProtection() async throws {
    try await expectFault(
      "keyProtection", "there is no key hardware", fix: "--allow-software-keys",
      healthy(without: "--allow-software-keys"))
  }

  @Test(arguments: [
    (#"{"version": 1, "sensor": "none", "enrolled": [], "passcode": null}"#, "enroll a fingerprint"),
    (
      #"{"version": 1, "sensor": "fingerprint", "enrolled": ["a"], "passcode": "1", "lockedOut": true}"#,
      "give the device passcode once"
    ),
    (
      #"{"version": 1, "sensor": "face", "enrolled": ["a"], "passcode": "1", "domainState": "unreadable"}"#,
      "start the sensor's service"
    ),
    ("{}", "correct the file named with --device scripted:"), ("no JSON", "correct the file named with --device"),
  ]) func aVerifierThatVerifiesNobody(device: String, fix: String) async throws {
    try folder.write("device.json", device)
    try await expectFault("verifier", fix: fix, healthy())
  }

  @Test func aLockedSensorIsToldHowItCanBeUnlocked() async throws {
    for (passcode, fix) in [("\"1\"", "give the device passcode once"), ("null", "set a device passcode")] {
      try folder.write(
        "device.json",
        #"{"version": 1, "sensor": "face", "enrolled": ["a"], "passcode": \#(passcode), "failedAttempts": 5}"#)
      let (_, json) = try await bench.run(healthy())
      let verifier = json["checks"]?.arrayValue?.first { $0["check"] == "verifier" }
      #expect(verifier?["fix"]?.stringValue?.hasPrefix(fix) == true)
    }
  }

  @Test func noTerminalToAskOn() async throws {
    try folder.write("authenticator-test", "auth required pam_permit.so\n", mode: 0o644)
    try await expectFault(
      "verifier", "there is no terminal", fix: "give --device scripted:FILE in scripts",
      healthy(["--device": "terminal", "--pam-folder": folder.path, "--pam-service": "authenticator-test"]))
  }

  @Test func noPAMService() async throws {
    // On a terminal, where nothing else is wrong; what is printed goes to a file.
    let words = healthy(["--device": "linux", "--pam-folder": folder.path])
    let terminal = try PseudoTerminal(
      "sh", ["-c", #"out=$1; shift; exec "$@" >"$out""#, "sh", folder.file("out"), Tool.path] + words)
    let (status, screen) = try await terminal.result()
    let text = String(decoding: TemporaryFolder.read(folder.file("out")) ?? [], as: UTF8.self)
    let json = try JSONValue.parse(text)
    let verifier = json["checks"]?.arrayValue?.first { $0["check"] == "verifier" }
    #expect(screen.isEmpty)
    #expect(verifier?["status"] == "skipped", "what is missing is told once")
    expectFault(
      "pam", "there is no service login in \(folder.path)", fix: "name another with --pam-service and --pam-folder",
      status, json)
  }

  @Test func noPAMServiceInWords() async throws {
    let terminal = try PseudoTerminal(
      Tool.path, healthy(["--device": "linux", "--pam-folder": folder.path]).filter { $0 != "--json" })
    let (status, screen) = try await terminal.result()
    #expect(status == 3)
    #expect(screen.contains("fault  pam: there is no service login in \(folder.path)"))
    #expect(screen.contains("--pam-service"))
  }

  @Test func aServerThatIsNotThereOrNoJourneyServer() async throws {
    try await expectFault(
      "server", "cannot be reached", fix: "check that it runs", healthy(["--server": "http://127.0.0.1:1/am"]))
    for changes in [["--server": bench.url + "/elsewhere"], ["--server": bench.url, "--realm": "/nowhere"]] {
      try await expectFault(
        "server", "no journey server at this path, or no such realm", fix: "check the context path", healthy(changes))
    }
    let stranger = try await PythonServer.answering(["status": 200, "body": "<html>", "repeat": true])
    try await expectFault(
      "server", "not as a journey server", fix: "check --server", healthy(["--server": stranger.url]))
    let broken = try await PythonServer.answering(["status": 503, "body": "", "repeat": true])
    try await expectFault(
      "server", "answers 503", fix: "look into the server's log", healthy(["--server": broken.url]))
  }
}
