import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import Testing

@Suite struct CallbackTests {
  private func make<Class: Callback>(_ type: Class.Type, _ json: JSONValue) throws -> Class {
    try type.init(Self.payload(json))
  }

  static func payload(_ json: JSONValue) throws -> CallbackPayload {
    try CallbackPayload(
      try #require(json.objectValue),
      context: CallbackContext(
        journey: JourneyContext(instance: "https://am.example.com/am", realm: "/alpha", journey: "Login")))
  }

  /// The value that is sent for the input of a name.
  private func sent(_ node: ContinueNode, _ client: TestClient, _ place: Int = 0, _ input: Int = 0) async throws
    -> JSONValue?
  {
    client.transport.add(json: Wire.success)
    _ = try await node.next()
    return client.transport.requests[1].json?["callbacks"]?[place]?["input"]?[input]?["value"]
  }

  @Test func readsNameAndPassword() throws {
    let name = try make(NameCallback.self, Wire.name)
    #expect(name.prompt == "Account")
    #expect(name.name == nil)
    name.name = "mira"
    #expect(name.name == "mira")
    name.name = nil
    #expect(!name.isAnswered)
    let password = try make(PasswordCallback.self, Wire.password)
    #expect(password.prompt == "Secret")
  }

  @Test func toleratesAbsentAndNullOutputs() throws {
    let types = [
      "NameCallback", "PasswordCallback", "TextInputCallback", "TextOutputCallback", "SuspendedTextOutputCallback",
      "ChoiceCallback", "ConfirmationCallback", "HiddenValueCallback", "MetadataCallback", "PollingWaitCallback", "X",
    ]
    let names = [
      "prompt", "message", "messageType", "choices", "defaultChoice", "options", "optionType", "id", "value", "data",
      "waitTime", "defaultText",
    ]
    for type in types {
      for json: JSONValue in [
        ["type": .string(type)], Wire.callback(type, names.map { ($0, .null) }),
        Wire.callback(type, names.map { ($0, ["wrong": ["kind"]]) }),
        ["type": .string(type), "output": "no", "input": 3],
      ] {
        let callback = try CallbackRegistry.standard.make(Self.payload(json))
        #expect(callback.type == type)
        if let choice = callback as? ChoiceCallback { #expect(choice.choices == [] && choice.defaultChoice == nil) }
        if let poll = callback as? PollingWaitCallback { #expect(poll.waitTime == .zero) }
        if let text = callback as? TextOutputCallback { #expect(text.message == "") }
        if let metadata = callback as? MetadataCallback { #expect(metadata.stage == nil && metadata.kind == nil) }
      }
    }
  }

  @Test func takesNullForAbsent() throws {
    let payload = try Self.payload(Wire.callback("X", [("a", .null), ("b", false)]))
    #expect(
      [payload.output("a"), payload.output("b"), payload.output("c")].map { $0 != Optional.none } == [
        false, true, false,
      ])
  }

  @Test func keepsUnknownTypes() throws {
    let callback = try CallbackRegistry.standard.make(Self.payload(Wire.callback("FutureCallback", [("a", 1)])))
    #expect(callback is UnknownCallback)
    #expect(callback.type == "FutureCallback")
    #expect(callback.payload.output("a") == 1)
  }

  @Test func choosesWithinBounds() throws {
    let json = Wire.callback(
      "ChoiceCallback", [("prompt", "Second factor"), ("choices", ["PIN", "Passkey"]), ("defaultChoice", 1)],
      inputs: [("IDToken1", 1)])
    let choice = try make(ChoiceCallback.self, json)
    #expect(choice.choices == ["PIN", "Passkey"])
    #expect(choice.defaultChoice == 1)
    for index in [-1, 2, Int.max, Int.min] {
      #expect(throws: AuthenticatorError(.invalidRequest)) { try choice.select(index) }
    }
    #expect(throws: AuthenticatorError(.invalidRequest)) { try choice.select("passkey") }
    #expect(choice.selectedIndex == nil)
    try choice.select("Passkey")
    #expect(choice.selectedIndex == 1)
    try choice.select(0)
    #expect(choice.selectedIndex == 0)
  }

  @Test func ignoresDefaultChoiceThatIsNotThere() throws {
    let json = Wire.callback("ChoiceCallback", [("choices", ["a"]), ("defaultChoice", 5)], inputs: [("IDToken1", 0)])
    #expect(try make(ChoiceCallback.self, json).defaultChoice == nil)
  }

  @Test func confirmsAnyOfItsOptions() throws {
    let json = Wire.callback(
      "ConfirmationCallback",
      [("options", ["Retry", "Use code", "Leave"]), ("optionType", -1), ("defaultOption", 2), ("messageType", 0)],
      inputs: [("IDToken2", 100)])
    let confirmation = try make(ConfirmationCallback.self, json)
    #expect(confirmation.options == ["Retry", "Use code", "Leave"])
    #expect(confirmation.defaultOption == 2)
    try confirmation.select(2)
    #expect(confirmation.selectedIndex == 2)
    #expect(throws: AuthenticatorError(.invalidRequest)) { try confirmation.select(3) }
  }

  @Test(arguments: [(0, [0, 1]), (1, [0, 1, 2]), (2, [3, 2])])
  func knowsStandardButtons(_ type: Int, _ indices: [Int]) throws {
    let json = Wire.callback(
      "ConfirmationCallback", [("optionType", .integer(Int64(type)))], inputs: [("IDToken1", 100)])
    let confirmation = try make(ConfirmationCallback.self, json)
    #expect(confirmation.buttons.map(\.index) == indices)
    try confirmation.select(indices[1])
    #expect(throws: AuthenticatorError(.invalidRequest)) { try confirmation.select(indices.max()! + 1) }
  }

  @Test func echoesUntouchedHiddenValueWithItsPreset() async throws {
    let client = try TestClient()
    let hidden = Wire.callback(
      "HiddenValueCallback", [("value", ""), ("id", "webAuthnOutcome")], inputs: [("IDToken1", "webAuthnOutcome")])
    let node = try await client.page(Wire.step(hidden))
    #expect(node.hiddenValue(id: "webAuthnOutcome")?.defaultValue == "")
    #expect(node.hiddenValue(id: "other") == nil)
    #expect(try await sent(node, client) == "webAuthnOutcome")
  }

  @Test func findsHiddenValueByIDAmongEqualInputNames() async throws {
    let client = try TestClient()
    let fields = ["a", "b"].map {
      Wire.callback("HiddenValueCallback", [("value", ""), ("id", .string($0))], inputs: [("IDToken1", .string($0))])
    }
    let node = try await client.page(Wire.step(fields[0], fields[1]))
    node.hiddenValue(id: "b")?.value = "filled"
    client.transport.add(json: Wire.success)
    _ = try await node.next()
    let callbacks = client.transport.requests[1].json?["callbacks"]
    #expect(callbacks?[0]?["input"]?[0]?["value"] == "a")
    #expect(callbacks?[1]?["input"]?[0]?["value"] == "filled")
  }

  @Test func answersInputWithOddName() async throws {
    let client = try TestClient()
    let node = try await client.page(Wire.step(Wire.callback("NameCallback", inputs: [("callback_0", "")])))
    node.callback(NameCallback.self)?.name = "mira"
    #expect(try await sent(node, client) == "mira")
  }

  @Test(arguments: ["IDToken", "IDTokenjws", "IDToken1Jws", "xIDToken1jws", "IDToken1jws2", "IDToken1 jws"])
  func matchesSuffixExactly(_ name: String) throws {
    let payload = try Self.payload(
      Wire.callback("X", inputs: [(name, ""), ("IDToken12jws", "right"), ("IDToken1", "plain")]))
    #expect(payload.input("jws") == "right")
    #expect(payload.input("") == "plain")
    #expect(!payload.hasInput("clientError"))
  }

  @Test func refusesAnswerWithoutInput() async throws {
    let client = try TestClient()
    let node = try await client.page(Wire.step(Wire.callback("NameCallback", [("prompt", "x")])))
    node.callback(NameCallback.self)?.name = "mira"
    #expect(await code { try await node.next() } == .invalidMessage)
    #expect(client.transport.requests.count == 1)
  }

  @Test func specializesMetadataByContent() async throws {
    var registry = CallbackRegistry.standard
    registry.specialize("MetadataCallback") { payload in
      let data = payload.output("data")
      return data?["_type"] == "WebAuthn" ? try CeremonyCallback(payload) : nil
    }
    let client = try TestClient(callbacks: registry)
    let ceremony = Wire.callback("MetadataCallback", [("data", ["_type": "WebAuthn", "challenge": "x"])])
    let plain = Wire.callback("MetadataCallback", [("data", ["_type": "Other", "stage": "S"])])
    let hidden = Wire.callback(
      "HiddenValueCallback", [("value", ""), ("id", "webAuthnOutcome")], inputs: [("IDToken3", "webAuthnOutcome")])
    let step = Wire.step(ceremony, plain, hidden)
    let node = try await client.page(step)
    let found = try #require(node.callback(CeremonyCallback.self))
    #expect(!(node.callbacks[1] is CeremonyCallback))
    found.complete("outcome")
    client.transport.add(json: Wire.success)
    _ = try await node.next()
    let sent = client.transport.requests[1].json?["callbacks"]
    #expect(sent?[0] == ceremony)
    #expect(sent?[2]?["input"]?[0]?["value"] == "outcome")
  }

  @Test func letsAppsRegisterTheirOwn() async throws {
    let client = try TestClient(callbacks: CallbackRegistry.standard.registering(BadgeCallback.self))
    let node = try await client.page(
      Wire.step(Wire.callback("BadgeCallback", [("reader", "front door")], inputs: [("IDToken1badge", "")])))
    let badge = try #require(node.callback(BadgeCallback.self))
    #expect(badge.reader == "front door")
    badge.answer("4711", suffix: "badge")
    #expect(try await sent(node, client) == "4711")
  }

  @Test func namesWhatAnOwnClassMisses() async throws {
    let client = try TestClient(callbacks: CallbackRegistry.standard.registering(BadgeCallback.self))
    client.transport.add(json: Wire.step(Wire.callback("BadgeCallback", inputs: [("IDToken1badge", "")])))
    do {
      _ = try await client.journey.start("Login")
      Issue.record("accepted")
    } catch let error as AuthenticatorError {
      #expect(error.code == .invalidMessage)
      #expect(error.reason == "Missing output reader in BadgeCallback")
    }
  }

  @Test func takesStageFromMetadataOnlyWithoutOwn() async throws {
    let metadata = Wire.callback("MetadataCallback", [("data", ["stage": "OldStage"])])
    let client = try TestClient()
    #expect(try await client.page(Wire.step(metadata, Wire.name)).stage == "OldStage")
    let other = try TestClient()
    let node = try await other.page(
      Wire.step(metadata, extra: [("stage", "Real"), ("header", "Hello"), ("description", "Step 1 of 2")]))
    #expect(node.stage == "Real")
    #expect(node.header == "Hello")
    #expect(node.pageDescription == "Step 1 of 2")
  }

  @Test func tellsItsNode() async throws {
    let client = try TestClient()
    let node = try await client.page(Wire.login)
    #expect(node.callbacks.allSatisfy { $0.node === node })
    #expect(node.callbacks.map(\.payload.position) == [0, 1])
    #expect(node.callbacks[0].payload.context.journey.realm == "/alpha")
    #expect(node.callbacks[0].payload.context.journey.journey == "Login")
  }
}

/// What a WebAuthn callback will be: recognized by content, answering in another callback of its node.
private final class CeremonyCallback: MetadataCallback {
  func complete(_ outcome: String) { node?.hiddenValue(id: "webAuthnOutcome")?.value = outcome }
}

/// A callback of an app's own.
private final class BadgeCallback: Callback {
  override class var wireType: String { "BadgeCallback" }
  let reader: String
  required init(_ payload: CallbackPayload) throws {
    reader = try payload.requiredText("reader")
    try super.init(payload)
  }
}
