import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import Testing

@Suite struct SessionTests {
  private let old = JourneySession(tokenID: "old", successURL: "/", realm: "/alpha")

  @Test func storesItsSession() async throws {
    let storage = InMemorySessionStorage()
    let client = try TestClient(storage: storage)
    #expect(try await client.journey.session == nil)
    let session = try #require(try await client.start(Wire.success).session)
    #expect(session == JourneySession(tokenID: "token-1", successURL: "/enduser/", realm: "/alpha"))
    #expect(try await client.journey.session == session)
    #expect(await storage.load()?.session == session)
    #expect(await storage.load()?.instance == "https://am.example.com/am")
    // Another client on the same storage is signed in.
    #expect(try await TestClient(storage: storage).journey.session == session)
  }

  @Test func keepsClientsApart() async throws {
    let (first, second) = (try TestClient(), try TestClient())
    _ = try await first.start(Wire.success)
    #expect(try await second.journey.session == nil)
    _ = try await second.start(Wire.login)
    #expect(second.transport.requests[0].value("iPlanetDirectoryPro") == nil)
  }

  @Test func sendsSessionOnEveryStepUnderTheConfiguredName() async throws {
    let configuration = try JourneyConfiguration(
      server: "https://am.example.com/am", realm: "/alpha", cookieName: "c0ffee")
    let transport = ScriptedTransport()
    let journey = Journey(
      configuration, transport: transport, environment: TestEnvironment().environment,
      storage: InMemorySessionStorage(
        StoredSession(instance: "https://am.example.com/am", realm: "/alpha", session: old)))
    transport.add(json: Wire.login)
    let node = try #require(try await journey.start("StepUp").continueNode)
    transport.add(json: Wire.login)
    _ = try await node.next()
    #expect(transport.requests.map { $0.value("c0ffee") } == ["old", "old"])
    #expect(!transport.requests.contains { $0.url.description.contains("old") })
  }

  // MARK: Step-up (reference a.10)

  @Test func keepsSessionWhenNoTokenComes() async throws {
    let client = try TestClient(session: old)
    _ = try await client.start(["successUrl": "/", "realm": "/alpha"], options: JourneyOptions(noSession: true))
    #expect(try await client.journey.session == old)
    #expect(client.transport.requests.count == 1)
  }

  @Test func keepsSessionWhenTokenIsEmpty() async throws {
    let client = try TestClient(session: old)
    _ = try await client.start(["tokenId": "", "successUrl": "/"])
    #expect(try await client.journey.session == old)
    #expect(client.transport.requests.count == 1)
  }

  @Test func replacesSessionAndEndsTheOldOne() async throws {
    let client = try TestClient(session: old)
    client.transport.add(json: Wire.success)
    client.transport.add(json: ["result": "Successfully logged out"])
    _ = try await client.journey.start("StepUp")
    #expect(try await client.journey.session?.tokenID == "token-1")
    let logout = client.transport.requests[1]
    #expect(logout.method == "POST")
    #expect(logout.url.path == "/am/json/realms/root/realms/alpha/sessions")
    #expect(logout.queryItems == ["_action": "logout"])
    #expect(logout.value("iPlanetDirectoryPro") == "old")
    #expect(logout.value("Accept-API-Version") == "resource=3.1, protocol=1.0")
    #expect(logout.json == .object(JSONObject()))
  }

  @Test func succeedsWhenTheOldSessionCannotBeEnded() async throws {
    let client = try TestClient(session: old)
    client.transport.add(json: Wire.success)
    client.transport.addFailure(mayHaveArrived: true)
    #expect(try await client.journey.start("StepUp").session?.tokenID == "token-1")
    #expect(try await client.journey.session?.tokenID == "token-1")
  }

  @Test func endsNothingWhenTheTokenIsTheSame() async throws {
    let client = try TestClient(session: old)
    _ = try await client.start(["tokenId": "old", "successUrl": "/new"])
    #expect(client.transport.requests.count == 1)
    #expect(try await client.journey.session?.successURL == "/new")
  }

  @Test(arguments: ["failure", "timeout", "transport", "malformed", "close"])
  func keepsSessionWhenStepUpDoesNotSucceed(_ end: String) async throws {
    let client = try TestClient(session: old)
    let node = try await client.page(Wire.login)
    switch end {
    case "failure": client.transport.add(401, json: Wire.loginFailure)
    case "timeout":
      client.transport.add(
        401, json: ["code": 401, "message": "Session has timed out", "detail": ["errorCode": "110"]])
    case "transport": client.transport.addFailure(mayHaveArrived: true)
    case "malformed": client.transport.add(200, text: "[]")
    default: node.close()
    }
    do { _ = try await node.next() } catch is AuthenticatorError {}
    #expect(try await client.journey.session == old)
    #expect(!client.transport.requests.contains { $0.url.path.hasSuffix("/sessions") })
  }

  // MARK: Tokens

  @Test func takesTokenFromCookie() async throws {
    let client = try TestClient()
    client.transport.add(
      json: ["successUrl": "/", "realm": "/alpha"],
      fields: [HTTPField("Set-Cookie", "iPlanetDirectoryPro=from-cookie; Path=/; Secure; HttpOnly")])
    #expect(try await client.journey.start("Login").session?.tokenID == "from-cookie")
    client.transport.add(json: Wire.login)
    _ = try await client.journey.start("Login")
    #expect(client.transport.requests[1].value("iPlanetDirectoryPro") == "from-cookie")
    #expect(client.transport.requests[1].value("Cookie") == nil)
  }

