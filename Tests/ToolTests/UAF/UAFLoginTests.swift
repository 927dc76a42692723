import AuthenticatorCoding
import AuthenticatorJourneyServer
import Testing
import ToolSupport

/// `login` through the UAF journeys of a real server.
@Suite struct UAFLoginTests {
  private static let approve: JSONValue = ["do": "approve"]
  private let bench: Bench

  init() async throws { bench = try await Bench.uaf() }

  /// What the one UAF step of a login gave.
  private func walk(
    _ journey: String, _ steps: [JSONValue], as user: String = "mira", _ more: String...
  ) async throws -> (status: Int32, step: JSONValue?, json: JSONValue) {
    try bench.person(steps)
    let (status, json) = try await bench.run(bench.login(journey, as: user, more))
    return (status, json["ceremonies"]?[0], json)
  }

  @Test func goesThroughEveryJourney() async throws {
    let registered = try await walk("RegisterUAF", [Bench.touch])
    #expect(registered.status == 0, "\(registered.json.serializedString())")
    #expect(registered.step?["callback"] == "UAFCallback" && registered.step?["result"] == "signed")
    #expect(registered.json["prompts"]?.arrayValue?.map { $0["kind"] } == ["biometric"])
    let key = try #require(try await bench.keys().first)
    #expect(key["protocol"] == "uaf" && key["state"] == "active" && key["username"] == "mira")
    #expect(try await bench.serverKeyIDs() == [key["kid"]?.stringValue ?? ""])

    let named = try await walk("LoginUAF", [Bench.touch])
    #expect(named.status == 0 && named.json["outcome"] == "success")
    #expect(named.json["session"]?["tokenId"]?.stringValue?.isEmpty == false)
    try bench.person(Bench.touch)
    let nameless = try await bench.run(
      ["login", "--server", bench.url, "--journey", "LoginUAFUsernameless", "--allow-software-keys", "--json"]
        + bench.deviceOptions)
    #expect(nameless.0 == 0 && nameless.1["session"]?["tokenId"]?.stringValue?.isEmpty == false)

    let payment = try await walk("ConfirmPayment", [Self.approve, Bench.touch])
    #expect(payment.status == 0)
    #expect(payment.json["prompts"]?.arrayValue?.map { $0["kind"] } == ["transaction", "biometric"])
    let transcript = TemporaryFolder.read(bench.folder.file("transcript")).map { String(decoding: $0, as: UTF8.self) }
    #expect(transcript?.contains(Bench.payment) == true)

    let removed = try await walk("DeregisterUAF", [])
    #expect(removed.status == 0 && removed.step?["result"] == "removed")
    #expect(try await bench.keys() == [])
    #expect(try await bench.serverKeyIDs().isEmpty)
    let late = try await walk("LoginUAF", [Bench.touch])
    #expect(late.status == 1 && late.step?["clientError"] == "ERROR::5::NO_MATCH")
  }

  @Test func theFallbackButtonLeadsToThePassword() async throws {
    try await bench.registerUAF()
    let walk = try await walk(
      "LoginUAF", [["do": "fallback"]], "--fallback-title", "Use my password", "--answer", "NameCallback=mira")
    #expect(walk.status == 0, "\(walk.json.serializedString())")
    #expect(walk.step?["result"] == "fallbackRequested" && walk.step?["clientError"] == "ERROR::3::FALLBACK")
    #expect(walk.json["steps"]?.arrayValue?.last?["callbacks"] == ["NameCallback", "PasswordCallback"])
    // Without the option there is no such button.
    let without = try await self.walk("LoginUAF", [["do": "fallback"]])
    #expect(without.status == 1 && without.step?["clientError"] != "ERROR::3::FALLBACK")
  }

  @Test func aCanceledStepSignsNobodyInAndMakesNoKey() async throws {
    let first = try await walk("RegisterUAF", [Bench.cancel])
    #expect(first.status == 1 && first.step?["clientError"] == "ERROR::3::CANCELED")
    #expect(try await bench.keys() == [])
    try await bench.registerUAF()
    let second = try await walk("LoginUAF", [Bench.cancel])
    #expect(second.status == 1 && second.step?["result"] == "userCanceled")
    let third = try await walk("ConfirmPayment", [["do": "refuse"]])
    #expect(third.status == 1 && third.step?["clientError"] == "ERROR::3::CANCELED")
    #expect(try await bench.keys().map { $0["state"] } == ["active"])
  }

