import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import AuthenticatorUAF
import AuthenticatorUAFJourney
import Testing

/// The UAF callback against a server that is written down answer by answer.
struct UAFCallbackTests {
  private static let server = "https://am.example.com/am"

  private struct Kit {
    let device: TestDevice
    let transport = ScriptedTransport()
    let journey: Journey
    let configuration: UAFJourneyConfiguration

    init() throws {
      device = try TestDevice(instance: UAFCallbackTests.server)
      let aaid = try #require(AAID("FFFF#A002"))
      let client = try UAFClient(
        UAFClientConfiguration(
          context: device.context,
          authenticators: [UAFAuthenticatorModel(aaid: aaid, behavior: .biometricWithState)],
          responder: device.verifier))
      configuration = UAFJourneyConfiguration(client: client)
      journey = Journey(
        try JourneyConfiguration(server: UAFCallbackTests.server), transport: transport,
        environment: device.environment.environment, callbacks: CallbackRegistry.standard.registeringUAF(configuration))
    }

    func records() async throws -> [KeyRecord] {
      try await device.store.records(matching: .everything)
    }

    /// The page that a server shows.
    func show(
      _ action: String, _ op: String, hiddenID: String = "uafOutcome", timeout: JSONValue? = 60_000,
      knowing known: [UInt8]? = nil, steps: Int = 1
    ) {
      var entry: JSONObject = ["header": ["upv": ["major": 1, "minor": 1], "op": .string(op)]]
      if op == "Dereg" {
        entry["authenticators"] = [["aaid": "", "keyID": ""]]
      } else {
        entry["challenge"] = "kzZauv2hljZLV9-vxAyxtKyLZ_SJW8bVGz3WkOXN1P0"
        var policy: JSONObject = ["accepted": [[["aaid": ["FFFF#A002"]]]]]
        if let known {
          policy["disallowed"] = [["aaid": ["FFFF#A002"], "keyIDs": [.string(Base64URL.encode(known))]]]
        }
        entry["policy"] = .object(policy)
        if op == "Reg" { entry["username"] = "alice" }
      }
      var data: JSONObject = [
        "_type": "UAF", "_action": .string(action),
        "uafRequest": .string(op.isEmpty ? "" : JSONValue.array([.object(entry)]).serializedString()),
      ]
      if let timeout { data["timeout"] = timeout }
      let step: JSONValue = ["type": "MetadataCallback", "output": [["name": "data", "value": .object(data)]]]
      let field: JSONValue = [
        "type": "HiddenValueCallback",
        "output": [["name": "value", "value": ""], ["name": "id", "value": .string(hiddenID)]],
        "input": [["name": "IDToken2", "value": .string(hiddenID)]],
      ]
      transport.add(
        json: [
          "authId": "authId", "callbacks": .array([JSONValue](repeating: step, count: steps) + [field]),
        ], fields: [HTTPField("Content-Type", "application/json")])
    }

    func succeed() {
      transport.add(
        json: ["tokenId": "token", "successUrl": "/", "realm": "/"],
        fields: [HTTPField("Content-Type", "application/json")])
    }

    func refuse() {
      transport.add(
        401, json: ["code": 401, "reason": "Unauthorized", "message": "Login failure"],
        fields: [HTTPField("Content-Type", "application/json")])
    }

    func page() async throws -> (ContinueNode, UAFCallback) {
      guard case .continue(let page) = try await journey.start("UAF") else {
        throw AuthenticatorError(.invalidRequest)
      }
      return (page, try #require(page.callback(UAFCallback.self)))
    }

    /// What the client posted into the hidden field last.
    func posted() throws -> String {
      let request = try #require(transport.requests.last?.json)
      return try #require(request["callbacks"]?[1]?["input"]?[0]?["value"]?.stringValue)
    }

    @discardableResult
    func register() async throws -> UAFCallback {
      show("uaf_registration", "Reg")
      succeed()
      let (page, callback) = try await page()
      device.verifier.script([.match()])
      try await callback.process(node: page)
      _ = try await page.next()
      return callback
    }
  }

