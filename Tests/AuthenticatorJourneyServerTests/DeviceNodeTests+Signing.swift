import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

extension DeviceNodeTests {
  // MARK: Signing

  @Test func signingAsksAsTheReferenceSays() async throws {
    let harness = try await Harness()
    let page = try await harness.start("SignDeviceUsernameless")
    let challenge = try #require(page.output(0, "challenge"))
    var callback = try #require(page.body["callbacks"]?[0]?.objectValue)
    callback["_id"] = nil
    #expect(
      callback == [
        "type": "DeviceSigningVerifierCallback",
        "output": [
          ["name": "userId", "value": ""], ["name": "challenge", "value": challenge],
          ["name": "title", "value": "Authentication required"],
          ["name": "subtitle", "value": "Cryptography device binding"],
          ["name": "description", "value": "Please confirm that it is you to proceed"],
          ["name": "timeout", "value": 60],
        ],
        "input": [["name": "IDToken1jws", "value": ""], ["name": "IDToken1clientError", "value": ""]],
      ])
  }

  @Test func theProofNamesTheUserWhenNobodyDid() async throws {
    let harness = try await Harness()
    var device = try Device()
    _ = try await harness.bind(device, user: "noor")
    let user = try #require(try await harness.registry.user(named: "noor", in: harness.realm))
    device.userID = user.universalID
    let page = try await harness.start("SignDeviceUsernameless")
    let proof = try device.proof(for: page, now: harness.clock.now.seconds)
    let token = try #require(try await harness.post(page.filled([0: ["jws": .string(proof)]])).token)
    let info = try await harness.send(
      "POST", Harness.base + "/sessions", query: "_action=getSessionInfo", session: token)
    #expect(info.body["username"] == "noor")
  }

  @Test func refusesTheDeviceOfSomebodyElse() async throws {
    let harness = try await Harness()
    let device = try Device()
    _ = try await harness.bind(device, user: "noor")
    // Mira's journey, Noor's device: the proof is right but for whom it speaks.
    #expect(try await harness.sign(device, user: "mira").status == 401)
    #expect(harness.events.all.contains(.proofRefused(journey: "SignDevice", check: "subject")))
  }

  /// Where a bent proof of a bound device leads.
  @Test(arguments: ["keyID", "sub", "iss", "challenge", "exp", "iat", "nbf", "key", "none"])
  func refusesEachBentProof(part: String) async throws {
    let harness = try await Harness()
    let device = try Device()
    _ = try await harness.bind(device)
    let name = try await harness.start("SignDevice")
    let page = try await harness.post(name.filled([0: ["": "mira"]]))
    var signer = device
    if part == "key" { signer.key = try PrivateKey.generate(.es256) }
    let now = harness.clock.now.seconds
    let proof = try signer.proof(for: page, now: now) { header, claims in
      switch part {
      case "keyID": header["kid"] = "key-2"
      case "sub": claims["sub"] = "id=other"
      case "iss": claims["iss"] = "com.example.other"
      case "challenge": claims["challenge"] = "AAAA"
      case "exp": claims["exp"] = .integer(now - 60)
      case "iat": claims["iat"] = .integer(now + 61)
      case "nbf": claims["nbf"] = .integer(now + 61)
      default: break
      }
    }
    let answer = try await harness.post(page.filled([0: ["jws": .string(proof)]]))
    #expect((answer.token != nil) == (part == "none"))
  }

  @Test func endsWithKeyNotFoundAndTellsWhyItFailed() async throws {
    struct Reason: TreeNode {
      static let nodeType = "Reason"
      let outcomes: [NodeOutcome] = [.outcome]
      func process(_ context: inout NodeContext) async throws -> NodeResult {
        let reason = context.state.shared[DeviceSigningVerifierNode.failureStateName]?.stringValue
        return context.answers == nil ? .ask([.textOutput(reason ?? "none")]) : .done(.outcome)
      }
    }
    let tree = try JourneyTree("Sign") {
      TreeStep("name", UsernameCollector()).next("sign")
      TreeStep("sign", DeviceSigningVerifierNode()).on(DeviceSigningVerifierNode.keyNotFound, to: "missing")
        .on(.failure, to: "reason").on("ClientNotRegistered", to: "unbound").otherwise(.failure)
      TreeStep("missing", TextOutputNode("missing")).next(.failure)
      TreeStep("unbound", TextOutputNode("unbound")).next(.failure)
      TreeStep("reason", Reason()).next(.failure)
    }
    let harness = try await Harness(journeys: try BuiltInJourneys.all() + [tree])
    let device = try Device()
    _ = try await harness.bind(device)
    func end(_ fill: (Answer) throws -> [String: JSONValue]) async throws -> JSONValue? {
      let name = try await harness.start("Sign")
      let page = try await harness.post(name.filled([0: ["": "mira"]]))
      return try await harness.post(page.filled([0: try fill(page)])).output(0, "message")
    }
    let now = harness.clock.now.seconds
    let unknown = try Device(keyID: "unknown")
    #expect(try await end { ["jws": .string(try unknown.proof(for: $0, now: now))] } == "missing")
    #expect(try await end { _ in ["clientError": "ClientNotRegistered"] } == "unbound")
    #expect(try await end { _ in ["jws": "a.b.c"] } == "INVALID_SIGNATURE")
    let stale = try await end {
      ["jws": .string(try device.proof(for: $0, now: now) { _, claims in claims["exp"] = .integer(now - 60) })]
    }
    #expect(stale == "INVALID_CLAIM")
    #expect(try await harness.server.setActive(false, userNamed: "mira", in: harness.realm))
    #expect(try await end { ["jws": .string(try device.proof(for: $0, now: now))] } == "NOT_ACTIVE_USER")
  }

  @Test func reportsMissingDevicesOnlyWhenWanted() async throws {
    let tree = try JourneyTree("Sign") {
      TreeStep("name", UsernameCollector()).next("sign")
      TreeStep("sign", DeviceSigningVerifierNode(reportsMissingDevices: true))
        .on(DeviceSigningVerifierNode.noDeviceRegistered, to: "bare").otherwise(.failure)
      TreeStep("bare", TextOutputNode("bare")).next(.failure)
    }
    let harness = try await Harness(journeys: try BuiltInJourneys.all() + [tree])
    func ask(_ journey: String) async throws -> Answer {
      let name = try await harness.start(journey)
      return try await harness.post(name.filled([0: ["": "mira"]]))
    }
    #expect(try await ask("Sign").output(0, "message") == "bare")
    #expect(try await ask("SignDevice").types == ["DeviceSigningVerifierCallback"])
  }

  // MARK: Enumeration

  @Test func asksUnknownNamesLikeKnownOnes() async throws {
    let harness = try await Harness()
    func ask(_ user: String) async throws -> Answer {
      let name = try await harness.start("SignDevice")
      return try await harness.post(name.filled([0: ["": .string(user)]]))
    }
    func shape(_ answer: Answer) throws -> JSONValue {
      var object = try #require(answer.body.objectValue)
      object["authId"] = nil
      let text = JSONValue.object(object).serializedString()
      let pattern = try Regex("id=[0-9a-f-]{36},|\"[A-Za-z0-9+/]{43}=\"")
      return .string(text.replacing(pattern, with: "*"))
    }
    let (known, unknown, again) = (try await ask("mira"), try await ask("nobody"), try await ask("NOBODY"))
    #expect(try shape(known) == shape(unknown))
    #expect(unknown.output(0, "userId") == again.output(0, "userId"))
    #expect(unknown.output(0, "userId") != known.output(0, "userId"))
  }

  @Test func answersWrongNamesLikeWrongPasswords() async throws {
    let harness = try await Harness()
    let (known, unknown) = (try await harness.login("mira", "wrong"), try await harness.login("nora", "wrong"))
    #expect(known.status == unknown.status)
    var (one, two) = (try #require(known.body.objectValue), try #require(unknown.body.objectValue))
    #expect(one["authId"]?.stringValue?.utf8.count == two["authId"]?.stringValue?.utf8.count)
    one["authId"] = nil
    two["authId"] = nil
    #expect(one == two)
  }
}
