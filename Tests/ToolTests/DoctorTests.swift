import AuthenticatorCoding
import AuthenticatorJourneyServer
import Glibc
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

  /// The status of each check, when nothing but `check` is wrong.
  private func expectFault(_ check: String, _ arguments: [String]) async throws {
    let (status, json) = try await bench.run(arguments)
    #expect(status == 3)
    #expect(json["healthy"] == false)
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
    try await expectFault("store", healthy(["--store": folder.file("text")]))
    let (_, json) = try await bench.run(healthy(["--store": folder.file("text")]))
    let message = json["checks"]?[0]?["message"]?.stringValue
    #expect(message?.hasPrefix(folder.file("text") + ": ") == true, "the file is named")
    #expect(symlink(folder.file("text"), folder.file("link")) == 0)
    try await expectFault("store", healthy(["--store": folder.file("link")]))
    try await expectFault("store", healthy(["--store": folder.file("text/keys.sqlite")]))
  }

  @Test func aStoreThatCannotBeMade() async throws {
    try await expectFault("store", healthy(["--store": "/proc/nowhere/keys.sqlite"]))
    try await expectFault("store", healthy(["--store": "/proc/keys.sqlite"]))
    let (status, _) = try await bench.run(healthy(["--store": folder.file("new/keys.sqlite")]))
    #expect(status == 0)
    #expect(!folder.contents().contains { $0.contains("doctor") || $0.hasPrefix("new") }, "trying leaves nothing")
  }

  @Test func aStoreOfALaterVersionOrDamaged() async throws {
    try bench.person(Bench.touch)
    try await bench.bind()
    var bytes = try #require(TemporaryFolder.read(bench.store))
    bytes.removeLast(bytes.count / 2)
    try await expectFault("store", healthy(["--store": try folder.write("cut", bytes: bytes)]))
  }

  @Test func noKeyProtection() async throws {
    try await expectFault("keyProtection", healthy(without: "--allow-software-keys"))
  }

  @Test func aVerifierThatVerifiesNobody() async throws {
    try folder.write("device.json", #"{"version": 1, "sensor": "none", "enrolled": [], "passcode": null}"#)
    try await expectFault("verifier", healthy())
    try folder.write(
      "device.json", #"{"version": 1, "sensor": "fingerprint", "enrolled": ["a"], "passcode": "1", "lockedOut": true}"#)
    try await expectFault("verifier", healthy())
    try folder.write(
      "device.json",
      #"{"version": 1, "sensor": "face", "enrolled": ["a"], "passcode": "1", "domainState": "unreadable"}"#)
    try await expectFault("verifier", healthy())
    try folder.write("device.json", "{}")
    try await expectFault("verifier", healthy())
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
      "verifier",
      healthy(["--device": "terminal", "--pam-folder": folder.path, "--pam-service": "authenticator-test"]))
  }

  @Test func noPAMService() async throws {
    let terminal = try PseudoTerminal(
      Tool.path, healthy(["--device": "linux", "--pam-folder": folder.path]).filter { $0 != "--json" })
    let (status, screen) = try await terminal.result()
    #expect(status == 3)
    #expect(screen.contains("fault  pam: there is no service login in \(folder.path)"))
    #expect(screen.contains("--pam-service"))
  }

  @Test func aServerThatIsNotThereOrNoJourneyServer() async throws {
    try await expectFault("server", healthy(["--server": "http://127.0.0.1:1/am"]))
    try await expectFault("server", healthy(["--server": bench.url + "/elsewhere"]))
    try await expectFault("server", healthy(["--server": bench.url, "--realm": "/nowhere"]))
    let stranger = try await PythonServer.answering(["status": 200, "body": "<html>", "repeat": true])
    try await expectFault("server", healthy(["--server": stranger.url]))
    let broken = try await PythonServer.answering(["status": 503, "body": "", "repeat": true])
    try await expectFault("server", healthy(["--server": broken.url]))
  }
}
