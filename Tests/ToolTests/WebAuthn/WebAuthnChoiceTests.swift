import AuthenticatorCoding
import Glibc
import Testing
import ToolSupport

/// `webauthn authenticate` among several credentials, and `list` and `delete`.
@Suite struct WebAuthnChoiceTests {
  private let passkeys: Passkeys

  init() throws { passkeys = try Passkeys() }

  private func twoAccounts() async throws -> (alice: JSONValue, bob: JSONValue) {
    try passkeys.creation()
    let alice = try await passkeys.register()
    try passkeys.creation(user: "Ym9i", named: "Bob")
    return (alice, try await passkeys.register())
  }

  private func words(_ credential: JSONValue) -> [String] { ["--credential", credential["id"]?.stringValue ?? ""] }

  private var lastPrompt: JSONValue? {
    let text = String(decoding: TemporaryFolder.read(passkeys.folder.file("transcript")) ?? [], as: UTF8.self)
    return text.split(separator: "\n").last.flatMap { try? JSONValue.parse(String($0)) }
  }

  @Test func thePersonChoosesByName() async throws {
    let (_, bob) = try await twoAccounts()
    try passkeys.request()
    let name = try #require(try await passkeys.credentials().last?["name"])
    #expect(name.stringValue?.wholeMatch(of: /Bob \d{8} \d\d:\d\d:\d\d/) != nil)
    try passkeys.person(["do": "choose", "value": name], Passkeys.touch)
    let (status, json) = try await passkeys.run(passkeys.ceremony("authenticate"))
    #expect(status == 0 && json["id"] == bob["id"] && json["response"]?["userHandle"] == "Ym9i")
    // An answer that is none of the names, and none at all.
    for step: JSONValue in [["do": "choose", "value": "Carol"], ["do": "cancel"]] {
      try passkeys.person(step, Passkeys.touch)
      let (status, json) = try await passkeys.run(passkeys.ceremony("authenticate"))
      #expect(status == 1 && json["error"] == "NotAllowedError")
      #expect(lastPrompt?["options"]?.arrayValue?.count == 2)
    }
  }

  @Test func theCommandLineChoosesWithoutAsking() async throws {
    let (alice, bob) = try await twoAccounts()
    try passkeys.request()
    for credential in [bob, alice] {
      let response = try await passkeys.authenticate(words(credential))
      #expect(response["id"] == credential["id"])
      #expect(lastPrompt?["kind"] == "biometric")
    }
    try passkeys.request { $0["allowCredentials"] = [["type": "public-key", "id": bob["id"] ?? .null]] }
    #expect(try await passkeys.authenticate(words(bob))["id"] == bob["id"])
    try passkeys.person(Passkeys.touch)
    let other = try await passkeys.run(passkeys.ceremony("authenticate", words(alice)))
    #expect(other.status == 1 && other.json["error"] == "NotAllowedError", "not in the list that was sent")
    try passkeys.request()
    try passkeys.person(Passkeys.touch)
    let unknown = try await passkeys.run(passkeys.ceremony("authenticate", ["--credential", "AAECAw"]))
    #expect(unknown.status == 1 && unknown.json["error"] == "NotAllowedError")
  }

  @Test func anUnnamedCredentialMustBeDiscoverable() async throws {
    try passkeys.creation {
      $0["authenticatorSelection"] = ["residentKey": "discouraged", "userVerification": "required"]
    }
    let made = try await passkeys.register()
    try passkeys.request()
    try passkeys.person(Passkeys.touch)
    let (status, json) = try await passkeys.run(passkeys.ceremony("authenticate", words(made)))
    #expect(status == 1 && json["error"] == "NotAllowedError", "nobody learns a user handle from it")
    try passkeys.request { $0["allowCredentials"] = [["type": "public-key", "id": made["id"] ?? .null]] }
    let response = try await passkeys.authenticate()
    #expect(response["id"] == made["id"] && response["response"]?["userHandle"] == nil)
    #expect(try await passkeys.credentials().map { $0["discoverable"] } == [false])
  }

  @Test func withoutACredentialNobodyLearnsMoreThanARefusal() async throws {
    try passkeys.request()
    for step: [JSONValue] in [[Passkeys.touch], []] {
      try passkeys.person(step.first ?? ["do": "cancel"])
      let (status, json) = try await passkeys.run(passkeys.ceremony("authenticate"))
      #expect(status == 1 && json["error"] == "NotAllowedError")
    }
    #expect(!passkeys.folder.contents().contains { $0.hasPrefix("keys") }, "and no store is made")
  }

  @Test func theSameAccountHasOneCredential() async throws {
    try passkeys.creation()
    let first = try await passkeys.register()
    let second = try await passkeys.register()
    #expect(try await passkeys.credentials().map { $0["id"] } == [second["id"]])
    #expect(first["id"] != second["id"])
  }

