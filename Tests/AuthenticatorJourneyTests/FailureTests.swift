import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import Testing

@Suite struct FailureTests {
  private func failure(_ status: Int, _ text: String) async throws -> JourneyFailure {
    let client = try TestClient()
    client.transport.add(status, text: text)
    return try #require(try await client.journey.start("Login").failure)
  }

  static let cases: [(Int, String, JourneyErrorCode, String)] = [
    (
      401, #"{"code":401,"reason":"Unauthorized","message":"Login failure","detail":{"failureUrl":""}}"#,
      .loginFailure, "Login failure"
    ),
    (401, #"{"errorMessage":"Old style","failureUrl":"/x"}"#, .loginFailure, "Old style"),
    (
      401, #"{"code":401,"message":"Session has timed out","detail":{"errorCode":"110"}}"#, .timeout,
      "Session has timed out"
    ),
    (401, #"{"message":"x","detail":{"errorCode":110}}"#, .timeout, "x"),
    (401, #"{"message":"x","detail":{"errorCode":"119"}}"#, .loginFailure, "x"),
    (
      401,
      #"{"code":401,"message":"org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: Token not found. It may have expired."}"#,
      .suspendedSession, "Token not found. It may have expired."
    ),
    (
      400, #"{"code":400,"reason":"Bad Request","message":"No Configuration found"}"#, .badRequest,
      "No Configuration found"
    ),
    (404, #"{"code":404,"message":"Unknown module"}"#, .badRequest, "Unknown module"),
    (403, #"{"code":403,"message":"Forbidden"}"#, .forbidden, "Forbidden"),
    (429, "slow down", .badRequest, ""),
    (400, #"{"code":1999,"message":"x"}"#, .timeout, "x"),
    (500, #"{"code":500,"message":"Authentication Error!!"}"#, .serverFault, "Authentication Error!!"),
    (500, "<html>oops</html>", .serverFault, ""), (502, "", .serverFault, ""),
    (503, #"{"message":"busy","detail":{"failedPolicyRequirements":[]}}"#, .serverFault, "busy"),
    (401, "not json", .loginFailure, ""), (401, "[1]", .loginFailure, ""),
    (401, #"{"message":5,"detail":"text"}"#, .loginFailure, ""),
    (302, "", .unexpectedRedirect, ""), (307, #"{"authId":"x","callbacks":[]}"#, .unexpectedRedirect, ""),
  ]

  @Test(arguments: cases)
  func tellsWhatTheServerMeant(_ status: Int, _ text: String, _ code: JourneyErrorCode, _ message: String) async throws
  {
    let failure = try await failure(status, text)
    #expect(failure.code == code)
    #expect(failure.status == status)
    #expect(failure.message == message)
    #expect(JourneyErrorCode.known.contains(failure.code))
  }

  @Test func listsFailedPolicies() async throws {
    let failure = try await failure(
      403,
      #"""
      {"code":403,"message":"Policy validation failed","detail":{"result":false,"failedPolicyRequirements":[
      {"property":"password","policyRequirements":[{"policyRequirement":"MIN_LENGTH","params":{"minLength":8}},
      "{\"params\":{\"numCaps\":1},\"policyRequirement\":\"AT_LEAST_X_CAPITAL_LETTERS\"}","{broken",7,{"x":1}]},
      {"property":"mail","policyRequirements":[{"policyRequirement":"FUTURE_RULE"}]},"odd",{}]}}
      """#)
    #expect(failure.code == .policyFailure)
    #expect(failure.failedPolicies.map(\.property) == ["password", "password", "mail"])
    #expect(failure.failedPolicies.map(\.requirement) == ["MIN_LENGTH", "AT_LEAST_X_CAPITAL_LETTERS", "FUTURE_RULE"])
    #expect(failure.failedPolicies[0].parameters["minLength"] == 8)
    #expect(failure.failedPolicies[1].parameters["numCaps"] == 1)
  }

  @Test func cleansMessages() async throws {
    let text = JSONValue.object(["message": "a\u{202E}b\u{7}c\nd"]).serializedString()
    #expect(try await failure(401, text).message == "abc\nd")
    let long = JSONValue.object(["message": .string(String(repeating: "é", count: 4000))]).serializedString()
    let message = try await failure(401, long).message
    #expect(message.utf8.count == 1024)
    #expect(message.allSatisfy { $0 == "é" })
  }

  @Test func keepsMessagesThatOnlyLookLikeClassNames() async throws {
    for text in ["Error: try again", "am.example.com: unreachable?", "10.20.30: x"] {
      let failure = try await failure(401, JSONValue.object(["message": .string(text)]).serializedString())
      let expected =
        text.hasPrefix("Error") ? text : String(text[text.index(text.firstIndex(of: ":")!, offsetBy: 2)...])
      #expect(failure.message == expected)
    }
  }

  @Test func givesThrownErrorsTheirWords() {
    #expect(JourneyErrorCode(AuthenticatorError(.transportFailed)).rawValue == "transportFailed")
    #expect(JourneyErrorCode(AuthenticatorError(.busy)).rawValue == "busy")
    #expect(JourneyErrorCode(CancellationError()).rawValue == "appCanceled")
  }

  // MARK: Hostile answers

  static let refused: [(String, String)] = [
    ("empty", ""), ("text", "hello"), ("array", "[]"), ("null", "null"), ("cut", #"{"authId":"a","callbacks":["#),
    ("trailing", #"{"tokenId":"a"} x"#), ("duplicate authId", #"{"authId":"a","authId":"b","callbacks":[]}"#),
    ("duplicate inside", #"{"authId":"a","callbacks":[{"type":"A","type":"B"}]}"#),
    ("byte order mark", "\u{FEFF}{\"tokenId\":\"a\"}"), ("authId number", #"{"authId":5,"callbacks":[]}"#),
    ("authId empty", #"{"authId":"","callbacks":[]}"#), ("no callbacks", #"{"authId":"a"}"#),
    ("callbacks object", #"{"authId":"a","callbacks":{}}"#), ("callback text", #"{"authId":"a","callbacks":["x"]}"#),
    ("no type", #"{"authId":"a","callbacks":[{"output":[]}]}"#),
    ("type number", #"{"authId":"a","callbacks":[{"type":1}]}"#),
    ("type empty", #"{"authId":"a","callbacks":[{"type":""}]}"#), ("no authId", #"{"callbacks":[]}"#),
    ("null authId", #"{"authId":null,"callbacks":[]}"#),
    ("deep", #"{"authId":"a","x":"# + String(repeating: "[", count: 100_000) + "}"),
    ("too deep", #"{"authId":"a","x":"# + String(repeating: "[", count: 64) + String(repeating: "]", count: 64) + "}"),
    ("long text", #"{"authId":"a","callbacks":[],"x":""# + String(repeating: "y", count: 65_537) + "\"}"),
    (
      "101 callbacks",
      #"{"authId":"a","callbacks":["# + Array(repeating: #"{"type":"X"}"#, count: 101).joined(separator: ",") + "]}"
    ),
    ("too long", #"{"tokenId":"a","x":["# + String(repeating: "1,", count: 600_000) + "1]}"),
    ("many values", #"{"tokenId":"a","x":["# + String(repeating: "1,", count: 200_000) + "1]}"),
  ]

  @Test(arguments: refused)
  func refusesAnswer(_ name: String, _ text: String) async throws {
    let client = try TestClient()
    client.transport.add(200, text: text)
    #expect(await code { try await client.journey.start("Login") } == .invalidMessage, "\(name)")
    #expect(try await client.journey.session == nil)
  }

  @Test func admitsWhatIsJustWithinTheLimits() async throws {
    let deep =
      #"{"authId":"a","callbacks":[],"x":"# + String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
    for text in [
      deep + "}", #"{"authId":"a","callbacks":[],"x":""# + String(repeating: "y", count: 65_000) + "\"}",
      #"{"authId":"a","callbacks":["# + Array(repeating: #"{"type":"X"}"#, count: 100).joined(separator: ",") + "]}",
    ] {
      let client = try TestClient()
      client.transport.add(200, text: text)
      #expect(try await client.journey.start("Login").continueNode != nil)
    }
  }

  @Test func survivesEveryCutAndEveryFlippedBit() async throws {
    let bytes = Wire.step(
      Wire.callback("ChoiceCallback", [("choices", ["a", "b"])], inputs: [("IDToken1", 0)]), Wire.name,
      extra: [("stage", "s")]
    ).serialized()
    for end in 0..<bytes.count {
      let client = try TestClient()
      client.transport.add { _ in HTTPResponse(status: 200, fields: [], body: Array(bytes[..<end])) }
      #expect(await code { try await client.journey.start("Login") } == .invalidMessage)
    }
    for place in 0..<bytes.count {
      var flipped = bytes
      flipped[place] ^= UInt8(1 << (place % 8))
      let client = try TestClient()
      client.transport.add { [flipped] _ in HTTPResponse(status: 200, fields: [], body: flipped) }
      do { _ = try await client.journey.start("Login") } catch let error as AuthenticatorError {
        #expect(error.code == .invalidMessage)
      }
    }
  }

  @Test func succeedsWithAnyTwoHundredWithoutAuthID() async throws {
    for (status, text) in [(200, "{}"), (201, #"{"successUrl":"/"}"#), (200, #"{"message":"ok","realm":"/"}"#)] {
      let client = try TestClient()
      client.transport.add(status, text: text)
      #expect(try await client.journey.start("Login").session?.hasToken == false)
    }
  }

  @Test func refusesLongBodyOfCarelessTransport() async throws {
    let client = try TestClient { $0.limits.answerBytes = 100 }
    client.transport.add(401, text: String(repeating: "x", count: 101))
    #expect(await code { try await client.journey.start("Login") } == .invalidMessage)
  }

  // MARK: Secrets

  @Test func showsNoSecretInDescriptions() async throws {
    let client = try TestClient(session: JourneySession(tokenID: "planted-token"))
    let node = try await client.page(Wire.step(Wire.name, Wire.password, authID: "planted-auth"))
    node.callback(NameCallback.self)?.name = "planted-name"
    node.callback(PasswordCallback.self)?.password = "planted-password"
    let session = try #require(try await client.journey.session)
    let failure = try await failure(401, #"{"message":"x","authId":"planted-auth"}"#)
    let cookie = Cookie(
      name: "c", value: "planted-cookie", domain: "d", isHostOnly: true, path: "/", isSecure: true, expires: nil)
    var text = "\(node) \(session) \(failure) \(cookie) \(JourneyNode.continue(node)) \(JourneyNode.success(session))"
    for value: Any in [
      node, node.callbacks, session, failure, cookie, node.callbacks[0].payload, JourneyNode.failure(failure),
    ] {
      dump(value, to: &text)
      text += String(reflecting: value)
    }
    #expect(!text.contains("planted"))
  }
}
