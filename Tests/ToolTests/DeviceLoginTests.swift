import AuthenticatorCoding
import Testing
import ToolSupport

/// `login` where the device is asked for a key or a proof.
@Suite struct DeviceLoginTests {
  @Test(
    arguments: [
      ("BindDevice", [Bench.touch], "biometricAllowFallback", "biometryAny|devicePasscode", "software", "biometric"),
      ("BindDeviceBiometricOnly", [Bench.touch], "biometricOnly", "biometryCurrentSet", "software", "biometric"),
      ("BindDevicePIN", [Bench.pin("2718")], "applicationPIN", "applicationPIN", "softwarePINWrapped", "pin"),
      ("BindDeviceNone", [], "none", "none", "software", nil),
    ] as [(String, [JSONValue], String, String, String, String?)])
  func bindsAndSignsWithEveryWireType(
    journey: String, steps: [JSONValue], type: String, policy: String, protection: String, prompt: String?
  ) async throws {
    let bench = try await Bench()
    for name in [journey, "SignDevice"] {
      try bench.person(steps.first ?? Bench.cancel)
      let (status, json) = try await bench.run(bench.login(name))
      #expect(status == 0)
      #expect(json["outcome"] == "success")
      #expect(json["session"]?["tokenId"]?.stringValue?.isEmpty == false)
      #expect(json["prompts"]?.arrayValue?.map { $0["kind"]?.stringValue } == (prompt.map { [$0] } ?? []))
      #expect(json["ceremonies"]?[0]?["result"] == "signed")
    }
    let keys = try await bench.keys()
    try #require(keys.count == 1)
    #expect(keys[0]["authenticator"] == .string(type))
    #expect(keys[0]["policy"] == .string(policy))
    #expect(keys[0]["protection"] == .string(protection))
    #expect(keys[0]["health"] == "usable")
  }

  @Test func wrongPINsAreToldWithTheTriesLeftAndTheWait() async throws {
    let bench = try await Bench()
    try bench.person(Bench.pin("2718"))
    try await bench.bind("BindDevicePIN")
    let wrong = Bench.pin("0000")
    // The clock stands still, so that the wait does too.
    try bench.person(wrong, wrong, wrong, now: SystemMoment.milliseconds)
    let (status, json) = try await bench.run(bench.login("SignDevice"))
    #expect(status == 1)
    #expect(json["ceremonies"]?[0]?["result"] == "userVerificationFailed")
    #expect(json["ceremonies"]?[0]?["attemptsRemaining"] == 7)
    #expect(json["ceremonies"]?[0]?["retryAfter"] == 5)
    let plain = try await Tool.run(bench.login("SignDevice").filter { $0 != "--json" })
    #expect(plain.status == 1)
    #expect(plain.stderr.contains("the device answered lockedOut; attempts remaining: 7; try again in 5 s"))
  }

  @Test func aDeviceWhoseFilesCannotBeUsedIsToldBeforeAnythingIsSent() async throws {
    let bench = try await Bench()
    let state = try bench.folder.write(
      "state", #"{"version": 1, "failedAttempts": 9223372036854775807, "enrolled": ["a"]}"#)
    for (member, path) in [("transcript", bench.folder.file("missing/transcript")), ("state", state)] {
      try bench.folder.write(
        "device.json", #"{"version": 1, "sensor": "fingerprint", "enrolled": ["a"], "\#(member)": "\#(path)"}"#)
      let (status, json) = try await bench.run(bench.login("BindDevice", at: "http://127.0.0.1:1/am"))
      #expect(status == 3)
      #expect(json["error"] == "inputUnusable", "the server, which is not there, was not asked")
      #expect(json["message"]?.stringValue?.contains(path) == true)
      #expect(json["outcome"] == "failure" && json["status"] == .null)
    }
  }

  @Test func aCancelledFirstBindLeavesNothing() async throws {
    let bench = try await Bench()
    try bench.person(Bench.cancel)
    let (status, json) = try await bench.run(bench.login("BindDevice"))
    #expect(status == 1)
    #expect(json["outcome"] == "failure" && json["code"] == "loginFailure")
    #expect(json["prompts"] == [["kind": "biometric", "result": "userCanceled"]])
    #expect(json["ceremonies"]?[0]?["clientError"] == "Abort")
    #expect(try await bench.keys() == [])
  }

  @Test func aCancelledRebindLeavesTheOldKeyWorking() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    let before = try await bench.keys()
    try bench.person(Bench.cancel)
    #expect(try await bench.run(bench.login("BindDevice")).0 == 1)
    #expect(try await bench.keys().map { $0["tag"] } == before.map { $0["tag"] })
    try bench.person(Bench.touch)
    #expect(try await bench.run(bench.login("SignDevice")).0 == 0)
  }

  @Test func aChangedSetForcesBindingAnew() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    try bench.person(["do": "enroll", "finger": "left-thumb"], Bench.touch)
    let (status, json) = try await bench.run(bench.login("SignDevice"))
    #expect(status == 1)
    #expect(json["ceremonies"]?[0]?["result"] == "deviceNotRegistered")
    #expect(json["ceremonies"]?[0]?["clientError"] == "ClientNotRegistered")
    #expect(try await bench.keys() == [])
    try bench.person(Bench.touch)
    try await bench.bind()
    #expect(try await bench.run(bench.login("SignDevice")).0 == 0)
  }

