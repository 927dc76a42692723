import AuthenticatorCoding
import Glibc
import Testing
import ToolSupport

/// The `trusted-device` verbs, run as anybody would.
@Suite struct TrustedDeviceTests {
  @Test func tellsTheWholeStory() async throws {
    let bench = try await TrustedDeviceBench { $0.sessionLifetime = .seconds(3600) }
    try bench.person()
    var (status, json) = try await bench.run("sign-up", "--username", "noor", "--password", "a long password")
    #expect(status == 0)
    #expect(json["status"] == "complete")
    #expect(json["next"] == "enrollment")
    #expect(json["createdUserId"] == json["userId"])
    #expect(json["missingFields"] == [])

    try bench.person(Bench.touch)
    (status, json) = try await bench.run(
      "enroll", "--device-name", "Desk", "--hint", "noor@example.com", "--reason", "Enroll the desk.")
    #expect(status == 0)
    #expect(
      json.objectValue?.names == [
        "id", "object", "platform", "app_identifier", "name", "algorithm", "status", "created_at", "updated_at",
        "last_used_at", "revoked_at", "public_key_thumbprint",
      ])
    #expect(json["name"] == "Desk")
    #expect(json["platform"] == "ios")
    let id = try #require(json["id"]?.stringValue)
    let key = try #require(try await bench.keys().first)
    #expect(key["protocol"] == "trusted-device")
    #expect(key["state"] == "active")
    #expect(key["health"] == "usable")

    (status, json) = try await bench.run("list")
    #expect(status == 0)
    #expect(json.arrayValue?.count == 1)
    #expect(json[0]?["id"] == .string(id))
    #expect(json[0]?["current"] == true)
    (status, json) = try await bench.run("availability")
    #expect(json == ["available": true, "id": .string(id), "reason": .null])

    // The session runs out; only local state is left, and the finger.
    bench.advance(by: .seconds(3601))
    (status, json) = try await bench.run("availability", "--hint", "NOOR@example.com ")
    #expect(status == 0)
    #expect(json == ["available": true, "id": .string(id), "reason": .null])
    try bench.person(Bench.touch)
    (status, json) = try await bench.run("sign-in", "--reason", "Sign in to the desk.")
    #expect(status == 0)
    #expect(json["status"] == "complete")
    #expect(json["createdSessionId"]?.stringValue?.hasPrefix("sess_") == true)
    #expect(json.objectValue?.names == ["status", "createdSessionId"])

