import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

@Suite struct StepTokenTests {
  /// A step with its token changed.
  private func bend(_ step: JSONValue, _ change: (String) -> String) -> JSONValue {
    var object = step.objectValue ?? [:]
    object["authId"] = .string(change(object["authId"]?.stringValue ?? ""))
    return .object(object)
  }

  private func segments(_ token: String) -> [String] { token.split(separator: ".").map(String.init) }

  private func claims(_ token: String) throws -> JSONObject {
    try #require(try JSONValue.parse(Base64URL.decode(segments(token)[1])).objectValue)
  }

  @Test func refusesAStepThatWasPosted() async throws {
    let harness = try await Harness()
    let page = try await harness.start("Login")
    let wrong = try await harness.post(harness.credentials(page, "mira", "wrong"))
    #expect(wrong.status == 200)
    let replay = try await harness.post(harness.credentials(page))
    #expect(replay.status == 401)
    #expect(replay.errorCode == "110")
    #expect(harness.events.all.contains(.stepReplayed(realm: harness.realm, journey: "Login")))
    // The journey itself goes on.
    #expect(try await harness.post(harness.credentials(wrong)).token != nil)
  }

  @Test func refusesToRewindAJourney() async throws {
    let harness = try await Harness()
    var pages = [try await harness.start("Login")]
    for _ in 0..<2 { pages.append(try await harness.post(harness.credentials(pages[pages.count - 1], "mira", "no"))) }
    for page in pages.dropLast() { #expect(try await harness.post(harness.credentials(page)).status == 401) }
    #expect(try await harness.post(harness.credentials(pages[2])).token != nil)
    // What ended cannot be ended again.
    #expect(try await harness.post(harness.credentials(pages[2])).status == 401)
  }

  @Test func letsOneOfFortyParallelPostsWin() async throws {
    let harness = try await Harness()
    for _ in 0..<3 {
      let page = try await harness.start("Login")
      let step = harness.credentials(page)
      let answers = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<40 { group.addTask { try await harness.post(step).status } }
        return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect(answers == [200: 1, 401: 39])
    }
  }

  @Test func refusesEveryBentToken() async throws {
    let harness = try await Harness()
    let step = harness.credentials(try await harness.start("Login"))
    let token = try #require(step["authId"]?.stringValue)
    for index in stride(from: 0, to: token.utf8.count, by: 7) {
      var bytes = Array(token.utf8)
      bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let answer = try await harness.post(bend(step) { _ in String(decoding: bytes, as: UTF8.self) })
      #expect(answer.status == 400, "byte \(index)")
    }
    #expect(try await harness.post(step).token != nil)
  }

  @Test func refusesSplicedTokens() async throws {
    let harness = try await Harness()
    let first = harness.credentials(try await harness.start("Login"))
    let second = harness.credentials(try await harness.start("Polling"))
    let (a, b) = (segments(first["authId"]?.stringValue ?? ""), segments(second["authId"]?.stringValue ?? ""))
    for token in ["\(a[0]).\(a[1]).\(b[2])", "\(a[0]).\(b[1]).\(a[2])", "\(a[0]).\(a[1])", "\(a[0]).\(a[1])."] {
      let answer = try await harness.post(bend(first) { _ in token })
      #expect(answer.status == 400)
    }
  }

  @Test func refusesTokensWithoutSignature() async throws {
    let harness = try await Harness()
    let step = harness.credentials(try await harness.start("Login"))
    let parts = segments(step["authId"]?.stringValue ?? "")
    for header: JSONValue in [["alg": "none"], ["alg": "HS256"], ["alg": "none", "typ": "JWT"]] {
      for signature in ["", parts[2]] {
        let token = "\(Base64URL.encode(header.serialized())).\(parts[1]).\(signature)"
        #expect(try await harness.post(bend(step) { _ in token }).status == 400)
      }
    }
  }

  @Test func refusesTokensOfAnotherRealmOrJourney() async throws {
    let harness = try await Harness()
    let step = harness.credentials(try await harness.start("Login"))
    let root = try await harness.send(
      "POST", "/am/json/realms/root/authenticate", body: step.serialized())
    #expect(root.status == 400)
    #expect(root.message == "The authId JWT is not for this request")
    let other = try await harness.post(step, query: "authIndexType=service&authIndexValue=Polling")
    #expect(other.status == 400)
    let same = try await harness.post(step, query: "authIndexType=service&authIndexValue=Login")
    #expect(same.token != nil)
  }

  @Test func refusesTokensOfAnotherServer() async throws {
    let (one, two) = (try await Harness(), try await Harness())
    let step = one.credentials(try await one.start("Login"))
    #expect(try await two.post(step).status == 400)
  }

  @Test func goesOnAtAnotherServerOfTheSameRegistry() async throws {
    let one = try await Harness()
    let two = try await Harness(registry: one.registry, clock: one.clock)
    let step = one.credentials(try await one.start("Login"))
    #expect(try await two.post(step).token != nil)
    #expect(try await one.post(step).status == 401)
  }

  @Test func changesKeysWithoutBreakingJourneys() async throws {
    let harness = try await Harness { $0.tokenKeyInterval = .seconds(600) }
    let before = try #require(try await harness.start("Login").authID)
    harness.clock.advance(by: 599)
    let page = try await harness.start("Login")
    harness.clock.advance(by: 2)
    let after = try #require(try await harness.start("Login").authID)
    #expect(segments(before)[0] == segments(page.authID ?? "")[0])
    #expect(segments(before)[0] != segments(after)[0])
    #expect(try await harness.post(harness.credentials(page)).token != nil)
    #expect(try await harness.registry.tokenKeys().count == 2)
    // Two changes later the first key is gone.
    harness.clock.advance(by: 1600)
    _ = try await harness.start("Login")
    harness.clock.advance(by: 601)
    _ = try await harness.start("Login")
    let ids = try await harness.registry.tokenKeys().map(\.id)
    let header = try JSONValue.parse(Base64URL.decode(segments(before)[0]))
    #expect(!ids.contains(header["kid"]?.stringValue ?? ""))
  }

  @Test func learnsKeysOfItsNeighbor() async throws {
    let one = try await Harness { $0.tokenKeyInterval = .seconds(600) }
    let two = try await Harness(registry: one.registry, clock: one.clock)
    one.clock.advance(by: 601)
    let step = one.credentials(try await one.start("Login"))
    #expect(try await two.post(step).token != nil)
  }

  @Test func tellsNothingButWhatItMust() async throws {
    let collected = try JourneyTree("Slow") {
      TreeStep("name", UsernameCollector()).next("password")
      TreeStep("password", PasswordCollector()).next("more")
      TreeStep("more", TextInputNode(name: "note", prompt: "Note")).next("check")
      TreeStep("check", DataStoreDecision()).on(.true, to: .success).on(.false, to: .failure)
    }
    let harness = try await Harness(journeys: [collected])
    let name = try await harness.start("Slow")
    let password = try await harness.post(name.filled([0: ["": "mira"]]))
    let more = try await harness.post(password.filled([0: ["": .string(Harness.password)]]))
    let token = try #require(more.authID)
    #expect(
      Set(try claims(token).names)
        == ["iss", "aud", "purpose", "realm", "tree", "step", "sid", "state", "iat", "exp"])
    #expect(try claims(token)["step"] == 3)
    // Neither the token nor what it decodes to holds the password or the name.
    for text in segments(token) {
      let bytes = try Base64URL.decode(text)
      for secret in [Harness.password, "mira"] { #expect(!contains(bytes, Array(secret.utf8))) }
      if let state = try? JSONValue.parse(bytes)["state"]?.stringValue {
        #expect(!contains(try Base64URL.decode(state), Array(Harness.password.utf8)))
      }
    }
    // And it is still there when it is needed.
    #expect(try await harness.post(more.filled([0: ["": "hi"]])).token != nil)
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  @Test func boundsTheStepsOfAJourney() async throws {
    let circle = try JourneyTree("Circle") { TreeStep("ask", TextOutputNode("again")).next("ask") }
    let harness = try await Harness(journeys: [circle]) { $0.limits.steps = 5 }
    var answer = try await harness.start("Circle")
    for _ in 0..<4 { answer = try await harness.post(answer.body) }
    #expect(answer.status == 200)
    #expect(try await harness.post(answer.body).status == 401)
  }

  @Test func boundsTheStateOfAJourney() async throws {
    let tree = try JourneyTree("Greedy") {
      TreeStep("text", TextInputNode(name: "text", prompt: "Text")).next("text")
    }
    let harness = try await Harness(journeys: [tree]) { $0.limits.stateBytes = 1024 }
    let page = try await harness.start("Greedy")
    let fine = try await harness.post(page.filled([0: ["": .string(String(repeating: "x", count: 500))]]))
    #expect(fine.status == 200)
    let answer = try await harness.post(fine.filled([0: ["": .string(String(repeating: "x", count: 2000))]]))
    #expect(answer.status == 413)
  }

  @Test func aTreeThatBeginsWithTooMuchIsTheServersFault() async throws {
    struct Greedy: TreeNode {
      static let nodeType = "Greedy"
      let outcomes: [NodeOutcome] = [.outcome]
      func process(_ context: inout NodeContext) async throws -> NodeResult {
        context.memory = ["text": .string(String(repeating: "x", count: 2000))]
        return .ask([.textOutput("more")])
      }
    }
    let tree = try JourneyTree("Greedy") { TreeStep("node", Greedy()).next(.success) }
    let harness = try await Harness(journeys: [tree]) { $0.limits.stateBytes = 1024 }
    #expect(try await harness.start("Greedy").status == 500)
  }
}