  @Test func softwareKeysMustBeAllowedByName() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    let (status, json) = try await bench.run(bench.login("BindDevice", software: false))
    #expect(status == 1)
    #expect(json["ceremonies"]?[0]?["clientError"] == "Unsupported")
    #expect(json["prompts"] == [], "decided before anything is shown")
    #expect(try await bench.keys() == [])
    #expect(try await bench.run(bench.login("BindDeviceNone", software: false)).0 == 0, "NONE needs no protection")
  }

  @Test(arguments: [["do": "noAnswer"], ["do": "hang"]] as [JSONValue])
  func silenceEndsAtTheTimeLimit(step: JSONValue) async throws {
    let bench = try await Bench()
    try bench.person(step)
    let (status, json) = try await bench.run(bench.login("BindDevice", ["--timeout", "4"]))
    #expect(status == 1)
    #expect(json["ceremonies"]?[0]?["clientError"] == "Timeout")
    #expect(try await bench.keys() == [])
  }

  @Test func putsTheDevicePasscodeBehindTheFallbackWord() async throws {
    let bench = try await Bench()
    let passcode: JSONValue = ["do": "passcode", "value": "482913"]
    try bench.person(passcode)
    #expect(try await bench.run(bench.login("BindDevice", ["--authenticator", "passcode"])).0 == 0)
    #expect(try await bench.keys()[0]["authenticator"] == "devicePasscode")
    try bench.person(passcode)
    #expect(try await bench.run(bench.login("SignDevice")).0 == 0, "the key's own type signs")
  }

  @Test(arguments: [
    ("passcode", "BindDeviceBiometricOnly"), ("pin", "BindDevice"), ("biometric-only", "BindDevicePIN"),
  ])
  func aNamedAuthenticatorIsNeverUsedForMoreThanItIsWorth(name: String, journey: String) async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    let (status, json) = try await bench.run(bench.login(journey, ["--authenticator", name]))
    #expect(status == 1)
    #expect(json["ceremonies"]?[0]?["clientError"] == "Unsupported")
    #expect(json["prompts"] == [])
  }

  @Test func claimsTravelInTheProof() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    let proxy = try await PythonServer.proxy(to: bench.port)
    // The proxy is another address, so the key for it is bound through it.
    try bench.person(Bench.touch, Bench.touch)
    #expect(try await bench.run(bench.login("BindDevice", at: proxy.url)).0 == 0)
    let claims = ["--claim", "amount=\"20\"", "--claim", "items=[1,2.50]"]
    #expect(try await bench.run(bench.login("SignDevice", at: proxy.url, claims)).0 == 0)
    let posted = try #require(proxy.requests.last?["request"]?.stringValue)
    let inputs = try JSONValue.parse(posted)["callbacks"]?[0]?["input"]?.arrayValue ?? []
    let jws = try #require(inputs.first { $0["name"]?.stringValue?.hasSuffix("jws") == true }?["value"]?.stringValue)
    let payload = try Base64URL.decode(String(jws.split(separator: ".")[1]))
    let json = try JSONValue.parse(payload)
    #expect(json["amount"] == "20")
    #expect(json["items"]?.serializedString() == "[1,2.50]")
  }

  @Test func reservedClaimsAreRefusedBeforeAPrompt() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    try bench.person(Bench.touch)
    let (status, json) = try await bench.run(bench.login("SignDevice", ["--claim", "iss=\"other\""]))
    #expect(status == 1)
    #expect(json["ceremonies"]?[0]?["result"] == "invalidCustomClaims")
    #expect(json["prompts"] == [])
  }

  @Test(arguments: ["amount", "=1", "amount=", "amount=20 EUR"])
  func claimsAreJSON(claim: String) async throws {
    let result = try await Tool.run(["login", "--server", "http://127.0.0.1:1", "--claim", claim])
    #expect(result.status == 2)
    #expect(result.stderr.contains("--claim"))
  }

  @Test func neverGuessesAmongSeveralUsers() async throws {
    let bench = try await Bench()
    for user in ["mira", "noa"] {
      try bench.person(Bench.touch)
      try await bench.bind(as: user)
    }
    let usernameless = "SignDeviceUsernameless"
    try bench.person(Bench.touch)
    var (status, json) = try await bench.run(bench.login(usernameless, ["--user", "noa"]))
    #expect(status == 0)
    try bench.person(Bench.touch)
    (status, json) = try await bench.run(bench.login(usernameless, ["--user", "ida"]))
    #expect(status == 1)
    #expect(json["ceremonies"]?[0]?["clientError"] == "ClientNotRegistered")
    try bench.person(Bench.cancel)
    (status, json) = try await bench.run(bench.login(usernameless))
    #expect(status == 1)
    #expect(json["prompts"] == [["kind": "choose", "result": "userCanceled"]])
    // By its id, as 'keys list' shows it.
    let id = try #require(try await bench.keys().first { $0["username"] == "mira" }?["user"]?.stringValue)
    try bench.person(Bench.touch)
    #expect(try await bench.run(bench.login(usernameless, ["--user", id])).0 == 0)
  }

  @Test func theOnlyKeyIsNotUsedForSomebodyElse() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    try bench.person(Bench.touch)
    let (status, json) = try await bench.run(bench.login("SignDeviceUsernameless", ["--user", "noa"]))
    #expect(status == 1)
    #expect(json["prompts"] == [])
  }

  @Test func theAppsIdentityMustBeTheServers() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    let (status, _) = try await bench.run(bench.login("BindDevice", ["--app-id", "com.example.other"]))
    #expect(status == 1)
    #expect(try await bench.keys() == [])
  }

  @Test func aPasswordAloneNeedsNoStoreAndMakesNone() async throws {
    let bench = try await Bench()
    try bench.person()
    #expect(try await bench.run(bench.login("Login")).0 == 0)
    #expect(!bench.folder.contents().contains { $0.hasPrefix("keys") })
  }

  @Test(
    arguments: [
      #"{"version":2}"#, #"{"version":1,"color":"red"}"#, #"{"version":1,"sensor":"iris"}"#,
      #"{"version":1,"steps":[{"do":"dance"}]}"#, "[]", "", "{",
    ])
  func refusesDevicesOfAnotherForm(text: String) async throws {
    let bench = try await Bench()
    try bench.folder.write("device.json", text)
    let (status, json) = try await bench.run(bench.login("BindDevice"))
    #expect(status == 3)
    #expect(json["error"] == "inputUnusable")
  }

  @Test func takesTheDeviceFromStandardInput() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    let device = String(decoding: try #require(TemporaryFolder.read(bench.folder.file("device.json"))), as: UTF8.self)
    let arguments = bench.login("BindDevice").map { $0.hasPrefix("scripted:") ? "scripted:-" : $0 }
    #expect(try await Tool.run(arguments, input: device).status == 0)
  }

  @Test func theDeviceOptionTakesThreeForms() async throws {
    for device in ["usb", "scripted:", "scripted", ""] {
      let result = try await Tool.run(["login", "--server", "http://127.0.0.1:1", "--device", device])
      #expect(result.status == 2, "\(device)")
    }
  }

  @Test func withoutATerminalNothingIsAsked() async throws {
    let bench = try await Bench()
    let answers = ["--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"]
    for device in ["terminal", "linux"] {
      let (status, json) = try await bench.run(
        ["login", "--server", bench.url, "--journey", "BindDevicePIN", "--store", bench.store, "--device", device]
          + answers + ["--json"])
      #expect(status == 1)
      #expect(json["ceremonies"]?[0]?["result"] == "notInteractive")
    }
  }
}
