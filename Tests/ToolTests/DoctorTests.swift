import AuthenticatorCoding
import AuthenticatorJourneyServer
import Glibc
import Testing
import ToolSupport

/// `doctor`: healthy, and with each fault by itself.
@Suite struct DoctorTests {
  let folder: TemporaryFolder
  let bench: Bench

  init() async throws {
    bench = try await Bench()
    folder = bench.folder
    try bench.person()
  }

  func healthy(_ changes: [String: String?] = [:], without flag: String? = nil) -> [String] {
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
  func expectFault(
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
    #expect(limits["uaf"]?["messageBytes"] == 1_048_576 && limits["uaf"]?["assertionBytes"] == 4096)
    #expect(limits["uaf"]?["transactionCharacters"] == 200 && limits["uaf"]?["operationSeconds"] == 120)
    #expect(limits["uaf"]?["algorithms"] == [1, 2, 3, 4, 8, 9] && limits["uaf"]?["versions"] == ["1.1", "1.0"])
    #expect(limits["server"]?["uaf"]?["quota"] == 10 && limits["server"]?["uaf"]?["enrollmentPolicy"] == "stepUp")
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
    (
      #"{"version": 1, "sensor": "face", "sensorAvailable": false, "enrolled": ["a"], "passcode": "1"}"#,
      "start its service, and check your permission to use it"
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
