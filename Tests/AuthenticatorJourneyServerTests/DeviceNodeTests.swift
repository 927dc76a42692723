import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

@Suite struct DeviceNodeTests {
  // MARK: Binding

  @Test(arguments: [
    ("BindDevice", "BIOMETRIC_ALLOW_FALLBACK", "Please complete with biometric or device passcode to proceed"),
    ("BindDeviceBiometricOnly", "BIOMETRIC_ONLY", "Please complete with biometric to proceed"),
    ("BindDevicePIN", "APPLICATION_PIN", "Please complete with your PIN to proceed"),
    ("BindDeviceNone", "NONE", "Please proceed to bind this device"),
  ]) func bindingAsksAsTheReferenceSaysInWordsThatFitTheMethod(journey: String, type: String, text: String) async throws
  {
    let harness = try await Harness()
    let page = try await harness.login(journey: journey)
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    let challenge = try #require(page.output(0, "challenge")?.stringValue)
    #expect(try Base64.decode(challenge).count == 32)
    let callback = try #require(page.body["callbacks"]?[0]?.objectValue)
    #expect(callback["type"] == "DeviceBindingCallback")
    #expect(
      callback["output"] == [
        ["name": "userId", "value": .string("id=\(user.id),ou=user,o=alpha,ou=services,ou=am-config")],
        ["name": "username", "value": "mira"], ["name": "authenticationType", "value": .string(type)],
        ["name": "challenge", "value": .string(challenge)],
        ["name": "title", "value": "Authentication required"],
        ["name": "subtitle", "value": "Cryptography device binding"],
        ["name": "description", "value": .string(text)],
        ["name": "timeout", "value": 60], ["name": "attestation", "value": false],
      ])
    #expect(
      callback["input"] == [
        ["name": "IDToken1jws", "value": ""], ["name": "IDToken1deviceName", "value": ""],
        ["name": "IDToken1deviceId", "value": ""], ["name": "IDToken1clientError", "value": ""],
      ])
  }

  @Test func bindsAndThenSignsIn() async throws {
    let harness = try await Harness()
    let device = try Device()
    #expect(try await harness.bind(device).token != nil)
    #expect(try await harness.sign(device).token != nil)
    let stored = try #require(
      try await harness.registry.device("key-1", family: .binding, realm: harness.realm))
    #expect(stored.name == "Test device")
    #expect(stored.deviceID == "device-1")
  }

  @Test func neverTakesAChallengeTwice() async throws {
    let harness = try await Harness()
    let device = try Device()
    _ = try await harness.bind(device)
    let name = try await harness.start("SignDevice")
    let page = try await harness.post(name.filled([0: ["": "mira"]]))
    let proof: JSONValue = .string(try device.proof(for: page, now: harness.clock.now.seconds))
    #expect(try await harness.post(page.filled([0: ["jws": proof]])).token != nil)
    #expect(try await harness.post(page.filled([0: ["jws": proof]])).status == 401)
    // Nor does another run take the proof for its own challenge.
    let second = try await harness.start("SignDevice")
    let question = try await harness.post(second.filled([0: ["": "mira"]]))
    #expect(try await harness.post(question.filled([0: ["jws": proof]])).status == 401)
    #expect(harness.events.all.contains(.proofRefused(journey: "SignDevice", check: "challenge")))
  }

  @Test func bindsTheSameKeyAgainButNoOtherUnderItsName() async throws {
    let harness = try await Harness()
    let device = try Device()
    #expect(try await harness.bind(device).token != nil)
    // The answer was lost, and the device tries again.
    #expect(try await harness.bind(device).token != nil)
    // Another key of the same name, and the same key for somebody else.
    #expect(try await harness.bind(try Device()).status == 401)
    #expect(try await harness.bind(device, user: "noor").status == 401)
    #expect(harness.events.all.contains(.proofRefused(journey: "BindDevice", check: "keyTaken")))
    let noor = try #require(try await harness.registry.user(named: "noor", in: harness.realm))
    let devices = try await harness.registry.devices(ofUser: noor.id, family: .binding, realm: harness.realm)
    #expect(devices.isEmpty)
    #expect(try await harness.sign(device).token != nil)
  }

  @Test func limitsTheDevicesOfAUser() async throws {
    let harness = try await Harness()
    for index in 0..<2 {
      #expect(try await harness.bind(try Device(keyID: "k\(index)"), journey: "BindDeviceLimited").token != nil)
    }
    // The limit is reached before the device is asked.
    #expect(try await harness.login(journey: "BindDeviceLimited").status == 401)
    #expect(try await harness.login("noor", journey: "BindDeviceLimited").types == ["DeviceBindingCallback"])
  }

  @Test func limitsTheDevicesAlsoOfParallelBindings() async throws {
    let harness = try await Harness()
    // All of them are asked before any of them answers.
    var steps: [JSONValue] = []
    for index in 0..<8 {
      let page = try await harness.login(journey: "BindDeviceLimited")
      let answer = try Device(keyID: "k\(index)").bindingAnswer(to: page, now: harness.clock.now.seconds)
      steps.append(page.filled([0: answer]))
    }
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for step in steps { group.addTask { try await harness.post(step).token != nil } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 2)
  }

  @Test(arguments: ["Unsupported", "Abort", "Timeout"]) func bindingEndsWithTheClientsWord(word: String) async throws {
    let tree = try JourneyTree("Words") {
      TreeStep("name", UsernameCollector()).next("bind")
      TreeStep("bind", DeviceBindingNode()).on(NodeOutcome(rawValue: word), to: "reached").otherwise(.failure)
      TreeStep("reached", TextOutputNode("reached")).next(.failure)
    }
    let harness = try await Harness(journeys: [tree])
    for (answer, isReached) in [(word, true), (word.lowercased(), false), ("Other", false)] {
      let name = try await harness.start("Words")
      let page = try await harness.post(name.filled([0: ["": "mira"]]))
      let end = try await harness.post(page.filled([0: ["clientError": .string(answer)]]))
      #expect((end.output(0, "message") == "reached") == isReached)
    }
  }

  @Test func clientErrorOutcomesCanBeChosen() {
    let node = DeviceBindingNode(maxSavedDevices: 1, clientErrorOutcomes: ["Gone", "Away"])
    #expect(node.outcomes == ["success", "failure", "exceedDeviceLimit", "Gone", "Away"])
    #expect(DeviceBindingNode().outcomes == ["success", "failure", "Unsupported", "Abort", "Timeout"])
    #expect(
      DeviceSigningVerifierNode().outcomes
        == ["success", "failure", "keyNotFound", "Unsupported", "Abort", "Timeout", "ClientNotRegistered"])
  }

  @Test func refusesABindingThatIsIncomplete() async throws {
    let harness = try await Harness()
    let device = try Device()
    for missing in ["jws", "deviceId"] {
      let page = try await harness.login(journey: "BindDevice")
      var answer = try device.bindingAnswer(to: page, now: harness.clock.now.seconds)
      answer[missing] = ""
      #expect(try await harness.post(page.filled([0: answer])).status == 401)
    }
  }

  @Test func refusesForeignApplicationsUnlessTheNodeNamesThem() async throws {
    let tree = try JourneyTree("App") {
      TreeStep("name", UsernameCollector()).next("bind")
      TreeStep("bind", DeviceBindingNode(applicationIDs: ["com.example.app"])).on(.success, to: .success)
        .otherwise(.failure)
    }
    let harness = try await Harness(journeys: try BuiltInJourneys.all() + [tree])
    var device = try Device()
    device.application = "com.example.app"
    #expect(try await harness.bind(device).status == 401)
    let name = try await harness.start("App")
    let page = try await harness.post(name.filled([0: ["": "mira"]]))
    let answer = try device.bindingAnswer(to: page, now: harness.clock.now.seconds)
    #expect(try await harness.post(page.filled([0: answer])).token != nil)
  }

  @Test func shortensAndCleansDeviceNames() async throws {
    let harness = try await Harness()
    var device = try Device()
    device.name = "a\u{202E}b\r\nSet-Cookie: x" + String(repeating: "y", count: 500)
    _ = try await harness.bind(device)
    let stored = try #require(
      try await harness.registry.device("key-1", family: .binding, realm: harness.realm))
    #expect(stored.name.hasPrefix("abSet-Cookie: xy"))
    #expect(stored.name.count == 128)
  }

  @Test func attestationNeedsAJudge() async throws {
    let device = try Device()
    func bind(_ harness: Harness) async throws -> Answer {
      let page = try await harness.login(journey: "BindDeviceAttested")
      #expect(page.output(0, "attestation") == true)
      let proof = try device.proof(for: page, binding: true, now: harness.clock.now.seconds) { header, _ in
        var jwk = header["jwk"]?.objectValue ?? [:]
        jwk["x5c"] = [.string(Base64.encode([1, 2, 3]))]
        header["jwk"] = .object(jwk)
      }
      return try await harness.post(page.filled([0: ["jws": .string(proof), "deviceId": "d"]]))
    }
    #expect(try await bind(try await Harness()).status == 401)
    let asked = Ledger<[[UInt8]]>()
    for verdict in [true, false] {
      let harness = try await Harness { configuration in
        configuration.attestationJudge = { certificates, challenge, _ in
          asked.append(certificates)
          return verdict && !challenge.isEmpty
        }
      }
      #expect((try await bind(harness).token != nil) == verdict)
      #expect(try await harness.bind(try Device(keyID: "bare"), journey: "BindDeviceAttested").status == 401)
    }
    #expect(asked.all == [[[1, 2, 3]], [[1, 2, 3]]])
  }

  @Test func storesAPostponedDeviceLater() async throws {
    let harness = try await Harness()
    let device = try Device()
    #expect(try await harness.bind(device, journey: "BindDevicePostponed").token != nil)
    #expect(try await harness.sign(device).token != nil)
    #expect(try await harness.bind(try Device(), journey: "BindDevicePostponed").status == 401)
    let alone = try await Harness(journeys: [
      try JourneyTree("Alone") {
        TreeStep("store", DeviceBindingStorage()).on(.true, to: .success).on(.false, to: .failure)
      }
    ])
    #expect(try await alone.start("Alone").status == 401)
  }

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
