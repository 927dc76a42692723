import AuthenticatorCoding
import Testing
import ToolSupport

/// How `login` ends, for every way a server can end it.
@Suite struct LoginOutcomeTests {
  private func login(_ server: PythonServer, _ more: String...) async throws -> ChildProcess.Result {
    try await Tool.run(
      [
        "login", "--server", server.url, "--realm", "alpha", "--journey", "Any", "--answer", "NameCallback=mira",
        "--json",
      ]
        + more)
  }

  @Test func successShowsTheSessionAndEveryNode() async throws {
    let server = try await PythonServer.answering(
      Canned.node(Canned.name(), stage: "signin"), Canned.node(Canned.choice(1, "a", "b")), Canned.success)
    let result = try await login(server)
    #expect(result.status == 0)
    let json = try result.json()
    #expect(json["outcome"] == "success")
    #expect(json["session"] == ["tokenId": "tok.en*1", "successUrl": "/enduser/?realm=/alpha", "realm": "/alpha"])
    #expect(json["status"] == 200)
    #expect(
      json["steps"] == [
        ["stage": "signin", "callbacks": ["NameCallback"]], ["stage": nil, "callbacks": ["ChoiceCallback"]],
      ])
    #expect(json["prompts"] == [])
    #expect(json["code"] == nil)
    #expect(
      server.requests[0]["path"]
        == "/am/json/realms/root/realms/alpha/authenticate?authIndexType=service&authIndexValue=Any")
  }

  @Test func successWithoutATokenHasAnEmptyOne() async throws {
    let server = try await PythonServer.answering(Canned.answer(["successUrl": "/x", "realm": "/"]))
    let result = try await login(server, "--no-session", "--force-auth")
    #expect(result.status == 0)
    #expect(try result.json()["session"]?["tokenId"] == "")
    let path = try #require(server.requests[0]["path"]?.stringValue)
    #expect(path.contains("noSession=true") && path.contains("ForceAuth=true"))
  }

  @Test(
    arguments: [
      (Canned.loginFailure, "loginFailure", "Login failure", 401),
      (
        Canned.answer(
          ["code": 401, "reason": "Unauthorized", "message": "Session has timed out", "detail": ["errorCode": "110"]],
          status: 401), "timeout", "Session has timed out", 401
      ),
      (
        Canned.answer(
          [
            "code": 401, "reason": "Unauthorized",
            "message":
              "org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: Token not found.",
          ], status: 401), "suspendedSession", "Token not found.", 401
      ),
      (
        Canned.answer(
          [
            "code": 403, "reason": "Forbidden", "message": "Policy validation failed",
            "detail": [
              "result": false,
              "failedPolicyRequirements": [
                ["property": "password", "policyRequirements": [["policyRequirement": "MIN_LENGTH"]]]
              ],
            ],
          ], status: 403), "policyFailure", "Policy validation failed", 403
      ),
      (
        Canned.answer(["code": 403, "reason": "Forbidden", "message": "Access Denied"], status: 403), "forbidden",
        "Access Denied", 403
      ),
      (
        Canned.answer(["code": 400, "reason": "Bad Request", "message": "No Configuration found"], status: 400),
        "badRequest", "No Configuration found", 400
      ),
      (["status": 500, "body": "<html>no</html>"], "serverFault", "the server failed", 500),
      (["status": 302, "fields": ["Location": "http://127.0.0.1:1/x"]], "unexpectedRedirect", "redirects", 302),
    ] as [(JSONValue, String, String, Int)])
  func failuresHaveTheirOwnCodes(answer: JSONValue, code: String, message: String, status: Int) async throws {
    let server = try await PythonServer.answering(Canned.node(Canned.name()), answer)
    let result = try await login(server)
    #expect(result.status == 1)
    let json = try result.json()
    #expect(json["outcome"] == "failure")
    #expect(json["code"] == .string(code) && json["error"] == .string(code))
    #expect(json["message"]?.stringValue?.contains(message) == true)
    #expect(json["stage"]?.stringValue?.isEmpty == false)
    #expect(json["status"] == .integer(Int64(status)))
    #expect(json["session"] == .null)
    #expect(json["steps"]?.arrayValue?.count == 1)
    #expect(server.requests.count == 2)
  }

  @Test func aRefusalOfTheFirstRequestIsAnOutcomeToo() async throws {
    let server = try await PythonServer.answering(Canned.loginFailure)
    let result = try await login(server)
    #expect(result.status == 1)
    let json = try result.json()
    #expect(json["outcome"] == "failure" && json["steps"] == [])
  }

  @Test func suspendedIsNoFailure() async throws {
    let suspended: JSONValue = [
      "type": "SuspendedTextOutputCallback",
      "output": [["name": "message", "value": "We sent you a link."], ["name": "messageType", "value": "0"]],
    ]
    let server = try await PythonServer.answering(Canned.node(Canned.name()), Canned.node(suspended))
    let result = try await login(server)
    #expect(result.status == 0)
    let json = try result.json()
    #expect(json["outcome"] == "suspended")
    #expect(json["session"] == .null)
    #expect(json["message"] == "We sent you a link.")
    #expect(json["steps"]?[1]?["callbacks"] == ["SuspendedTextOutputCallback"])
  }

  @Test func resumesByLinkWithNothingButItsIDInItsRealm() async throws {
    let server = try await PythonServer.answering(Canned.success)
    let link = "https://elsewhere.example/am/XUI?realm=/alpha&suspendedId=9xW2a"
    let result = try await Tool.run(["login", "--server", server.url, "--resume", link, "--json"])
    #expect(result.status == 0)
    #expect(server.requests[0]["path"] == "/am/json/realms/root/realms/alpha/authenticate?suspendedId=9xW2a")
    let elsewhere = try await Tool.run([
      "login", "--server", server.url, "--realm", "/beta", "--resume", link, "--json",
    ])
    #expect(elsewhere.status == 2)
    #expect(try elsewhere.json()["error"] == "invalidRequest")
    #expect(try elsewhere.json()["outcome"] == "failure")
    #expect(server.requests.count == 1)
  }

  @Test func aLinkWithoutItsIDIsRefusedHere() async throws {
    let server = try await PythonServer.answering(Canned.success)
    let result = try await Tool.run(["login", "--server", server.url, "--resume", "https://x.example/?a=b", "--json"])
    #expect(result.status == 2)
    #expect(try result.json()["error"] == "invalidRequest")
    #expect(server.requests.isEmpty)
  }

  @Test func waitsAsPollingAsks() async throws {
    let polling: JSONValue = [
      "type": "PollingWaitCallback",
      "output": [["name": "waitTime", "value": "300"], ["name": "message", "value": "Waiting"]],
    ]
    let server = try await PythonServer.answering(Canned.node(polling), Canned.node(polling), Canned.success)
    let result = try await login(server)
    #expect(result.status == 0)
    #expect(try result.json()["steps"]?.arrayValue?.count == 2)
    #expect(server.requests.count == 3)
  }

  @Test func anUnreachableServerIsAnUnusableEnvironment() async throws {
    let result = try await Tool.run(["login", "--server", "http://127.0.0.1:1/am", "--json"])
    #expect(result.status == 3)
    let json = try result.json()
    #expect(json["error"] == "transportFailed" && json["code"] == "transportFailed")
    #expect(json["outcome"] == "failure" && json["session"] == .null && json["status"] == .null)
  }

  @Test func anAnswerCutOffIsATransportFailure() async throws {
    let server = try await PythonServer.answering(
      Canned.node(Canned.name()), ["status": 200, "body": "{\"tokenId\": \"tok", "cut": true])
    let result = try await login(server)
    #expect(result.status == 1)
    let json = try result.json()
    #expect(json["outcome"] == "failure")
    #expect(json["code"] == "transportFailed")
    #expect(json["session"] == .null)
    #expect(server.requests.count == 2, "nobody knows what became of the request, so it is not repeated")
  }

  @Test func anAnswerThatDoesNotComeTimesOut() async throws {
    let server = try await PythonServer.answering(
      Canned.node(Canned.name()), ["status": 200, "body": "{}", "fields": ["Connection": "close"], "delay": 3])
    let result = try await login(server, "--timeout", "1")
    #expect(result.status == 1)
    let json = try result.json()
    #expect(json["outcome"] == "failure")
    #expect(json["code"] == "timedOut")
  }

  @Test func anAnswerThatIsNoJourneyIsMalformed() async throws {
    let server = try await PythonServer.answering(["status": 200, "body": "[1,2"])
    let result = try await login(server)
    #expect(result.status == 1)
    let json = try result.json()
    #expect(json["outcome"] == "failure" && json["session"] == .null && json["status"] == 200)
    #expect(json["error"] == "invalidMessage" && json["code"] == "invalidMessage")
    #expect(json["steps"] == [] && json["prompts"] == [] && json["ceremonies"] == [])
    #expect(result.stdout.filter(\.isNewline).count == 1 && result.stderr.isEmpty)
  }

  @Test(arguments: ["ftp://x", "http://example.com/am", "nonsense", "https://user@x/", "https://x/?q=1"])
  func refusesAddressesThatAreNoServers(url: String) async throws {
    let result = try await Tool.run(["login", "--server", url, "--json"])
    #expect(result.status == 2)
    #expect(try result.json()["error"] == "usage")
  }

  @Test func serverTextCannotDriveTheTerminal() async throws {
    let text: JSONValue = [
      "type": "TextOutputCallback",
      "output": [["name": "message", "value": "\u{1B}[2Jcleared\u{202E}"], ["name": "messageType", "value": "0"]],
    ]
    let server = try await PythonServer.answering(Canned.node(text), Canned.success)
    let result = try await Tool.run(["login", "--server", server.url])
    #expect(result.status == 0)
    #expect(result.stderr.contains("cleared"))
    #expect(!result.stderr.contains("\u{1B}") && !result.stderr.contains("\u{202E}"))
  }

  @Test func scriptsAreNeitherShownNorEchoed() async throws {
    let script: JSONValue = [
      "type": "TextOutputCallback",
      "output": [["name": "message", "value": "alert(1)"], ["name": "messageType", "value": "4"]],
    ]
    let server = try await PythonServer.answering(Canned.node(script, Canned.name(2)), Canned.success)
    let result = try await Tool.run(["login", "--server", server.url, "--answer", "NameCallback=mira"])
    #expect(result.status == 0)
    #expect(!result.stderr.contains("alert"))
    #expect(server.requests[1]["body"]?.stringValue?.contains("alert") == false)
  }
}
