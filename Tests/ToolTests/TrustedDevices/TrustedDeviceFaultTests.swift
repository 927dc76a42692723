import AuthenticatorCoding
import AuthenticatorJourneyServer
import TestMachine
import Testing
import ToolSupport

/// What the `trusted-device` verbs do, and say, when something is not as it should be.
@Suite struct TrustedDeviceFaultTests {
  private func plain(_ bench: TrustedDeviceBench, _ verb: String, _ more: String..., at url: String? = nil)
    async throws -> ChildProcess.Result
  {
    try await Tool.run(bench.arguments(verb, more, at: url).filter { $0 != "--json" })
  }

  // MARK: Sessions

  @Test func keepsItsSessionWhenATokenIsRefused() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    _ = try await bench.login()
    let (status, json) = try await bench.run("list", "--device-token", "no token of this server")
    #expect(status == 1)
    #expect(json["error"] == "signedOut")
    #expect(json["message"]?.stringValue?.contains("refused the device token") == true)
    #expect(try await bench.run("list").0 == 0)
  }

  /// The session cannot be kept, and the key cannot be destroyed: neither passes for done.
  @Test(.enabled(if: Skips.unless(SmallDisk.isPossible), "nothing can be mounted"))
  func saysWhatAFullDiskKeepsItFrom() async throws {
    let bench = try await TrustedDeviceBench()
    let disk = try SmallDisk(bytes: 256 * 1024)
    defer { disk.unmount() }
    func run(_ verb: String, _ more: String...) async throws -> ChildProcess.Result {
      try await Tool.run(bench.arguments(verb, more).map { $0 == bench.store ? disk.file("keys.sqlite") : $0 })
    }
    try bench.person(Bench.touch)
    let login = ["--identifier", "mira", "--password", "correct horse"]
    #expect(try await run("login", login[0], login[1], login[2], login[3]).status == 0)
    #expect(try await run("enroll").status == 0)
    try disk.fill(leaving: 0)
    let revoked = try await run("revoke", "--current")
    #expect(revoked.status == 3)
    #expect(try revoked.json()["status"] == "revoked")
    #expect(revoked.stderr.contains("could not be destroyed"))
    try disk.free()
    #expect(try await run("reconcile").status == 0)
    #expect(try await run("sign-out").status == 0)
    try disk.fill(leaving: 0)
    let unsaved = try await run("login", login[0], login[1], login[2], login[3])
    #expect(unsaved.status == 3)
    #expect(try unsaved.json()["status"] == "complete" || unsaved.json()["error"] == "storageFailed")
    try disk.free()
  }

  @Test(arguments: ["login", "sign-up"]) func refusesAnEmptyPassword(_ verb: String) async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    let name = verb == "login" ? "--identifier" : "--username"
    let (status, json) = try await bench.run(verb, name, "mira", "--password", "")
    #expect(status == 2)
    #expect(json["error"] == "usage")
  }

  // MARK: Looking

  @Test func sendsNothingWhenOnlyLocalStateIsAskedFor() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    let (status, json) = try await bench.run("availability", "--local", at: "http://127.0.0.1:1")
    #expect(status == 0)
    #expect(json["reason"] == "environmentUnavailable")
  }

  @Test func reportsARemovalOnOneLine() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    try await bench.enroll("--device-name", "Desk\ntdc_forged  Door  ios  active\u{1B}[2J")
    let list = try await plain(bench, "list")
    #expect(list.status == 0)
    #expect(list.stdout.split(separator: "\n").count == 1)
    #expect(!list.stdout.contains("\u{1B}"))
  }

  // MARK: Messages

  @Test func saysWhatAndWhere() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    for verb in ["sign-in", "login", "availability"] {
      let more = verb == "login" ? ["--identifier", "mira", "--password", "x"] : []
      let result = try await Tool.run(bench.arguments(verb, more, at: "http://127.0.0.1:1"))
      #expect(result.status == 3, "\(verb)")
      #expect(result.stdout.contains("http://127.0.0.1:1/v1/"), "\(verb): \(result.stdout)")
    }
    let journey = try await Tool.run(["login", "--server", "http://127.0.0.1:1/am", "--json"])
    #expect(journey.stdout.contains("http://127.0.0.1:1/am/"))

    let nothing = try await plain(bench, "sign-in")
    #expect(nothing.status == 1)
    #expect(nothing.stderr.contains("this installation is not enrolled (noLocalCredential)"))

    let login = try await plain(bench, "login", "--identifier", "mira", "--password", "correct horse")
    #expect(login.stdout.contains("trusted-device enroll --server \(bench.url)"))
    let (status, json) = try await bench.run("revoke", "tdc_unknown")
    #expect(status == 1)
    #expect(json["message"]?.stringValue?.contains("tdc_unknown") == true)

    try bench.folder.write("authority", "no certificate")
    for words in [
      bench.arguments("list", ["--ca", bench.folder.file("authority")]),
      ["login", "--server", "https://127.0.0.1:1/am", "--ca", bench.folder.file("authority"), "--json"],
    ] {
      let result = try await Tool.run(words)
      #expect(result.status == 3)
      #expect(result.stdout.contains(bench.folder.file("authority")))
      #expect(result.stdout.contains("no certificate in PEM"))
    }
  }

  @Test func reachesTheServerByTheKeyItPrints() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    let key = try #require(PublishableKey.test(url: bench.url))
    let result = try await Tool.run(
      [
        "trusted-device", "login", "--publishable-key", key, "--identifier", "mira", "--password", "correct horse",
        "--json",
      ] + bench.deviceOptions)
    #expect(result.status == 0, "\(result.stdout)")
  }

  // MARK: Options of `login`

  private func walk(_ bench: TrustedDeviceBench, _ journey: String, _ more: String...) async throws -> JSONValue {
    let answers = ["--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"]
    let result = try await Tool.run(
      ["login", "--server", bench.url, "--journey", journey] + (journey == "EnrollTrustedDevice" ? answers : [])
        + bench.deviceOptions + more + ["--json"])
    return try result.json()
  }

  @Test func heedsTheOptionsOfLogin() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person(Bench.touch)
    #expect(try await walk(bench, "EnrollTrustedDevice", "--user", "Desk@Example.com")["outcome"] == "success")
    #expect(try await walk(bench, "LoginTrustedDevice", "--user", "desk@example.com")["outcome"] == "success")
    for authenticator in ["pin", "passcode", "biometric-only"] {
      let json = try await walk(bench, "LoginTrustedDevice", "--authenticator", authenticator)
      #expect(json["ceremonies"]?[0]?["clientError"] == "unsupported_platform", "\(authenticator)")
      #expect(json["prompts"] == [], "\(authenticator)")
    }
    #expect(
      try await walk(bench, "LoginTrustedDevice", "--user", "mira")["ceremonies"]?[0]?["result"]
        == "noLocalCredential")
  }
}