  @Test func registersAndTakesTheKeyIntoUseWhenTheServerGoesOn() async throws {
    let kit = try Kit()
    let callback = try await kit.register()
    #expect(callback.operation == .registration)
    #expect(try UAFResponse(try kit.posted()).header.op == .registration)
    #expect(try await kit.records().map(\.state) == [.active])
  }

  /// A limit that is missing or written as text is not worth a whole sign-in.
  @Test(arguments: [(nil, 3600), (.null, 3600), ("60000", 60), (60_000, 60), (0, 1), ("-5", 1)] as [(JSONValue?, Int)])
  func readsTheTimeLimitAsServersWriteIt(value: JSONValue?, seconds: Int) async throws {
    let kit = try Kit()
    kit.show("uaf_registration", "Reg", timeout: value)
    #expect(try await kit.page().1.timeout == .seconds(seconds))
  }

  @Test(arguments: ["soon", true, 1.5, []] as [JSONValue]) func refusesWhatIsNoTimeLimit(value: JSONValue) async throws
  {
    let kit = try Kit()
    kit.show("uaf_registration", "Reg", timeout: value)
    try await expectFault(kit, reason: "timeout")
  }

  @Test func answersAStepWithoutAMessageOrWithAnother() async throws {
    let empty = try Kit()
    empty.show("uaf_registration", "")
    try await expectFault(empty, reason: "uafRequest")
    let two = try Kit()
    two.show("uaf_registration", "Reg", steps: 2)
    try await expectFault(two, reason: "several")
  }

  /// The server is told, and nobody is asked.
  private func expectFault(_ kit: Kit, reason: String) async throws {
    let (page, callback) = try await kit.page()
    do {
      try await callback.process(node: page)
      Issue.record("it was answered")
    } catch let error as AuthenticatorError {
      #expect(error.code == .invalidMessage && error.reason.contains(reason))
    }
    #expect(page.uafOutcome == "ERROR::6::PROTOCOL_ERROR")
    #expect(kit.device.verifier.prompts.isEmpty)
    #expect(try await kit.records().isEmpty)
  }

  /// The tree may have failed after the server stored the key, or gone on after it refused it.
  @Test(arguments: ["failure", "page", "registration", "nothing", "something"])
  func keepsTheKeyStagedWhenTheAnswerProvesNothing(_ answer: String) async throws {
    let kit = try Kit()
    kit.show("uaf_registration", "Reg")
    switch answer {
    case "failure": kit.refuse()
    case "page": kit.show("uaf_authentication", "Auth")
    case "registration": kit.show("uaf_registration", "Reg")
    default:
      kit.transport.add(
        json: answer == "nothing" ? [:] : ["x": 1], fields: [HTTPField("Content-Type", "application/json")])
    }
    let (page, callback) = try await kit.page()
    kit.device.verifier.script([.match()])
    try await callback.process(node: page)
    _ = try await page.next()
    #expect(try await kit.records().map(\.state) == [.staged])
    // Its user has no other: it signs.
    kit.device.verifier.script([.match()])
    let message = UAFMessage(
      """
      [{"header": {"upv": {"major": 1, "minor": 1}, "op": "Auth"},
        "challenge": "kzZauv2hljZLV9-vxAyxtKyLZ_SJW8bVGz3WkOXN1P0", "policy": {"accepted": [[{"aaid": ["FFFF#A002"]}]]}}]
      """)
    let result = await kit.configuration.client.authenticate(message, facetID: kit.configuration.facetID)
    #expect(result.outcome == .success)
  }

