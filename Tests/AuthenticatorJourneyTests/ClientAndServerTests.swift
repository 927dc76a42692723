import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourney
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import Testing

/// The client against the embedded server, in one process.
@Suite struct ClientAndServerTests {
  private func client(
    configure: (inout JourneyServerConfiguration) -> Void = { _ in }
  ) async throws -> (Journey, InProcessTransport, TestEnvironment) {
    let environment = TestEnvironment()
    var settings = try JourneyServerConfiguration(environment: environment.environment)
    settings.passwordCost = ScryptParameters(logN: 4, r: 8, p: 1)
    settings.passwordBounds = ScryptBounds(minimumLogN: 4)
    configure(&settings)
    let server = try await JourneyServer(configuration: settings, registry: InMemoryRegistry())
    try await server.addUser(named: "mira", password: "s3cret", in: #require(Realm("/alpha")))
    let transport = InProcessTransport(server)
    let journey = Journey(
      try JourneyConfiguration(server: "https://am.example.com/am", realm: "/alpha"), transport: transport,
      environment: environment.environment)
    return (journey, transport, environment)
  }

  private func signIn(_ node: JourneyNode, password: String = "s3cret") async throws -> JourneyNode {
    let page = try #require(node.continueNode)
    page.callback(NameCallback.self)?.name = "mira"
    page.callback(PasswordCallback.self)?.password = password
    return try await page.next()
  }

  @Test func signsInAndOut() async throws {
    let (journey, _, _) = try await client()
    let session = try #require(try await signIn(journey.start("Login")).session)
    #expect(session.hasToken)
    // A session that satisfies the journey ends it at once; forced, it runs again.
    #expect(try await journey.start("Login").session != nil)
    #expect(try await journey.start("Login", options: JourneyOptions(forceAuth: true)).continueNode != nil)
    let user = try await journey.sessionRequest(
      "POST", path: "users", query: "_action=idFromSession", version: "resource=2.1", body: JSONObject())
    #expect(try JSONValue.parse(user.body)["id"] == "mira")
    try await journey.logout()
    #expect(try await journey.session == nil)
  }

  @Test func failsWithTheServersWords() async throws {
    let (journey, _, _) = try await client()
    var node = try await journey.start("Login")
    for _ in 0..<5 where node.continueNode != nil { node = try await signIn(node, password: "wrong") }
    #expect(node.failure?.code == .loginFailure)
    #expect(node.failure?.status == 401)
    #expect(try await journey.start("NoSuchJourney").failure?.code == .badRequest)
  }

  @Test func leavesNoSessionWhenAskedForNone() async throws {
    let (journey, _, _) = try await client()
    let end = try await signIn(journey.start("Login", options: JourneyOptions(noSession: true)))
    #expect(end.session?.hasToken == false)
    #expect(try await journey.session == nil)
  }

  @Test func takesTokenFromHttpOnlyCookie() async throws {
    let (journey, _, _) = try await client { $0.sessionCookie = .only }
    #expect(try await signIn(journey.start("Login")).session?.hasToken == true)
    #expect(try await journey.session?.hasToken == true)
  }

  @Test func walksAPageOfEverything() async throws {
    let (journey, transport, _) = try await client()
    let page = try #require(try await journey.start("Callbacks").continueNode)
    #expect(page.stage == "everything")
    #expect(page.callback(TextInputCallback.self)?.defaultText == "none")
    try page.callback(ChoiceCallback.self)?.select("Yes")
    page.callback(TextInputCallback.self)?.text = "em"
    let end = try await signIn(page.next())
    #expect(end.session != nil)
    #expect(
      !transport.requests.contains {
        $0.body.map { String(decoding: $0, as: UTF8.self) }?.contains("console.log") ?? false
      })
  }

  @Test func pollsAndLeaves() async throws {
    let (journey, _, environment) = try await client()
    let wait = try #require(try await signIn(journey.start("Polling")).continueNode)
    #expect(wait.pollingDelay == .seconds(1))
    async let end = wait.poll()
    await environment.clock.waitForSleepers()
    environment.clock.advance(by: .seconds(1))
    #expect(try await end.session != nil)
    let (other, _, _) = try await client()
    let leaving = try #require(try await signIn(other.start("Polling")).continueNode)
    try leaving.callback(ConfirmationCallback.self)?.select(0)
    #expect(try await leaving.next().failure?.code == .loginFailure)
  }

  @Test func namesAnExpiredStep() async throws {
    let (journey, _, environment) = try await client()
    let node = try await journey.start("Login")
    environment.clock.advance(by: .seconds(301))
    #expect(try await signIn(node).failure?.code == .timeout)
  }

  @Test func resumesOnce() async throws {
    let links = AsyncStream<ResumeLink>.makeStream()
    let (journey, _, _) = try await client { $0.deliver = { links.continuation.yield($0) } }
    let page = try #require(try await journey.start("Suspend").continueNode)
    page.callback(NameCallback.self)?.name = "mira"
    guard case .suspended = try await page.next() else {
      Issue.record("not suspended")
      return
    }
    var iterator = links.stream.makeAsyncIterator()
    let link = try #require(await iterator.next()).url
    let resumed = try #require(try await journey.resume(link).continueNode)
    resumed.callback(PasswordCallback.self)?.password = "s3cret"
    #expect(try await resumed.next().session != nil)
    #expect(try await journey.resume(link).failure?.code == .suspendedSession)
  }

  @Test func cannotBeFooledIntoReplaying() async throws {
    let (journey, transport, _) = try await client()
    let page = try #require(try await journey.start("Login").continueNode)
    page.callback(NameCallback.self)?.name = "mira"
    page.callback(PasswordCallback.self)?.password = "s3cret"
    transport.lose(.answer)
    #expect(await code { try await page.next() } == .transportFailed)
    #expect(await code { try await page.next() } == .invalidRequest)
    #expect(transport.requests.count == 2)
  }
}