  @Test func aChangedSetOfFingersStepsUpOnce() async throws {
    try await bench.registerUAF()
    let changed = try await walk(
      "LoginUAF", [["do": "enroll", "finger": "left-thumb"], Bench.touch], "--answer", "NameCallback=mira")
    #expect(changed.status == 0 && changed.step?["result"] == "signed")
    #expect(changed.json["steps"]?.arrayValue?.last?["callbacks"] == ["NameCallback", "PasswordCallback"])
    let later = try await walk("LoginUAF", [Bench.touch])
    #expect(later.status == 0)
    #expect(later.json["steps"]?.arrayValue?.last?["callbacks"] == ["MetadataCallback", "HiddenValueCallback"])
  }

  @Test func amongSeveralUsersTheCommandLineOrThePersonChooses() async throws {
    try await bench.registerUAF()
    try await bench.registerUAF(as: "noa")
    let chosen = try await walk("LoginUAFUsernameless", [Bench.touch], "--user", "noa")
    #expect(chosen.status == 0 && chosen.json["prompts"]?.arrayValue?.map { $0["kind"] } == ["biometric"])
    let asked = try await walk("LoginUAFUsernameless", [Bench.touch, ["do": "choose", "value": "mira"]])
    #expect(asked.status == 0 && asked.json["prompts"]?.arrayValue?.map { $0["kind"] } == ["biometric", "choose"])
    let unknown = try await walk("LoginUAFUsernameless", [Bench.touch], "--user", "ida")
    #expect(unknown.status == 1 && unknown.step?["result"] == "keyNotFound")
    #expect(unknown.json["prompts"] == [])
  }

  @Test func theServerTrustsItsOwnAppsOnly() async throws {
    let walk = try await walk("RegisterUAF", [Bench.touch], "--facet", "linux:exe:com.example.other")
    #expect(walk.status == 1 && walk.json["code"] == "loginFailure" && walk.step?["result"] == "signed")
    #expect(try await bench.keys().map { $0["state"] } == ["staged"], "a refused key is never taken into use")
    #expect(try await bench.serverKeyIDs().isEmpty)
  }

  @Test func theDevicesModelsComeFromAFile() async throws {
    let file = try bench.folder.write(
      "models.json", #"{"version": 1, "authenticators": [{"aaid": "ABCD#0001", "behaviour": "silent"}]}"#)
    let walk = try await walk("RegisterUAF", [Bench.touch], "--authenticators", file)
    #expect(walk.status == 1 && walk.step?["clientError"] == "ERROR::5::NO_MATCH")
    #expect(walk.json["prompts"] == [])
    let missing = try await self.walk("RegisterUAF", [], "--authenticators", bench.folder.file("nowhere.json"))
    #expect(missing.status == 3)
  }

  @Test func whatTheCommandLineAnswersStays() async throws {
    let walk = try await walk("RegisterUAF", [Bench.touch], "--answer", "hidden:uafOutcome=ERROR::3::CANCELED")
    #expect(walk.status == 1 && walk.step == nil && walk.json["prompts"] == [])
  }

  /// Two accounts of one name, in realms that answer for one app: neither key takes the place of the other.
  @Test func accountsOfTwoRealmsAreTwo() async throws {
    let alpha = try #require(Realm("/alpha"))
    _ = try await bench.server.addUser(named: "mira", password: Bench.passwords["mira"] ?? "", in: alpha)
    #expect(try await walk("RegisterUAF", [Bench.touch]).status == 0)
    #expect(try await walk("RegisterUAF", [Bench.touch], "--realm", "/alpha").status == 0)
    #expect(try await bench.keys().map { $0["username"] } == ["mira", "mira (/alpha)"])
    for realm in ["/", "/alpha"] {
      #expect(try await walk("LoginUAF", [Bench.touch], "--realm", realm).status == 0)
    }
  }
}