  @Test(arguments: [true, false]) func aSecondRegistrationThatNamesTheFirstKeyProvesIt(isNamed: Bool) async throws {
    let kit = try Kit()
    kit.show("uaf_registration", "Reg")
    let (page, callback) = try await kit.page()
    kit.device.verifier.script([.match()])
    try await callback.process(node: page)
    let key = try #require(try await kit.records().first)
    kit.show("uaf_registration", "Reg", knowing: isNamed ? key.externalID : [UInt8](repeating: 7, count: 32))
    let second = try #require(try await page.next().continueNode)
    let next = try #require(second.callback(UAFCallback.self))
    // That the person then cancels, or nothing else is admitted, changes nothing about it.
    kit.device.verifier.script([.cancel])
    let code: AuthenticatorError.Code = isNamed ? .noSuitableAuthenticator : .userCanceled
    await #expect(throws: AuthenticatorError(code)) { try await next.process(node: second) }
    #expect(try await kit.records().map(\.state) == [isNamed ? .active : .staged])
  }

  @Test func keepsTheKeyWhenNobodyKnows() async throws {
    let kit = try Kit()
    kit.show("uaf_registration", "Reg")
    kit.transport.addFailure(mayHaveArrived: true)
    let (page, callback) = try await kit.page()
    kit.device.verifier.script([.match()])
    try await callback.process(node: page)
    await #expect(throws: AuthenticatorError(.transportFailed)) { _ = try await page.next() }
    #expect(try await kit.records().map(\.state) == [.staged])
  }

  @Test func signsIn() async throws {
    let kit = try Kit()
    try await kit.register()
    kit.show("uaf_authentication", "Auth")
    kit.succeed()
    let (page, callback) = try await kit.page()
    kit.device.verifier.script([.match()])
    try await callback.process(node: page)
    guard case .success = try await page.next() else {
      Issue.record("not signed in")
      return
    }
    #expect(try UAFResponse(try kit.posted()).header.op == .authentication)
  }

  @Test(arguments: [
    (ScriptedStep.fallback, "ERROR::3::FALLBACK"), (.systemCancel, "ERROR::255::SYSTEM_CANCELED"),
  ])
  func tellsTheServerHowItEnded(_ step: ScriptedStep, _ words: String) async throws {
    let kit = try Kit()
    try await kit.register()
    kit.show("uaf_authentication", "Auth")
    kit.refuse()
    let (page, callback) = try await kit.page()
    kit.device.verifier.script([step])
    await #expect(throws: AuthenticatorError.self) {
      try await callback.process(node: page, extras: UAFExtras([.fallback(title: "Other ways")]))
    }
    #expect(callback.outcome == words)
    _ = try await page.next()
    #expect(try kit.posted() == words)
    #expect(try await kit.records().map(\.state) == [.active])
  }

  @Test func deregisters() async throws {
    let kit = try Kit()
    try await kit.register()
    kit.show("uaf_deregistration", "Dereg")
    kit.succeed()
    let (page, callback) = try await kit.page()
    try await callback.process(node: page)
    #expect(try await kit.records().isEmpty)
    _ = try await page.next()
    #expect(try kit.posted() == "{}")
  }

  @Test func answersOnceAndOnlyWhatTheStepSays() async throws {
    let kit = try Kit()
    kit.show("uaf_authentication", "Reg")
    let (page, callback) = try await kit.page()
    await #expect(throws: AuthenticatorError(.invalidMessage)) { try await callback.process(node: page) }
    #expect(page.uafOutcome == "ERROR::6::PROTOCOL_ERROR")
    #expect(try await kit.records().isEmpty)
    let other = try Kit()
    other.show("uaf_registration", "Reg", hiddenID: "another")
    let (without, lost) = try await other.page()
    await #expect(throws: AuthenticatorError(.invalidMessage)) { try await lost.process(node: without) }
    other.device.verifier.script([.match()])
    try await lost.process()
    #expect(lost.outcome?.hasPrefix("[{") == true)
    await #expect(throws: AuthenticatorError(.invalidRequest)) { try await lost.process() }
  }

  @Test func leavesOtherMetadataAlone() async throws {
    let kit = try Kit()
    kit.show("uaf_something_new", "Reg")
    guard case .continue(let page) = try await kit.journey.start("UAF") else { return }
    #expect(page.callback(UAFCallback.self) == nil)
    #expect(page.callback(MetadataCallback.self) != nil)
  }
}