    (status, json) = try await bench.run("revoke", id)
    #expect(status == 0)
    #expect(json["status"] == "revoked")
    #expect(try await bench.keys().isEmpty)
    (status, json) = try await bench.run("availability")
    #expect(status == 0)
    #expect(json == ["available": false, "id": .null, "reason": "noLocalCredential"])
    (status, json) = try await bench.run("sign-out")
    #expect(json["signedOut"]?.stringValue != nil)
    (status, json) = try await bench.run("sign-out")
    #expect(status == 0)
    #expect(json == ["signedOut": .null])
    let transcript = String(decoding: TemporaryFolder.read(bench.folder.file("transcript")) ?? [], as: UTF8.self)
    #expect(transcript.contains("Enroll the desk."))
    #expect(transcript.contains("Sign in to the desk."))
  }

  @Test func offersEnrollmentOnceAfterASignIn() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    #expect(try await bench.login()["next"] == "enrollment")
    _ = try await bench.run("sign-out")
    let again = try await bench.login()
    #expect(again["next"] == "complete")
    #expect(again["tasks"] == [])
    let tasks = try await TrustedDeviceBench {
      $0.pendingTasks = ["setup-mfa"]
      $0.promptAfterSignIn = false
    }
    try tasks.person()
    let login = try await tasks.login()
    #expect(login["next"] == "tasks")
    #expect(login["tasks"] == ["setup-mfa"])
  }

  // MARK: Failures

  @Test func saysWhatWentWrong() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person(Bench.touch)
    func expect(_ verb: String, _ more: String..., status: Int32 = 1, error: String) async throws {
      let result = try await Tool.run(bench.arguments(verb, more))
      #expect(result.status == status, "\(verb)")
      let json = try result.json()
      #expect(json["error"] == .string(error), "\(verb)")
      #expect(json.objectValue?.names == ["error", "message", "stage"])
      #expect(json["message"]?.stringValue?.isEmpty == false)
    }
    try await expect("enroll", error: "signedOut")
    try await expect("list", error: "signedOut")
    try await expect("revoke", "--current", error: "signedOut")
    try await expect("sign-in", error: "noLocalCredential")
    try await expect("login", "--identifier", "mira", "--password", "wrong", error: "factorRefused")
    try await expect("login", "--identifier", "mira", status: 3, error: "answerMissing")
    try await expect("login", "--password", "x", status: 3, error: "answerMissing")
    try await expect("sign-up", "--username", "mira", "--password", "a long password", error: "requestRefused")
    try await expect("list", "--device-token", "no token of this server", error: "signedOut")
    try await bench.enroll()
    try await expect("login", "--identifier", "mira", "--password", "correct horse", error: "alreadySignedIn")
    try await expect("revoke", "tdc_unknown", error: "resourceNotFound")
    _ = try await bench.run("sign-out")
    try bench.person(Bench.cancel)
    try await expect("sign-in", error: "userCanceled")
    try bench.person(["do": "mismatch"], ["do": "mismatch"], ["do": "mismatch"])
    try await expect("sign-in", error: "userVerificationFailed")
    try await expect("sign-in", "--id", "tdc_unknown", error: "noLocalCredential")
    try await expect("sign-in", "--hint", "kim@example.com", error: "noLocalCredential")
  }

  @Test func keepsWhatTheServerSwitchedOff() async throws {
    let bench = try await TrustedDeviceBench { $0.trustedDevices = false }
    try bench.person()
    _ = try await bench.login()
    let (status, json) = try await bench.run("enroll")
    #expect(status == 1)
    #expect(json["error"] == "featureDisabled")
    #expect(try await bench.run("availability").1["reason"] == "featureDisabled")
  }

  @Test func namesTheServerThatCannotBeReached() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    for verb in ["sign-in", "availability"] {
      let (status, json) = try await bench.run(verb, at: "http://127.0.0.1:1")
      #expect(status == 3, "\(verb)")
      #expect(json["error"] == (verb == "sign-in" ? "environmentUnavailable" : "transportFailed"))
    }
    let login = try await bench.run(
      "login", "--identifier", "mira", "--password", "x", at: "http://127.0.0.1:1")
    #expect(login.0 == 3)
    #expect(login.1["error"] == "transportFailed")
  }

  @Test(
    arguments: [
      (["trusted-device"], "'trusted-device' wants one of"),
      (["trusted-device", "enroll"], "--server is missing"),
      (["trusted-device", "enroll", "--server", "http://192.0.2.1"], "plain http"),
      (["trusted-device", "enroll", "--publishable-key", "pk_live_!"], "the publishable key"),
      (["trusted-device", "enroll", "--server", "http://127.0.0.1:1", "--policy", "strong"], "--policy is one of"),
      (
        ["trusted-device", "enroll", "--server", "http://127.0.0.1:1", "--replace-scope", "world"],
        "--replace-scope is user or installation"
      ),
      (["trusted-device", "revoke", "--server", "http://127.0.0.1:1"], "give one of ID and --current"),
      (
        ["trusted-device", "revoke", "x", "--current", "--server", "http://127.0.0.1:1"], "give one of ID and --current"
      ),
      (
        ["trusted-device", "login", "--server", "http://127.0.0.1:1", "--password", "x", "--password-file", "y"],
        "cannot both be given"
      ),
      (["trusted-device", "enroll", "--authenticator", "pin"], "unknown option '--authenticator'"),
    ])
  func namesTheWordAtFault(arguments: [String], message: String) async throws {
    let plain = try await Tool.run(arguments)
    #expect(plain.status == 2)
    #expect(plain.stderr.contains(message))
    #expect(plain.stdout.isEmpty)
  }

  @Test(arguments: [
    "login", "sign-up", "sign-out", "enroll", "availability", "reconcile", "sign-in", "list", "revoke",
  ])
  func documentsEveryVerb(verb: String) async throws {
    let help = try await Tool.run(["help", "trusted-device", verb])
    #expect(help.status == 0)
    #expect(help.stdout.contains("usage: authenticator trusted-device \(verb)"))
    #expect(help.stdout.contains("--device-token"))
  }

  @Test func looksWithoutMakingAStore() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    for verb in ["availability", "sign-in", "list", "reconcile", "sign-out"] {
      _ = try await Tool.run(bench.arguments(verb))
      #expect(!bench.folder.contents().contains("keys"), "\(verb)")
    }
  }

  @Test func readsThePasswordFromAFile() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    try bench.folder.write("password", "correct horse\n")
    let (status, json) = try await bench.run(
      "login", "--identifier", "mira", "--password-file", bench.folder.file("password"))
    #expect(status == 0)
    #expect(json["status"] == "complete")
    let piped = try await Tool.run(
      bench.arguments("login", ["--identifier", "noa", "--password-file", "-"]), input: "battery staple\n")
    #expect(try piped.json()["error"] == "alreadySignedIn")
  }

  // MARK: Policies and changed fingers

  @Test func letsPoliciesTellChangedFingersApart() async throws {
    let strict = try await TrustedDeviceBench()
    try strict.person()
    try await strict.enroll("--policy", "biometry_current_set")
    _ = try await strict.run("sign-out")
    // A finger is added in a sign-in that is given up.
    try strict.person(["do": "enroll", "finger": "left-thumb"], ["do": "match", "finger": "left-thumb"])
    var (status, json) = try await strict.run("sign-in")
    #expect(status == 1)
    #expect(json["error"] == "keyInvalidated")
    #expect(json["message"]?.stringValue?.contains("removed") == true)
    #expect(try await strict.run("availability").1["reason"] == "noLocalCredential")
    // The server's credential goes with the next session.
    #expect(try await strict.keys().map { $0["state"] } == ["revoking"])
    _ = try await strict.login()
    #expect(try await strict.keys().isEmpty)
    #expect(try await strict.run("list").1 == [])

    for policy in ["biometry_any", "biometry_or_device_passcode"] {
      let lax = try await TrustedDeviceBench()
      try lax.person()
      try await lax.enroll("--policy", policy)
      _ = try await lax.run("sign-out")
      try lax.person(["do": "enroll", "finger": "left-thumb"], ["do": "match", "finger": "left-thumb"])
      (status, json) = try await lax.run("sign-in")
      #expect(status == 0, "\(policy)")
      #expect(json["status"] == "complete", "\(policy)")
      #expect(try await lax.keys().map { $0["health"] } == ["usable"], "\(policy)")
    }
  }

  @Test func saysThatAVoidKeyIsMissing() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    try await bench.enroll("--policy", "biometry_current_set")
    _ = try await bench.run("sign-out")
    try bench.person(["do": "enroll", "finger": "left-thumb"], Bench.cancel)
    _ = try await Tool.run(
      ["login", "--server", bench.url, "--journey", "BindDevice", "--answer", "NameCallback=mira", "--answer"]
        + ["PasswordCallback=correct horse"] + bench.deviceOptions)
    #expect(try await bench.run("availability").1["reason"] == "localKeyMissing")
    #expect(try await bench.keys().map { $0["state"] } == ["active"], "looking deletes nothing")
    let (status, json) = try await bench.run("sign-in")
    #expect(status == 1)
    #expect(json["error"] == "keyInvalidated")
  }

  @Test func refusesWithoutHardwareUnlessAllowed() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person(Bench.touch)
    _ = try await bench.login()
    let result = try await Tool.run(bench.arguments("enroll").filter { $0 != "--allow-software-keys" })
    #expect(result.status == 1)
    #expect(try result.json()["error"] == "hardwareRequired")
  }

  @Test func learnsOfARevocationElsewhere() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    let id = try #require(try await bench.enroll()["id"]?.stringValue)
    // Another installation of the same user.
    let other = try TemporaryFolder()
    try other.write("device.json", #"{"version": 1, "sensor": "none", "enrolled": [], "passcode": null, "steps": []}"#)
    let elsewhere = ["--server", bench.url, "--store", other.file("keys.sqlite"), "--json"]
    _ = try await Tool.run(
      ["trusted-device", "login", "--identifier", "mira", "--password", "correct horse"] + elsewhere)
    let listed = try await Tool.run(["trusted-device", "list"] + elsewhere)
    #expect(try listed.json()[0]?["current"] == false)
    #expect(try await Tool.run(["trusted-device", "revoke", id] + elsewhere).status == 0)

    #expect(try await bench.run("availability").1["reason"] == "serverCredentialMissing")
    #expect(try await bench.keys().count == 1)
    let (status, json) = try await bench.run("reconcile")
    #expect(status == 0)
    #expect(json["removed"] == [["id": .string(id), "reason": "missingOnServer"]])
    #expect(json["askedServer"] == true)
    #expect(try await bench.keys().isEmpty)
  }

  // MARK: Kills and secrets

  /// Killed between the server's success and its own record: the next verb shows one consistent state.
  @Test(arguments: ["before", "after"]) func survivesAKillBesideTheAttempt(_ moment: String) async throws {
    let bench = try await TrustedDeviceBench()
    // Requests: the password's and the two after it, then prepare and attempt.
    let counting = try await PythonServer.proxy(to: bench.port)
    try bench.person()
    _ = try await bench.login(at: counting.url)
    let before = counting.requests.count
    unlinkStore(bench)
    let proxy = try await PythonServer.proxy(to: bench.port, holding: "\(before + 2):\(moment)")
    _ = try await bench.login(at: proxy.url)
    try bench.person(Bench.touch)
    let tool = try Tool.start(bench.arguments("enroll", at: proxy.url))
    let deadline = ContinuousClock.now + .seconds(300)
    while !proxy.isHolding {
      try #require(ContinuousClock.now < deadline, "the attempt never came")
      try await Task.sleep(for: .milliseconds(10))
    }
    tool.send(SIGKILL)
    #expect(try await tool.result().status == 137)
    #expect(try await bench.keys().map { $0["state"] } == ["staged"])
    try bench.person()
    let (status, json) = try await bench.run("list", at: proxy.url)
    #expect(status == 0)
    #expect(json.arrayValue?.count == (moment == "after" ? 1 : 0))
    let states = try await bench.keys().map { $0["state"] }
    #expect(states == (moment == "after" ? ["active"] : ["staged"]))
    let check = try await Tool.run(["keys", "check", "--json"] + bench.deviceOptions)
    #expect(check.status == 0)
    let checked = try check.json().arrayValue ?? []
    #expect(checked.map { $0["protocol"] } == ["trusted-device"])
    #expect(checked.map { $0["state"] } == states)
    if moment == "after" {
      #expect(json[0]?["current"] == true)
      #expect(checked[0]["health"] == "usable")
      #expect(try await bench.run("reconcile", at: proxy.url).1["pending"] == 0)
    }
    // Either way the person can go on.
    try bench.person(Bench.touch)
    #expect(try await bench.run("enroll", at: proxy.url).0 == 0)
    _ = try await bench.run("sign-out", at: proxy.url)
    try bench.person(Bench.touch)
    #expect(try await bench.run("sign-in", at: proxy.url).0 == 0)
  }

  private func unlinkStore(_ bench: TrustedDeviceBench) {
    for name in bench.folder.contents(of: "keys") { unlink(bench.folder.file(name)) }
  }

  @Test func printsNoSecret() async throws {
    let bench = try await TrustedDeviceBench()
    let proxy = try await PythonServer.proxy(to: bench.port)
    var printed = ""
    func run(_ verb: String, _ more: String...) async throws {
      let result = try await Tool.run(
        bench.arguments(verb, more, at: proxy.url).filter { $0 != "--json" } + ["--verbose"],
        environment: ["AUTHENTICATOR_LOG": "trace"])
      printed += result.stdout + result.stderr
    }
    try bench.person(Bench.touch)
    try await run("login", "--identifier", "mira", "--password", "correct horse")
    try await run("enroll", "--hint", "hint-PLANTED")
    try await run("sign-out")
    try bench.person(Bench.touch)
    try await run("sign-in")
    try await run("list")
    try await run("revoke", "--current")
    #expect(printed.contains("trace: "))
    #expect(printed.contains("enrolled"))
    var secrets: Set<String> = ["correct horse", "hint-PLANTED"]
    for request in proxy.requests {
      for pair in (request["request"]?.stringValue ?? "").split(separator: "&") {
        let halves = pair.split(separator: "=", maxSplits: 1)
        guard halves.count == 2, ["signature", "client_data", "public_key_jwk"].contains(halves[0]) else { continue }
        secrets.insert(String(halves[1]))
      }
    }
    #expect(secrets.count > 4, "the test saw proofs")
    for secret in secrets { #expect(!printed.contains(secret)) }
  }
}
