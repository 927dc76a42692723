import AuthenticatorCoding
import Glibc
import Testing
import ToolSupport

/// What goes wrong, and how the tool says so.
extension TrustedDeviceTests {
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
}
