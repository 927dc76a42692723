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
    let tasks = try await TrustedDeviceBench { $0.pendingTasks = ["setup-mfa"] }
    try tasks.person()
    var login = try await tasks.login()
    // The offer comes first; what is left to do is told all the same.
    #expect(login["next"] == "enrollment")
    #expect(login["tasks"] == ["setup-mfa"])
    let reconciled = try await Tool.run(tasks.arguments("reconcile", []).filter { $0 != "--json" })
    #expect(reconciled.stdout.contains("(left to do in the session: setup-mfa; the server was not asked)"))
    _ = try await tasks.run("sign-out")
    login = try await tasks.login()
    #expect(login["next"] == "tasks")
    #expect(login["tasks"] == ["setup-mfa"])
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
    #expect(try await strict.keys().isEmpty)
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
}
