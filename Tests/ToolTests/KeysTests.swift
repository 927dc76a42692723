import AuthenticatorCoding
import Glibc
import Testing
import ToolSupport

/// `keys list`, `check` and `delete`.
@Suite struct KeysTests {
  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  @Test func listsEveryMember() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    let key = try #require(try await bench.keys().first?.objectValue)
    #expect(
      Set(key.names) == [
        "tag", "instance", "realm", "user", "username", "kid", "protocol", "authenticator", "policy", "protection",
        "algorithm", "state", "createdAt", "lastUsedAt", "health",
      ])
    #expect(key["instance"] == .string(bench.url))
    #expect(key["realm"] == "/")
    #expect(key["username"] == "mira")
    #expect(key["user"]?.stringValue?.hasPrefix("id=") == true)
    #expect(key["kid"]?.stringValue?.isEmpty == false)
    #expect(key["protocol"] == "device-binding")
    #expect(key["algorithm"] == "ES256")
    #expect(key["state"] == "active")
    for name in ["createdAt", "lastUsedAt"] {
      #expect(key[name]?.stringValue?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
    }
  }

  @Test func theStoreIsItsOwnersAlone() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    #expect(mode(bench.store) == 0o600)
    #expect(mode(bench.folder.file("keys")) == 0o700)
  }

  @Test func aStoreThatIsNotThereIsEmpty() async throws {
    let folder = try TemporaryFolder()
    let result = try await Tool.run(["keys", "list", "--store", folder.file("none/keys.sqlite"), "--json"])
    #expect(result.status == 0)
    #expect(result.stdout == "[]\n")
    #expect(folder.contents() == [], "looking makes nothing")
  }

  @Test func refusesWhatIsNoStore() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "text", "this is no database, and it is long enough to look at: \(String(repeating: "x", count: 600))")
    try folder.write("target", "")
    #expect(symlink(folder.file("target"), folder.file("link")) == 0)
    #expect(symlink(folder.file("nowhere"), folder.file("dangling")) == 0)
    #expect(mkdir(folder.file("folder"), 0o700) == 0)
    #expect(mkfifo(folder.file("fifo"), 0o600) == 0)
    for name in ["text", "link", "dangling", "folder", "fifo"] {
      let result = try await Tool.run(["keys", "list", "--store", folder.file(name), "--json"])
      #expect(result.status == 3, "\(name)")
      #expect(try result.json()["error"] == "notAStore", "\(name)")
    }
    #expect(TemporaryFolder.read(folder.file("target")) == [])
    #expect(mode(folder.file("nowhere")) == nil)
  }

  @Test(arguments: [
    ["keys", "check", "none"], ["keys", "delete", "none"],
    ["keys", "rotate", "none", "--server", "http://127.0.0.1:1"],
  ])
  func anUnknownTagIsRefused(arguments: [String]) async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    for _ in 0..<2 {
      let (status, json) = try await bench.run(arguments + bench.deviceOptions + ["--json"])
      #expect(status == 1)
      #expect(json["error"] == "keyNotFound")
      // Once without a store, once with one.
      try await bench.bind()
    }
  }

  @Test func deletingSaysThatTheServersRecordRemains() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    let tag = try #require(try await bench.keys()[0]["tag"]?.stringValue)
    let plain = try await Tool.run(["keys", "delete", tag] + bench.deviceOptions)
    #expect(plain.status == 0)
    #expect(plain.stdout.contains("server's record of it remains"))
    #expect(try await bench.keys() == [])
  }

  @Test func checksHealthWithoutAPrompt() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    try await bench.bind("BindDeviceBiometricOnly", as: "noa")
    let prompts = TemporaryFolder.read(bench.folder.file("transcript"))
    var (status, json) = try await bench.run(["keys", "check", "--json"] + bench.deviceOptions)
    #expect(status == 0)
    #expect(json.arrayValue?.map { $0["health"] } == ["usable", "usable"])
    #expect(json.arrayValue?.map { $0["server"] } == [.null, .null])
    // The set changes in a bind that is given up.
    try bench.person(["do": "enroll", "finger": "left-thumb"], Bench.touch, Bench.cancel)
    _ = try await bench.run(bench.login("SignDevice"))
    try bench.person()
    (status, json) = try await bench.run(["keys", "check", "--json"] + bench.deviceOptions)
    #expect(status == 1)
    #expect(json.arrayValue?.map { $0["health"] } == ["changed"], "one policy deletes, the other keeps the record")
    #expect(prompts != nil)
  }

  @Test func asksTheServerWhatItKnows() async throws {
    let bench = try await Bench()
    for user in ["mira", "noa"] {
      try bench.person(Bench.touch)
      try await bench.bind(as: user)
    }
    let sign = ["--server", bench.url, "--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"]
    let (status, json) = try await bench.run(["keys", "check", "--json"] + sign + bench.deviceOptions)
    #expect(status == 0)
    let words = json.arrayValue?.map { [$0["username"], $0["server"]] }
    #expect(words == [["mira", "listed"], ["noa", .null]], "another user's list is not ours to read")
  }

  @Test func aCheckEndsItsOwnSessionAndKeepsTheOneGiven() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    let file = bench.folder.file("session.json")
    #expect(try await bench.run(bench.login("Login", ["--session-file", file])).0 == 0)
    let before = TemporaryFolder.read(file)
    let check = ["keys", "check", "--server", bench.url, "--json", "--session-file", file] + bench.deviceOptions
    for _ in 0..<2 {
      let (status, json) = try await bench.run(check)
      #expect(status == 0)
      #expect(json.arrayValue?.map { $0["server"] } == ["listed"], "the session still works")
      #expect(TemporaryFolder.read(file) == before)
    }
    let proxy = try await PythonServer.proxy(to: bench.port)
    let answers = ["--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"]
    _ = try await bench.run(["keys", "check", "--server", proxy.url, "--json"] + answers + bench.deviceOptions)
    #expect(proxy.requests.last?["path"]?.stringValue?.contains("_action=logout") == true)
  }

  @Test func unknownHealthIsNoFinding() async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    let (status, json) = try await bench.run(["keys", "check", "--store", bench.store, "--json"])
    #expect(status == 0, "nobody can tell without the device")
    #expect(json.arrayValue?.map { $0["health"] } == ["unknown"])
  }

  @Test func reconcilingRemovesWhatASignInHasProvedToBeReplaced() async throws {
    let bench = try await Bench()
    for journey in ["BindDevice", "BindDevice"] {
      try bench.person(Bench.touch)
      try await bench.bind(journey)
    }
    // Without a session there is nobody to ask the server with.
    try bench.person(Bench.touch)
    #expect(try await bench.run(bench.login("SignDevice", ["--no-session"])).0 == 0)
    let keys = try await bench.keys()
    #expect(keys.map { $0["state"] } == ["revoking", "active"])
    let answers = ["--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"]
    let (status, json) = try await bench.run(
      ["keys", "check", "--reconcile", "--server", bench.url, "--json"] + answers + bench.deviceOptions)
    #expect(status == 0)
    #expect(json["reconciled"]?["deleted"] == .array([keys[0]["tag"] ?? .null]))
    #expect(json["reconciled"]?["failures"] == [])
    #expect(json["keys"]?.arrayValue?.map { [$0["tag"], $0["server"]] } == [[keys[1]["tag"], "listed"]])
  }

  @Test func aSignInFinishesWhatIsLeftOnTheServer() async throws {
    let bench = try await Bench()
    for _ in 0..<2 {
      try bench.person(Bench.touch)
      try await bench.bind()
    }
    try bench.person(Bench.touch)
    #expect(try await bench.run(bench.login("SignDevice", ["--no-session"])).0 == 0)
    #expect(try await bench.keys().map { $0["state"] } == ["revoking", "active"])
    try bench.person()
    #expect(try await bench.run(bench.login("Login")).0 == 0)
    #expect(try await bench.keys().map { $0["state"] } == ["active"])
  }
}
