import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import Testing

@Suite struct LosslessTests {
  /// What the client sends back for a step that it does not answer.
  private func echo(_ step: JSONValue) async throws -> JSONValue? {
    let client = try TestClient()
    let node = try await client.page(step)
    client.transport.add(json: Wire.success)
    _ = try await node.next()
    return client.transport.requests[1].json
  }

  /// Order of members included, which `==` does not look at.
  private func expectSame(_ sent: JSONValue?, _ received: JSONValue) {
    #expect(sent?.serializedString() == received.serializedString())
  }

  @Test func echoesEverythingNobodyAnswered() async throws {
    let text = """
      {"zeta":1.50,"authId":"a","template":"","callbacks":[
      {"_id":7,"type":"FutureCallback","output":[{"name":"x","value":{"deep":[1,1.0,1e0,true,null,"é\\u0001"]}}],
      "input":[{"name":"IDToken1","value":null},{"value":3,"name":"IDToken1x","hint":-0}],"more":{"b":1,"a":2}},
      {"type":"ConfirmationCallback","input":[{"name":"IDToken2","value":100}]},
      {"type":"NameCallback","output":[],"input":[{"name":"IDToken3","value":""}]},
      {"type":"MetadataCallback","output":[{"name":"data","value":{"stage":"Old"}}]},
      {"type":"NoInputs"}],"stage":"s","header":"h","description":"d","custom":[{}]}
      """
    let step = try JSONValue.parse(text)
    expectSame(try await echo(step), step)
  }

  @Test func echoesRandomSteps() async throws {
    var random = SeededGenerator(seed: 42)
    for _ in 0..<60 {
      let step = random.step()
      expectSame(try await echo(step), step)
    }
  }

  @Test func changesNothingButTheAnsweredValue() async throws {
    let step = Wire.step(
      Wire.callback("Unknown", inputs: [("IDToken1", 1), ("IDToken1extra", "keep")]), Wire.name,
      extra: [("stage", "s"), ("unknown", ["a": 1])])
    let client = try TestClient()
    let node = try await client.page(step)
    node.callback(NameCallback.self)?.name = "mira"
    node.callbacks[0].answer(.string("x"), suffix: "extra")
    client.transport.add(json: Wire.success)
    _ = try await node.next()
    expectSame(
      client.transport.requests[1].json,
      Wire.step(
        Wire.callback("Unknown", inputs: [("IDToken1", 1), ("IDToken1extra", "x")]),
        Wire.callback("NameCallback", [("prompt", "Account")], inputs: [("IDToken1", "mira")], id: 0),
        extra: [("stage", "s"), ("unknown", ["a": 1])]))
  }

  @Test func keepsTwoOfATypeApart() async throws {
    let client = try TestClient()
    let second = Wire.callback("NameCallback", [("prompt", "Other")], inputs: [("IDToken2", "")])
    let node = try await client.page(Wire.step(Wire.name, second))
    let names = node.callbacks(NameCallback.self)
    #expect(names.map(\.prompt) == ["Account", "Other"])
    names[1].name = "b"
    names[0].name = "a"
    client.transport.add(json: Wire.success)
    _ = try await node.next()
    let sent = client.transport.requests[1].json?["callbacks"]
    #expect(sent?[0]?["input"]?[0]?["value"] == "a")
    #expect(sent?[1]?["input"]?[0]?["value"] == "b")
  }

  @Test func leavesScriptsOutAndNothingElse() async throws {
    let texts = ["0", "1", "2", "4", "3", "x"].map { type in
      Wire.callback("TextOutputCallback", [("message", .string("m\(type)")), ("messageType", .string(type))])
    }
    let untyped = Wire.callback("TextOutputCallback", [("message", "plain")])
    let number = Wire.callback("TextOutputCallback", [("message", "n"), ("messageType", 4)])
    let step: JSONValue = ["authId": "a", "callbacks": .array(texts + [untyped, number, Wire.name])]
    let sent = try #require(try await echo(step)?["callbacks"]?.arrayValue)
    #expect(sent == [texts[0], texts[1], texts[2], texts[4], untyped, Wire.name])
  }

  @Test func sendsTheNewestAuthID() async throws {
    let client = try TestClient()
    let first = try await client.page(Wire.step(Wire.name, authID: "one"))
    client.transport.add(json: Wire.step(Wire.name, authID: "two"))
    let second = try #require(try await first.next().continueNode)
    client.transport.add(json: Wire.success)
    _ = try await second.next()
    #expect(client.transport.requests.map { $0.json?["authId"] } == [nil, "one", "two"])
  }
}

/// Random steps, the same in every run.
struct SeededGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func number(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  mutating func text() -> String {
    let alphabet = ["a", "Z", "\"", "\\", "/", "\n", "\u{0}", "é", "😀", " ", "\u{2028}"]
    return (0..<number(6)).map { _ in alphabet[number(alphabet.count)] }.joined()
  }

  mutating func value(depth: Int = 3) -> JSONValue {
    switch number(depth > 0 ? 9 : 7) {
    case 0: return .null
    case 1: return .bool(number(2) == 0)
    case 2: return .integer(Int64(number(1_000_000)) - 500_000)
    case 3: return .double(Double(number(1000)) / 7)
    case 4...6: return .string(text())
    case 7: return .array((0..<number(4)).map { _ in value(depth: depth - 1) })
    default: return .object(object(depth: depth - 1))
    }
  }

  mutating func object(depth: Int) -> JSONObject {
    JSONObject((0..<number(4)).map { ("m\($0)" + text(), value(depth: depth)) })
  }

  /// A step of callbacks nobody knows and callbacks everybody knows, with anything in them.
  mutating func step() -> JSONValue {
    let types = [
      "NameCallback", "PasswordCallback", "ChoiceCallback", "ConfirmationCallback", "HiddenValueCallback",
      "MetadataCallback", "PollingWaitCallback", "TextInputCallback", "Future",
    ]
    let callbacks = (0..<number(6)).map { index -> JSONValue in
      var callback = object(depth: 2)
      callback["type"] = .string(types[number(types.count)])
      if number(4) > 0 {
        callback["output"] = .array((0..<number(4)).map { ["name": .string("o\($0)"), "value": value()] })
      }
      if number(4) > 0 { callback["input"] = [["name": .string("IDToken\(index + 1)"), "value": value()]] }
      if number(4) == 0 { callback["output"] = value() }
      return .object(callback)
    }
    var step = object(depth: 2)
    step["authId"] = "opaque"
    step["callbacks"] = .array(callbacks)
    if number(2) == 0 { step["stage"] = value() }
    return .object(step)
  }
}
