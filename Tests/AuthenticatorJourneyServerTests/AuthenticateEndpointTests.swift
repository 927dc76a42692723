import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

@Suite struct AuthenticateEndpointTests {
  // MARK: Start

  @Test func startsWithThePageOfTheReference() async throws {
    let harness = try await Harness()
    let page = try await harness.start("Login")
    #expect(page.status == 200)
    var body = try #require(page.body.objectValue)
    #expect(body["authId"]?.stringValue?.split(separator: ".").count == 3)
    body["authId"] = nil
    #expect(
      body == [
        "callbacks": [
          [
            "type": "NameCallback", "output": [["name": "prompt", "value": "User Name"]],
            "input": [["name": "IDToken1", "value": ""]], "_id": 0,
          ],
          [
            "type": "PasswordCallback", "output": [["name": "prompt", "value": "Password"]],
            "input": [["name": "IDToken2", "value": ""]], "_id": 1,
          ],
        ],
        "stage": "UsernamePassword", "header": "Sign in",
      ])
    let fields = page.response.fields
    #expect(fields.contains(HTTPField("Content-Type", "application/json;charset=UTF-8")))
    #expect(fields.contains(HTTPField("Cache-Control", "no-store")))
  }

  @Test func countsOutputOnlyCallbacksInInputNames() async throws {
    let harness = try await Harness()
    let page = try await harness.start("Callbacks")
    let callbacks = try #require(page.body["callbacks"]?.arrayValue)
    let names = callbacks.map { $0["input"]?[0]?["name"]?.stringValue }
    #expect(names == [nil, nil, "IDToken3", "IDToken4", nil, "IDToken6"])
    #expect(callbacks.map { $0["_id"]?.intValue } == [nil, nil, 0, 1, nil, 2])
  }

  @Test(arguments: ["", "{}", "  {}\n"]) func startsOnAnEmptyBody(text: String) async throws {
    let harness = try await Harness()
    let page = try await harness.send(
      "POST", Harness.base + "/authenticate", query: "authIndexType=service&authIndexValue=Login",
      body: Array(text.utf8))
    #expect(page.types == ["NameCallback", "PasswordCallback"])
  }

  @Test func startsTheDefaultJourneyWithoutIndex() async throws {
    let harness = try await Harness()
    let page = try await harness.send("POST", Harness.base + "/authenticate")
    #expect(page.types == ["NameCallback", "PasswordCallback"])
  }

  @Test(
    arguments: [
      ("/am/json/realms/root/authenticate", nil), ("/am/json/authenticate", nil),
      ("/am/json/realms/root/realms/alpha/authenticate", "/alpha"), ("/am/json/realms/alpha/authenticate", "/alpha"),
      ("/am/json/authenticate?realm=/alpha", "/alpha"), ("/am/json/realms/root/authenticate?realm=alpha", "/alpha"),
      ("/am/json/realms/root/realms/alpha/authenticate?realm=/", nil),
    ] as [(String, String?)])
  func readsTheRealmFromPathAndQuery(address: String, realm: String?) async throws {
    let harness = try await Harness()
    try await harness.server.addUser(named: "rooted", password: Harness.password, in: .root)
    let parts = address.split(separator: "?").map(String.init)
    let query = parts.count > 1 ? parts[1] : nil
    let page = try await harness.send("POST", parts[0], query: query)
    let step = harness.credentials(page, realm == nil ? "rooted" : "mira")
    let answer = try await harness.send("POST", parts[0], query: query, body: step.serialized())
    #expect(answer.status == 200)
    #expect(answer.body["realm"] == .string(realm ?? "/"))
  }

  @Test(arguments: [
    ("authIndexType=service&authIndexValue=Nowhere", 400, "No Configuration found"),
    ("authIndexType=servce&authIndexValue=Login", 400, "Unknown Authentication Index Type"),
    ("authIndexType=service", 400, "authIndexValue is missing"),
    ("authIndexType=module&authIndexValue=LDAP", 404, "Authentication module not found"),
    ("authIndexType=level&authIndexValue=1", 400, "This server starts journeys by service only"),
    ("authIndexType=service&authIndexType=service", 400, "Query parameter given twice"),
    ("a=%zz", 400, "Malformed query"), ("a=%00", 400, "Malformed query"), ("a=%ff", 400, "Malformed query"),
    ("sessionUpgradeSSOTokenId=nonsense", 400, "The session to upgrade is not valid"),
  ]) func refusesQueriesItDoesNotUnderstand(query: String, status: Int, message: String) async throws {
    let harness = try await Harness()
    let answer = try await harness.send("POST", Harness.base + "/authenticate", query: query)
    #expect(answer.status == status)
    #expect(answer.message == message)
    #expect(answer.body["code"] == .integer(Int64(status)))
  }

  @Test func refusesUnknownRealmsPathsAndMethods() async throws {
    let harness = try await Harness()
    #expect(try await harness.send("POST", "/am/json/realms/root/realms/beta/authenticate").status == 400)
    #expect(try await harness.send("POST", "/am/json/realms/root/realms/a%2Fb/authenticate").status == 400)
    #expect(try await harness.send("POST", "/am/json/realms/root/realms/../authenticate").status == 400)
    #expect(try await harness.send("POST", "/am/json/realms").status == 400)
    #expect(try await harness.send("POST", "/other/json/authenticate").status == 404)
    #expect(try await harness.send("POST", "/am/json/nothing").status == 404)
    #expect(try await harness.send("POST", "/amjson/authenticate").status == 404)
    #expect(try await harness.send("GET", Harness.base + "/authenticate").status == 405)
  }

  // MARK: Success

  @Test func endsWithATokenThatIsASession() async throws {
    let harness = try await Harness()
    let answer = try await harness.login()
    #expect(answer.status == 200)
    let token = try #require(answer.token)
    #expect(token.utf8.count >= 40)
    #expect(
      answer.body == ["tokenId": .string(token), "successUrl": "/enduser/?realm=/alpha", "realm": "/alpha"])
    #expect(!answer.response.fields.contains { $0.name == "Set-Cookie" })
    let info = try await harness.send(
      "POST", Harness.base + "/sessions", query: "_action=getSessionInfo", session: token, body: Array("{}".utf8))
    #expect(info.body["username"] == "mira")
    #expect(info.body["maxSessionExpirationTime"] == "2026-01-01T02:00:00Z")
  }

  @Test func makesNoSessionWhenAskedNotTo() async throws {
    let harness = try await Harness()
    for query in ["&noSession=true", ""] {
      let page = try await harness.start("Login", query: query)
      let answer = try await harness.post(
        harness.credentials(page), query: query.isEmpty ? "noSession=true" : nil)
      #expect(answer.status == 200)
      #expect(answer.token == nil)
      #expect(answer.body["successUrl"] == "/enduser/?realm=/alpha")
      #expect(answer.authID == nil)
    }
  }

  @Test func sendsTheTokenInACookieWhenConfigured() async throws {
    let harness = try await Harness { $0.sessionCookie = .only }
    let answer = try await harness.login()
    #expect(answer.token == "")
    let cookie = try #require(answer.response.fields.first { $0.name == "Set-Cookie" }?.value)
    #expect(cookie.hasPrefix("iPlanetDirectoryPro="))
    #expect(cookie.hasSuffix("; Path=/am; HttpOnly; SameSite=Lax"))
    let pair = try #require(cookie.split(separator: ";").first)
    let fields = [HTTPField("Cookie", "other=1; \(pair)"), HTTPField("X-Requested-With", "ping-sdk")]
    let info = try await harness.send(
      "POST", Harness.base + "/sessions", query: "_action=validate", fields: fields)
    #expect(info.body["valid"] == true)
    // A page of another site can cause a request with cookies, but not one with this header field.
    let forged = try await harness.send(
      "POST", Harness.base + "/sessions", query: "_action=logout", fields: [HTTPField("Cookie", String(pair))])
    #expect(forged.status == 401)
  }

  // MARK: Sessions at the start

  @Test func answersAtOnceWhenTheSessionHasComeThroughTheJourney() async throws {
    let harness = try await Harness()
    let token = try await harness.session()
    let again = try await harness.start("Login", session: token)
    #expect(again.token == token)
    let forced = try await harness.start("Login", query: "&ForceAuth=true", session: token)
    #expect(forced.types == ["NameCallback", "PasswordCallback"])
    let other = try await harness.start("Polling", session: token)
    #expect(other.types == ["NameCallback", "PasswordCallback"])
    let none = try await harness.start("Login", query: "&noSession=true", session: token)
    #expect(none.status == 200 && none.token == nil && none.authID == nil)
  }

  @Test func upgradesASessionAndKeepsTheOldOneWhenItFails() async throws {
    let harness = try await Harness()
    let device = try Device()
    #expect(try await harness.bind(device).status == 200)
    let token = try await harness.session()
    let page = try await harness.start("SignDevice", session: token)
    let asked = try await harness.post(page.filled([0: ["": "mira"]]), session: token)
    let failed = try await harness.post(asked.filled([0: ["clientError": "Abort"]]), session: token)
    #expect(failed.status == 401)
    #expect(try await harness.start("Login", session: token).token == token)

    let second = try await harness.start("SignDevice", session: token)
    let question = try await harness.post(second.filled([0: ["": "mira"]]), session: token)
    let proof = try device.proof(for: question, now: harness.clock.now.seconds)
    let upgraded = try #require(
      try await harness.post(question.filled([0: ["jws": .string(proof)]]), session: token).token)
    #expect(upgraded != token)
    // The new session has come through both journeys.
    #expect(try await harness.start("Login", session: upgraded).token == upgraded)
    #expect(try await harness.start("SignDevice", session: upgraded).token == upgraded)
  }

  @Test func doesNotMixSessionsOfTwoPeople() async throws {
    let harness = try await Harness()
    let mira = try await harness.session(of: "mira")
    let page = try await harness.start("Polling", session: mira)
    let wait = try await harness.post(harness.credentials(page, "noor"), session: mira)
    let noor = try #require(try await harness.post(wait.body, session: mira).token)
    #expect(try await harness.start("Login", session: noor).types == ["NameCallback", "PasswordCallback"])
  }

  // MARK: Failure

  @Test func saysLoginFailureAsPingAMDoes() async throws {
    let harness = try await Harness()
    let page = try await harness.start("BindDeviceNone")
    let bind = try await harness.post(harness.credentials(page))
    let answer = try await harness.post(bind.filled([0: ["clientError": "Abort"]]))
    #expect(answer.status == 401)
    #expect(
      answer.body == [
        "code": 401, "reason": "Unauthorized", "message": "Login failure", "detail": ["failureUrl": ""],
      ])
  }

  @Test func asksForAPasswordThreeTimesAgainAndThenFails() async throws {
    let harness = try await Harness()
    var answer = try await harness.login("mira", "wrong")
    for _ in 0..<3 {
      #expect(answer.status == 200)
      #expect(answer.types == ["NameCallback", "PasswordCallback"])
      answer = try await harness.post(harness.credentials(answer, "mira", "wrong"))
    }
    #expect(answer.status == 401)
    #expect(answer.message == "Login failure")
  }

  @Test func tellsThatAStepHasTimedOut() async throws {
    let harness = try await Harness()
    let page = try await harness.start("Login")
    harness.clock.advance(by: 300)
    let answer = try await harness.post(harness.credentials(page))
    #expect(answer.status == 401)
    #expect(answer.message == "Session has timed out")
    #expect(answer.errorCode == "110")
  }

  @Test func refusesInactiveUsersOnlyAfterTheRightPassword() async throws {
    let harness = try await Harness()
    let token = try await harness.session()
    #expect(try await harness.server.setActive(false, userNamed: "mira", in: harness.realm))
    #expect(try await harness.login("mira", "wrong").status == 200)
    let answer = try await harness.login()
    #expect(answer.status == 401)
    #expect(answer.message == "User is not active.")
    let info = try await harness.send(
      "POST", Harness.base + "/sessions", query: "_action=getSessionInfo", session: token, body: Array("{}".utf8))
    #expect(info.status == 401)
  }

  @Test func hidesItsOwnFaults() async throws {
    struct Broken: Error {}
    struct BrokenNode: TreeNode {
      static let nodeType = "BrokenNode"
      let outcomes: [NodeOutcome] = [.outcome]
      func process(_ context: inout NodeContext) async throws -> NodeResult { throw Broken() }
    }
    let tree = try JourneyTree("Broken") { TreeStep("only", BrokenNode()).next(.success) }
    let harness = try await Harness(journeys: [tree])
    let answer = try await harness.start("Broken")
    #expect(
      answer.body == ["code": 500, "reason": "Internal Server Error", "message": "Authentication Error!!"])
    #expect(harness.events.all == [.fault("Broken")])
  }

  // MARK: Malformed requests

  @Test(arguments: [
    "[]", "null", "{", "{\"authId\":\"a\",\"authId\":\"b\"}", "\u{FEFF}{}",
    "{\"a\":[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]}",
  ]) func refusesBodiesThatAreNoObject(text: String) async throws {
    let harness = try await Harness()
    let answer = try await harness.send("POST", Harness.base + "/authenticate", body: Array(text.utf8))
    #expect(answer.status == 400)
  }

  @Test func refusesOtherContentTypesAndLargeBodies() async throws {
    let harness = try await Harness()
    let form = try await harness.send(
      "POST", Harness.base + "/authenticate",
      fields: [HTTPField("Content-Type", "application/x-www-form-urlencoded")], body: Array("a=b".utf8))
    #expect(form.status == 415)
    let large = [UInt8](repeating: 0x20, count: JourneyServerLimits.default.bodyBytes + 1)
    #expect(try await harness.send("POST", Harness.base + "/authenticate", body: large).status == 413)
  }

  @Test(arguments: [nil, 7, "", "a.b.c", "x"] as [JSONValue?]) func refusesWhatIsNoToken(value: JSONValue?) async throws
  {
    let harness = try await Harness()
    var step = try #require(try await harness.start("Login").body.objectValue)
    step["authId"] = value
    #expect(try await harness.post(.object(step)).status == 400)
  }
}