  @Test func listsWhatIsKnown() async throws {
    _ = try await twoAccounts()
    let entry = try #require(try await passkeys.credentials().first?.objectValue)
    #expect(
      Set(entry.names) == [
        "id", "instance", "rpId", "rpName", "userHandle", "userName", "displayName", "name", "discoverable", "hidden",
        "algorithm",
        "credProtect", "backupEligible", "authenticator", "protection", "createdAt", "lastUsedAt", "tag",
      ])
    #expect(entry["rpId"] == "example.org" && entry["userHandle"] == "YWxpY2U" && entry["userName"] == "alice")
    #expect(entry["algorithm"] == -7 && entry["discoverable"] == true && entry["hidden"] == false)
    #expect(try await passkeys.run(["list", "--rp-id", "example.com"] + passkeys.device).json == [])
    let plain = try await Tool.run(["webauthn", "list"] + passkeys.device.filter { $0 != "--json" })
    #expect(plain.status == 0 && plain.stdout.split(separator: "\n").count == 2)
  }

  @Test func equalNamesAreToldApart() async throws {
    try passkeys.creation(user: "YWxpY2U", named: "Alice")
    let now = ["do": "match"] as JSONValue
    for user in ["YWxpY2U", "Ym9i"] {
      try passkeys.creation(user: user, named: "Alice")
      try passkeys.person(now, at: 1_800_000_000_000)
      #expect(try await passkeys.run(passkeys.ceremony("register")).status == 0)
    }
    let names = try await passkeys.credentials().compactMap { $0["name"]?.stringValue }
    #expect(names.count == 2 && names[1] == names[0] + " #2", "\(names)")
  }

  @Test func anEmptyDeviceListsNothing() async throws {
    #expect(try await passkeys.credentials().isEmpty)
    #expect(!passkeys.folder.contents().contains { $0.hasPrefix("keys") }, "looking makes nothing")
    let plain = try await Tool.run(["webauthn", "list"] + passkeys.device.filter { $0 != "--json" })
    #expect(plain.stdout == "no credentials\n")
  }

  @Test func keysListShowsThemToo() async throws {
    try passkeys.creation()
    let made = try await passkeys.register()
    let keys = try await Tool.run(["keys", "list"] + passkeys.device).json()
    let key = try #require(keys[0])
    #expect(keys.arrayValue?.count == 1 && key["protocol"] == "webauthn" && key["kid"] == made["id"])
    #expect(key["realm"] == "example.org" && key["user"] == "alice" && key["username"] == "alice")
    #expect(key["algorithm"] == "ES256" && key["state"] == "active" && key["health"] == "usable")
    let check = try await Tool.run(["keys", "check"] + passkeys.device)
    #expect(check.status == 0)
  }

  @Test func deletingSaysThatTheServersRecordRemains() async throws {
    let (alice, bob) = try await twoAccounts()
    let id = try #require(alice["id"]?.stringValue)
    let plain = try await Tool.run(["webauthn", "delete", id] + passkeys.device.filter { $0 != "--json" })
    #expect(plain.status == 0 && plain.stdout.contains("the server's record of it remains"))
    #expect(try await passkeys.credentials().map { $0["id"] } == [bob["id"]])
    // The server still names it: signing in fails, and registering again works.
    try passkeys.request { $0["allowCredentials"] = [["type": "public-key", "id": .string(id)]] }
    try passkeys.person(Passkeys.touch)
    let (status, json) = try await passkeys.run(passkeys.ceremony("authenticate"))
    #expect(status == 1 && json["error"] == "NotAllowedError")
    try passkeys.creation()
    _ = try await passkeys.register()

    let again = try await passkeys.run(["delete", id] + passkeys.device)
    #expect(again.status == 1 && again.json["error"] == "NotAllowedError")
    let option = try await passkeys.run(["delete"] + words(bob) + passkeys.device)
    #expect(option.status == 0)
    #expect(option.json == ["deleted": bob["id"] ?? .null, "rpId": "example.org", "serverRecord": "remains"])
  }

  @Test func aTerminalIsAskedForThePasscode() async throws {
    let folder = passkeys.folder
    try folder.write("authenticator-test", "auth required pam_permit.so\n", mode: 0o644)
    try passkeys.creation()
    let words = [
      "webauthn", "register", "--options", folder.file("creation.json"), "--origin", Passkeys.origin, "--device",
      "terminal",
    ]
    // Without a terminal nobody is asked.
    let result = try await Tool.run(
      words + ["--store", passkeys.store, "--allow-software-keys", "--pam-folder", folder.path]
        + ["--pam-service", "authenticator-test", "--json"])
    #expect(result.status == 1)
    #expect(try result.json()["error"] == "NotAllowedError" || result.json()["error"] == "ConstraintError")
  }

  @Test func aKilledRegistrationLeavesNothing() async throws {
    try passkeys.creation()
    try passkeys.person(["do": "hang"])
    let tool = try Tool.start(["webauthn"] + passkeys.ceremony("register"))
    try await waitUntil { TemporaryFolder.read(passkeys.store) != nil }
    tool.send(SIGKILL)
    #expect(try await tool.result().status == 137)
    #expect(try await passkeys.credentials().isEmpty)
    _ = try await passkeys.register()
    let keys = try await Tool.run(["keys", "list"] + passkeys.device).json()
    #expect(keys.arrayValue?.map { $0["state"] } == ["active"])
  }

  /// The counter is durable before a signature leaves: not even of processes that are killed does a value come back.
  @Test func noCounterValueIsSeenTwice() async throws {
    try passkeys.creation()
    _ = try await passkeys.register()
    try passkeys.request()
    var values: [UInt32] = []
    for round in 0..<3 {
      try passkeys.person(Passkeys.touch)
      let tools = try (0..<4).map { _ in try Tool.start(["webauthn"] + passkeys.ceremony("authenticate")) }
      // Every round another one does not come to its end.
      try await Task.sleep(for: .milliseconds(20 * round))
      tools[round].send(SIGKILL)
      for tool in tools {
        let result = try await tool.result()
        guard result.status != 137 else { continue }
        let json = try result.json()
        #expect(result.status == 0, "\(json.serializedString())")
        let data = try Base64URL.decode(json["response"]?["authenticatorData"]?.stringValue ?? "")
        #expect(data.count >= 37)
        values.append(data.dropFirst(33).prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
      }
    }
    #expect(values.count >= 9 && Set(values).count == values.count, "\(values)")
  }
}
