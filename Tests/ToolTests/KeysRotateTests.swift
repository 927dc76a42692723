import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorKeyStore
import AuthenticatorSQLite
import Glibc
import Testing
import ToolSupport

/// `keys rotate`.
@Suite struct KeysRotateTests {
  @Test func rotatingRetiresTheOldKey() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    let old = try #require(try await bench.keys()[0]["tag"]?.stringValue)
    let rotate =
      ["keys", "rotate", old, "--server", bench.url, "--journey", "BindDevice", "--allow-software-keys", "--json"]
      + ["--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"] + bench.deviceOptions

    try bench.person(Bench.cancel)
    var (status, json) = try await bench.run(rotate)
    #expect(status == 1)
    #expect(json["rotated"] == .null)
    #expect(try await bench.keys().map { $0["state"] } == ["active"])

    try bench.person(Bench.touch)
    (status, json) = try await bench.run(rotate)
    #expect(status == 0)
    #expect(json["outcome"] == "success")
    let new = try #require(json["rotated"]?["new"]?.stringValue)
    let states = try await bench.keys().map { [$0["tag"], $0["state"]] }
    #expect(states == [[.string(old), "retired"], [.string(new), "active"]])
    #expect(json["rotated"]?["serverRecord"] == "removed")

    (status, json) = try await bench.run(rotate)
    #expect(status == 1, "a retired key is not rotated again")
    #expect(json["error"] == "invalidKeyState")

