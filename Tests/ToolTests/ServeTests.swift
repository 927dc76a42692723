import AuthenticatorCoding
import Glibc
import Testing
import ToolSupport

/// `serve`, as a process of its own.
@Suite struct ServeTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("users.json", #"[{"username": "mira", "password": "correct horse", "department": "ops"}]"#)
    try folder.write(
      "device.json",
      #"{"version": 1, "sensor": "fingerprint", "enrolled": ["a"], "passcode": "1", "steps": [{"do": "match"}]}"#)
  }

  private func start(_ more: String...) throws -> ChildProcess {
    try Tool.start(["serve", "--port", "0", "--users", folder.file("users.json"), "--json"] + more)
  }

  private func login(_ url: String, _ journey: String) async throws -> ChildProcess.Result {
    try await Tool.run([
      "login", "--server", url, "--journey", journey, "--answer", "NameCallback=mira", "--answer",
      "PasswordCallback=correct horse", "--store", folder.file("keys.sqlite"), "--device",
      "scripted:" + folder.file("device.json"), "--allow-software-keys", "--json",
    ])
  }

  @Test func itsFirstLineSaysWhereItIs() async throws {
    let server = try start("--application-id", "com.example.one", "--application-id", "com.example.two")
    let line = try JSONValue.parse(try await server.firstLine())
    let url = try #require(line["url"]?.stringValue)
    #expect(url.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\/am/) != nil)
    #expect(line["realms"]?.arrayValue?.contains("/") == true)
    #expect(line["journeys"]?.arrayValue?.contains("BindDevice") == true)
    #expect(line["applicationIds"] == ["com.example.one", "com.example.two"])
    #expect(try await login(url, "Login").status == 0)
    server.send(SIGTERM)
    #expect(try await server.result().status == 0)
  }

  @Test func tellsPeopleWhereItsPageIs() async throws {
    let server = try Tool.start(["serve", "--port", "0", "--users", folder.file("users.json")])
    _ = try await server.firstLine()
    try await waitUntil { server.stdout.contains("journeys:") }
    let page = try #require(server.stdout.firstMatch(of: /sign-in page: (http:\/\/localhost:\d+\/)\n/))
    let program = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"
    let read = try await ChildProcess("python3", ["-c", program, String(page.1)]).result()
    #expect(read.status == 0, "\(read.stderr)")
    #expect(read.stdout.contains("<title>Sign in</title>"))
    server.send(SIGTERM)
    #expect(try await server.result().status == 0)
  }

  @Test(arguments: [SIGTERM, SIGINT]) func endsWhenAsked(signal: Int32) async throws {
    let server = try start()
    _ = try await server.firstLine()
    server.send(signal)
    #expect(try await server.result().status == 0)
  }

  @Test func endsWhileItDerivesPasswords() async throws {
    // Minutes of work on a small machine.
    let people: [JSONValue] = (0..<400).map { ["username": "user-\($0)", "password": "password \($0)"] }
    try folder.write("users.json", JSONValue.array(people).serializedString())
    let server = try Tool.start(
      ["serve", "--port", "0", "--users", folder.file("users.json"), "--json", "--registry", folder.file("r.sqlite")])
    // Its registry is there as soon as it has begun.
    while TemporaryFolder.read(folder.file("r.sqlite")) == nil { try await Task.sleep(for: .milliseconds(10)) }
    server.send(SIGTERM)
    let result = try await server.result(within: .seconds(60))
    #expect(result.status == 0)
    #expect(result.stdout.isEmpty)
  }

  @Test func bringsARegistryUpToTheList() async throws {
    let registry = folder.file("registry.sqlite")
    /// Serves once; what it said, and how a sign-in ended.
    func serve(_ list: String?) async throws -> (said: String, status: Int32) {
      var words = ["serve", "--port", "0", "--registry", registry, "--json"]
      if let list { words += ["--users", try folder.write("users.json", list)] }
      let server = try Tool.start(words)
      let url = try #require(try JSONValue.parse(try await server.firstLine())["url"]?.stringValue)
      let status = try await login(url, "Login").status
      server.send(SIGTERM)
      return (try await server.result().stderr, status)
    }
    let empty = try await serve(nil)
    #expect(empty.said.contains("nobody can sign in yet") && empty.status != 0)
    let old = try await serve(#"[{"username": "mira", "password": "old password"}]"#)
    #expect(!old.said.contains("changed") && old.status != 0)
    let new = try await serve(#"[{"username": "Mira", "password": "correct horse"}]"#)
    #expect(new.said.contains("changed in the registry") && new.status == 0)
    let known = try await serve(nil)
    #expect(!known.said.contains("nobody can sign in yet"), "it has users")
    #expect(known.status == 0)
  }

  @Test func refusesAListThatHasAPersonTwice() async throws {
    for list in [
      #"[{"username": "Mira", "password": "a"}, {"username": "mira", "password": "b"}]"#,
      #"[{"username": "mira", "password": "a", "realm": "/alpha"}, {"username": "mira", "password": "a"}]"#,
    ] {
      try folder.write("users.json", list)
      let result = try await start().result(within: .seconds(60))
      #expect(result.status == 3)
      #expect(
        try result.json()["message"]?.stringValue?.contains("entries 0 and 1 are the same person, 'mira'") == true)
    }
    try folder.write(
      "users.json",
      #"[{"username": "mira", "password": "a", "realm": "/alpha"}, {"username": "mira", "password": "b", "realm": "/"}]"#
    )
    let server = try start()
    _ = try await server.firstLine()
    server.send(SIGTERM)
    #expect(try await server.result().status == 0)
  }

  @Test func refusesAJourneyThatIsNoFile() async throws {
    #expect(mkdir(folder.file("journeys"), 0o700) == 0)
    #expect(mkfifo(folder.file("journeys/Pipe.json"), 0o600) == 0)
    let result = try await start("--journeys", folder.file("journeys")).result()
    #expect(result.status == 3)
    #expect(try result.json()["message"]?.stringValue?.contains("no regular file") == true)
  }

  @Test func whatItKeepsOutlivesIt() async throws {
    let registry = folder.file("registry.sqlite")
    var server = try start("--registry", registry)
    var url = try #require(try JSONValue.parse(try await server.firstLine())["url"]?.stringValue)
    #expect(try await login(url, "BindDevice").status == 0)
    server.send(SIGTERM)
    #expect(try await server.result().status == 0)
    var status = stat()
    #expect(stat(registry, &status) == 0 && status.st_mode & 0o777 == 0o600)

    // The same port, because a key belongs to an address; the port may be taken by now, then there is nothing to see.
    let port = url.split(separator: ":").last?.split(separator: "/").first.map(String.init) ?? "0"
    server = try Tool.start([
      "serve", "--port", port, "--users", folder.file("users.json"), "--registry", registry, "--json",
    ])
    url = try #require(try JSONValue.parse(try await server.firstLine())["url"]?.stringValue)
    #expect(try await login(url, "SignDevice").status == 0)
    server.send(SIGTERM)
    #expect(try await server.result().status == 0)
  }

  @Test func listsItsJourneys() async throws {
    let result = try await Tool.run(["serve", "--list", "--json"])
    #expect(result.status == 0)
    let journeys = try result.json().arrayValue ?? []
    #expect(journeys.contains { $0["name"] == "SignDevice" })
    #expect(journeys.allSatisfy { $0["description"]?.stringValue?.isEmpty == false })
  }

  @Test func aPortThatIsTakenIsUnusable() async throws {
    let server = try start()
    let url = try #require(try JSONValue.parse(try await server.firstLine())["url"]?.stringValue)
    let port = try #require(url.split(separator: ":").last?.split(separator: "/").first.map(String.init))
    let second = try await Tool.run(["serve", "--port", port, "--json"])
    #expect(second.status == 3)
    #expect(try second.json()["stage"] == "serve")
    #expect(try second.json()["message"]?.stringValue?.hasSuffix("Address already in use") == true)
    server.send(SIGTERM)
    _ = try await server.result()
  }

  @Test(
    arguments: [
      "", "{}", "[1]", #"[{"username": "x"}]"#, #"[{"password": "x"}]"#, #"[{"username": "", "password": "x"}]"#,
      #"[{"username": "x", "password": "y", "realm": "/nowhere"}]"#,
      #"[{"username": "x", "password": "y", "realm": 1}]"#,
    ])
  func refusesUserListsOfAnotherForm(text: String) async throws {
    try folder.write("users.json", text)
    let result = try await start().result()
    #expect(result.status == 3)
    #expect(try result.json()["error"] == "inputUnusable")
  }

  @Test func refusesFilesThatAreNoRegistry() async throws {
    try folder.write("text", String(repeating: "no registry ", count: 100))
    let result = try await start("--registry", folder.file("text")).result()
    #expect(result.status == 3)
    #expect(try await start("--registry", "postgres://localhost/x").result().status == 2)
  }

  @Test func aParkedJourneysLinkIsALineOfItsOutput() async throws {
    let server = try start()
    let url = try #require(try JSONValue.parse(try await server.firstLine())["url"]?.stringValue)
    let parked = try await login(url, "Suspend")
    #expect(try parked.json()["outcome"] == "suspended")
    let line = try #require(server.stdout.split(separator: "\n").last.map(String.init))
    let link = try #require(try JSONValue.parse(line)["resumeLink"]?.stringValue)
    let resume = ["login", "--server", url, "--resume", link, "--answer", "PasswordCallback=correct horse", "--json"]
    #expect(try await Tool.run(resume).status == 0)
    let again = try await Tool.run(resume)
    #expect(again.status == 1)
    #expect(try again.json()["code"] == "suspendedSession")
    server.send(SIGTERM)
    _ = try await server.result()
  }
}
