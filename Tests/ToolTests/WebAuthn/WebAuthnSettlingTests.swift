import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorSQLite
import Glibc
import Testing
import ToolSupport

/// What becomes of a credential that another one replaced, at the command line.
@Suite struct WebAuthnSettlingTests {
  private let passkeys: Passkeys

  init() throws { passkeys = try Passkeys() }

  private func replaced() async throws -> (old: JSONValue, new: JSONValue) {
    try passkeys.creation()
    let made = (try await passkeys.register(), try await passkeys.register())
    return (try #require(made.0["id"]), try #require(made.1["id"]))
  }

  private func states() async throws -> [JSONValue?] {
    try await Tool.run(["keys", "list"] + passkeys.device).json().arrayValue?.map { $0["state"] } ?? []
  }

  @Test func aRefusedRegistrationIsWithdrawn() async throws {
    let (old, new) = try await replaced()
    let (status, json) = try await passkeys.run(["withdraw", new.stringValue ?? ""] + passkeys.device)
    #expect(status == 0 && json["withdrawn"] == new && json["restored"] == old && json["rpId"] == "example.org")
    #expect(try await passkeys.credentials().map { $0["id"] } == [old])
    try passkeys.request()
    #expect(try await passkeys.authenticate()["id"] == old)
    #expect(try await passkeys.run(["withdraw", new.stringValue ?? ""] + passkeys.device).status == 1)
  }

  @Test func aSignInIsNoAcceptanceUntilItIsConfirmed() async throws {
    let (old, new) = try await replaced()
    try passkeys.request()
    #expect(try await passkeys.authenticate()["id"] == new)
    #expect(try await states() == ["retired", "active"])
    // The relying party knows the old one only.
    try passkeys.request { $0["allowCredentials"] = [["type": "public-key", "id": old]] }
    #expect(try await passkeys.authenticate()["id"] == old)
    let (status, json) = try await passkeys.run(["confirm", "--credential", old.stringValue ?? ""] + passkeys.device)
    #expect(status == 0 && json["confirmed"] == old && json["removed"] == new)
    #expect(try await states() == ["active"])
  }

  /// One that another replaced, and one whose registration was cut off.
  @Test func whatDoesNotHoldThePlaceIsWithdrawnByItsNameToo() async throws {
    let (old, _) = try await replaced()
    let store = try await SQLiteKeyStore.open(
      path: passkeys.store, environment: AuthenticatorEnvironment(appIdentifier: nil, deviceName: "test"))
    let unfinished = [UInt8](repeating: 9, count: 32)
    let owner = KeyOwner(instance: "", family: .webAuthn, party: "example.org", account: Array("alice".utf8))
    _ = try await store.stage(
      KeyRequest(owner: owner, algorithms: [.es256], externalID: unfinished), as: .biometricOnly,
      access: KeyAccess(gate: .open), enrollmentState: nil, ticket: nil)
    #expect(try await states() == ["retired", "active", "staged"])
    for id in [.string(Base64URL.encode(unfinished)), old] {
      let words = ["withdraw", id.stringValue ?? ""] + passkeys.device
      let (status, json) = try await passkeys.run(words)
      #expect(status == 0 && json == ["withdrawn": id, "rpId": "example.org", "restored": .null])
    }
    #expect(try await states() == ["active"])
  }

  @Test func deletingTakesTheReplacedOneAlong() async throws {
    let (_, new) = try await replaced()
    #expect(try await passkeys.run(["delete", new.stringValue ?? ""] + passkeys.device).status == 0)
    #expect(try await states() == [])
  }

  /// Nobody has the answer, so nobody will know the credential.
  @Test(arguments: [">/dev/full", ">&-"])
  func aResponseThatCannotBePrintedLeavesTheOldCredential(redirection: String) async throws {
    try passkeys.creation()
    let old = try #require(try await passkeys.register()["id"])
    try passkeys.person(Passkeys.touch)
    let words = ([Tool.path, "webauthn"] + passkeys.ceremony("register")).map { "'\($0)'" }.joined(separator: " ")
    let result = try await ChildProcess("sh", ["-c", words + " " + redirection], environment: ["HOME": "/nonexistent"])
      .result()
    #expect(result.status == 3, "\(result.stderr)")
    #expect(try await passkeys.credentials().map { $0["id"] } == [old])
    #expect(try await states() == ["active"])
  }

  /// The tool waits for input that nobody gives, and heeds the first signal.
  @Test(arguments: [SIGINT, SIGTERM])
  func waitingForInputEndsWithTheFirstSignal(signal: Int32) async throws {
    let fifo = passkeys.folder.file("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    for words in [
      ["webauthn", "register", "--options", fifo, "--origin", Passkeys.origin] + passkeys.device,
      ["webauthn", "verify-registration", "--response", fifo, "--expect", try passkeys.expectation()],
      ["webauthn", "verify-signature", "--key", fifo, "--message", fifo, "--signature", fifo],
      ["webauthn", "list", "--device", "scripted:" + fifo, "--store", passkeys.store],
    ] {
      let child = try Tool.start(words.filter { $0 != "--json" })
      defer { child.end() }
      // Once it has opened the FIFO it is waiting: then a writer finds a reader, and is not to write.
      var writer: Int32 = -1
      // No child of another test may keep it open: the next one here would read to its end.
      try await waitUntil {
        writer = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        return writer >= 0 || child.hasEnded
      }
      child.send(signal)
      let result = try await child.result()
      close(writer)
      #expect(result.status == 128 + signal, "\(words[1]): \(result.stderr)")
      #expect(
        result.stderr.split(separator: "\n").count == 1 && result.stderr.contains("ended by a signal"),
        "\(words[1]): \(result.stderr)")
    }
  }

  @Test func aFIFOIsReadLikeAFile() async throws {
    let fifo = passkeys.folder.file("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    let options = String(decoding: TemporaryFolder.read(try passkeys.creation()) ?? [], as: UTF8.self)
    try passkeys.person(Passkeys.touch)
    let line = ["webauthn", "register", "--options", fifo, "--origin", Passkeys.origin] + passkeys.device
    let words = ([Tool.path] + line).map { "'\($0)'" }.joined(separator: " ")
    let source = try passkeys.folder.write("source", options)
    let result = try await ChildProcess(
      "sh", ["-c", "cat '\(source)' > '\(fifo)' & \(words)"], environment: ["HOME": "/nonexistent"]
    ).result()
    #expect(result.status == 0, "\(result.stderr)")
  }
}