  @Test func ignoresCookieTokenWithoutSession() async throws {
    let client = try TestClient()
    client.transport.add(
      json: ["successUrl": "/"], fields: [HTTPField("Set-Cookie", "iPlanetDirectoryPro=x; Path=/; Secure")])
    let node = try await client.journey.start("Login", options: JourneyOptions(noSession: true))
    #expect(node.session?.hasToken == false)
  }

  @Test(arguments: ["a\r\nX-Evil: 1", "a\u{0}b", "tök", " lead"])
  func refusesTokenThatIsNoFieldValue(_ token: String) async throws {
    let client = try TestClient()
    client.transport.add(json: ["tokenId": .string(token)])
    #expect(await code { try await client.journey.start("Login") } == .invalidMessage)
    #expect(try await client.journey.session == nil)
  }

  // MARK: Logout

  @Test(arguments: [200, 401, 404])
  func forgetsSessionOnLogout(_ status: Int) async throws {
    let client = try TestClient(session: old)
    client.transport.add(status, json: ["result": "x"])
    try await client.journey.logout()
    #expect(try await client.journey.session == nil)
    #expect(try await client.storage.load() == nil)
    #expect(client.transport.requests[0].value("iPlanetDirectoryPro") == "old")
  }

  @Test func forgetsSessionEvenWhenTheServerCannotBeTold() async throws {
    let client = try TestClient(session: old)
    client.transport.addFailure(mayHaveArrived: false)
    #expect(await code { try await client.journey.logout() } == .transportFailed)
    #expect(try await client.journey.session == nil)
    client.transport.add(500, text: "")
    let other = try TestClient(session: old)
    other.transport.add(500, text: "")
    #expect(await code { try await other.journey.logout() } == .transportFailed)
    #expect(try await other.journey.session == nil)
  }

  @Test func logsOutQuietlyWithoutSession() async throws {
    let client = try TestClient()
    try await client.journey.logout()
    #expect(client.transport.requests.isEmpty)
  }

  // MARK: Storage

  @Test(arguments: [("https://other.example.com/am", "/alpha"), ("https://am.example.com/am", "/beta")])
  func refusesForeignStorage(_ instance: String, _ realm: String) async throws {
    let storage = InMemorySessionStorage(StoredSession(instance: instance, realm: realm, session: old))
    let client = try TestClient(storage: storage)
    #expect(await code { try await client.journey.session } == .invalidRequest)
    #expect(await code { try await client.journey.start("Login") } == .invalidRequest)
    #expect(client.transport.requests.isEmpty)
    #expect(await storage.load()?.session == old)
  }

  @Test func tellsThatStorageFails() async throws {
    let client = try TestClient(storage: BrokenStorage())
    #expect(await code { try await client.journey.session } == .storageFailed)
    #expect(await code { try await client.journey.start("Login") } == .storageFailed)
    #expect(client.transport.requests.isEmpty)
  }

  @Test func endsASessionThatCouldNotBeKept() async throws {
    let client = try TestClient(storage: ReadOnlyStorage())
    client.transport.add(json: Wire.success)
    client.transport.add(json: ["result": "Successfully logged out"])
    #expect(await code { try await client.journey.start("Login") } == .storageFailed)
    #expect(client.transport.requests.map(\.url.query).last == "_action=logout")
    #expect(client.transport.requests.last?.value("iPlanetDirectoryPro") == "token-1")
    #expect(try await client.journey.session == nil)
  }

  @Test func keepsTheFormerSessionWhenANewOneCouldNotBeKept() async throws {
    let client = try TestClient(storage: ReadOnlyStorage(session: old))
    client.transport.add(json: Wire.success)
    client.transport.add(json: ["result": "Successfully logged out"])
    #expect(await code { try await client.journey.start("Login") } == .storageFailed)
    #expect(client.transport.requests.last?.value("iPlanetDirectoryPro") == "token-1")
    #expect(try await client.journey.session == old)
  }

  // MARK: Cookies

  @Test func sendsLoadBalancerCookieBack() async throws {
    let client = try TestClient()
    client.transport.add(
      json: Wire.login, fields: [HTTPField("Set-Cookie", "amlbcookie=01; Domain=.example.com; Path=/; Secure")])
    let node = try #require(try await client.journey.start("Login").continueNode)
    client.transport.add(json: Wire.success)
    _ = try await node.next()
    #expect(client.transport.requests.map { $0.value("Cookie") } == [nil, "amlbcookie=01"])
  }

  @Test func keepsListedCookiesOnly() async throws {
    let storage = InMemorySessionStorage()
    let client = try TestClient(storage: storage) { $0.persistentCookies = ["keep"] }
    client.transport.add(
      json: Wire.success,
      fields: [
        HTTPField("Set-Cookie", "keep=1; Path=/; Secure; Max-Age=1000"),
        HTTPField("Set-Cookie", "drop=2; Path=/; Secure; Max-Age=1000"),
      ])
    _ = try await client.journey.start("Login")
    #expect(await storage.load()?.cookies.map(\.name) == ["keep"])
    let next = try TestClient(storage: storage) { $0.persistentCookies = ["keep"] }
    _ = try await next.start(Wire.login)
    #expect(next.transport.requests[0].value("Cookie") == "keep=1")
  }
}

private struct BrokenStorage: SessionStorage {
  struct Odd: Error {}
  func load() async throws -> StoredSession? { throw Odd() }
  func save(_ session: StoredSession) async throws { throw Odd() }
  func clear() async throws { throw Odd() }
}

private struct ReadOnlyStorage: SessionStorage {
  var session: JourneySession?
  func load() async throws -> StoredSession? {
    session.map { StoredSession(instance: "https://am.example.com/am", realm: "/alpha", session: $0) }
  }
  func save(_ session: StoredSession) async throws { throw AuthenticatorError(.storageFailed) }
  func clear() async throws { throw AuthenticatorError(.storageFailed) }
}