    try bench.person(Bench.touch)
    #expect(try await bench.run(bench.login("SignDevice")).0 == 0)
    #expect(try await bench.keys().map { $0["tag"] } == [.string(new)], "proved, so the old one is gone")
  }

  /// A server that takes two devices a user.
  @Test func rotatesUnderALimitAsOftenAsOneLikes() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind("BindDeviceLimited")
    let answers = ["--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"]
    let server = ["--server", bench.url, "--allow-software-keys", "--json"] + answers + bench.deviceOptions
    for _ in 0..<3 {
      try bench.person(Bench.touch)
      let (status, json) = try await bench.run(["keys", "rotate", "--journey", "BindDeviceLimited"] + server)
      #expect(status == 0, "\(json.serializedString())")
    }
    try bench.person(Bench.touch)
    #expect(try await bench.run(bench.login("SignDevice")).0 == 0)
    #expect(try await bench.keys().map { $0["state"] } == ["active"])
  }

  @Test func rotatingAsSomebodyElseLeavesTheKeyAsItIs() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    let old = try #require(try await bench.keys()[0]["tag"]?.stringValue)
    try bench.person(Bench.touch)
    let (status, json) = try await bench.run(
      ["keys", "rotate", old, "--server", bench.url, "--allow-software-keys", "--json"]
        + ["--answer", "NameCallback=noa", "--answer", "PasswordCallback=battery staple"] + bench.deviceOptions)
    #expect(status == 1)
    #expect(json["code"] == "notRotated")
    #expect(json["session"] == .null, "a session is printed for success alone")
    #expect(try await bench.keys().first { $0["tag"] == .string(old) }?["state"] == "active")
  }

  /// A key is bound by the step that follows it; what fails later does not unbind it.
  @Test func aRotationIsToldWhateverFailsAfterIt() async throws {
    let tree = try JourneyTree("BindAndAsk") {
      TreeStep("name", UsernameCollector()).next("word")
      TreeStep("word", PasswordCollector()).next("check")
      TreeStep("check", DataStoreDecision()).on(.true, to: "bind").on(.false, to: .failure)
      TreeStep("bind", DeviceBindingNode()).on(.success, to: "ask").otherwise(.failure)
      TreeStep("ask", MessageNode("Go on?", yes: "yes", no: "no")).on(.true, to: .success).on(.false, to: .failure)
    }
    let bench = try await Bench { $0.journeys.append(tree) }
    try bench.person(Bench.touch)
    try await bench.bind()
    let old = try #require(try await bench.keys()[0]["tag"]?.stringValue)
    try bench.person(Bench.touch)
    let (status, json) = try await bench.run(
      ["keys", "rotate", old, "--server", bench.url, "--journey", "BindAndAsk", "--allow-software-keys", "--json"]
        + ["--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"]
        + ["--answer", "ConfirmationCallback=1"] + bench.deviceOptions)
    #expect(status == 1 && json["outcome"] == "failure" && json["session"] == .null)
    #expect(json["code"] != "notRotated")
    let states = try await bench.keys().map { [$0["tag"], $0["state"]] }
    #expect(states == [[.string(old), "retired"], [json["rotated"]?["new"], "active"]])
    #expect(json["rotated"]?["old"] == .string(old) && json["rotated"]?["serverRecord"] == "remains")
  }

  /// The store goes while the server takes its time over its last answer.
  @Test func aRotationThatNobodyCanTellTheEndOfSaysWhyAndLeavesNoSession() async throws {
    let bench = try await Bench()
    var success = try #require(Canned.success.objectValue)
    success["until"] = .string(bench.folder.file("gone"))
    let server = try await PythonServer.answering(
      Canned.node(Canned.name()), .object(success), ["status": 200, "body": ["result": "Successfully logged out"]])
    let owner = KeyOwner(instance: server.url, family: .deviceBinding, party: "/", account: Array("id=mira".utf8))
    try bench.person(Bench.touch)
    let old: KeyRecord
    do {
      let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "test")
      let store = try await SQLiteKeyStore.open(path: bench.store, environment: environment)
      let staged = try await store.stage(
        KeyRequest(owner: owner, algorithms: [.es256]), as: .none, access: KeyAccess(gate: .open),
        enrollmentState: nil, ticket: nil)
      old = try await store.commit(staged.tag, externalID: nil, details: [])
    }
    let tool = try Tool.start(
      ["keys", "rotate", old.tag.rawValue, "--server", server.url, "--answer", "NameCallback=mira", "--json"]
        + bench.deviceOptions)
    try await waitUntil { server.requests.count == 2 || tool.hasEnded }
    for suffix in ["", "-wal", "-shm"] { unlink(bench.store + suffix) }
    try bench.folder.write("gone", "")
    let result = try await tool.result()
    let json = try result.json()
    #expect(result.status == 3)
    #expect(json["outcome"] == "failure" && json["session"] == .null && json["rotated"] == .null)
    #expect(json["code"] == "storageFailed")
    #expect(json["message"]?.stringValue?.contains("whether '\(old.tag)' was replaced is not known") == true)
    #expect(server.requests.last?["path"]?.stringValue?.contains("logout") == true, "the new session is ended")
  }

  @Test func aRotationThatCameToNothingLeavesTheGivenSessionOnly() async throws {
    let bench = try await Bench()
    let proxy = try await PythonServer.proxy(to: bench.port)
    let file = bench.folder.file("session.json")
    try bench.person(Bench.touch)
    #expect(try await bench.run(bench.login("BindDevice", at: proxy.url)).0 == 0)
    let device = bench.deviceOptions + ["--json"]
    let answers = ["--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"]
    // A journey that binds nothing.
    let rotate = ["keys", "rotate", "--server", proxy.url, "--journey", "Login"] + answers + device
    let (status, json) = try await bench.run(rotate)
    #expect(status == 1)
    #expect(json["code"] == "notRotated")
    #expect(proxy.requests.last?["path"]?.stringValue?.contains("_action=logout") == true)

    let login = ["login", "--server", proxy.url, "--session-file", file, "--json"] + answers
    #expect(try await bench.run(login).0 == 0)
    let before = TemporaryFolder.read(file)
    let count = proxy.requests.count
    #expect(try await bench.run(rotate + ["--session-file", file]).0 == 1)
    #expect(TemporaryFolder.read(file) == before)
    #expect(!proxy.requests.dropFirst(count).contains { $0["path"]?.stringValue?.contains("logout") == true })
  }
}
