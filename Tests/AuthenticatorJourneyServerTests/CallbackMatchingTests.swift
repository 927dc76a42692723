import AuthenticatorCoding
import AuthenticatorJourneyServer
import Testing

@Suite struct CallbackMatchingTests {
  /// The step of an answer with its callbacks changed.
  private func bend(_ answer: Answer, _ change: (inout [JSONValue]) -> Void) -> JSONValue {
    var step = answer.body.objectValue ?? [:]
    var callbacks = step["callbacks"]?.arrayValue ?? []
    change(&callbacks)
    step["callbacks"] = .array(callbacks)
    return .object(step)
  }

  private func pageAndStep() async throws -> (Harness, Answer) {
    let harness = try await Harness()
    return (harness, try await harness.start("Login"))
  }

  @Test func refusesAnotherNumberOfCallbacks() async throws {
    let (harness, page) = try await pageAndStep()
    for step in [
      bend(page) { $0.removeLast() }, bend(page) { $0.append($0[0]) }, bend(page) { $0 = [] },
    ] {
      let answer = try await harness.post(step)
      #expect(answer.status == 400)
      #expect(answer.message == "Incorrect number of callbacks found in JSON response")
    }
    // None of these used the step up.
    #expect(try await harness.post(harness.credentials(page)).token != nil)
  }

  @Test func refusesAnotherOrderOrType() async throws {
    let (harness, page) = try await pageAndStep()
    for step in [
      bend(page) { $0.reverse() }, bend(page) { $0[0] = ["type": "TextInputCallback"] }, bend(page) { $0[0] = [:] },
      bend(page) { $0[0] = "NameCallback" },
    ] {
      let answer = try await harness.post(step)
      #expect(answer.status == 400)
      #expect(answer.message == "Required callback not found in JSON response")
    }
  }

  @Test func refusesMissingOrTooManyCallbacks() async throws {
    let (harness, page) = try await pageAndStep()
    var step = try #require(page.body.objectValue)
    step["callbacks"] = nil
    #expect(try await harness.post(.object(step)).status == 400)
    step["callbacks"] = .array([JSONValue](repeating: [:], count: 101))
    #expect(try await harness.post(.object(step)).status == 400)
  }

  @Test func takesASingleInputWhateverItsName() async throws {
    let (harness, page) = try await pageAndStep()
    let step = bend(page) {
      $0[0] = ["type": "NameCallback", "input": [["name": "whatever", "value": "mira"]]]
      $0[1] = ["type": "PasswordCallback", "input": [["name": "IDToken9", "value": .string(Harness.password)]]]
    }
    #expect(try await harness.post(step).token != nil)
  }

  @Test func needsExactlyOneInputForChoices() async throws {
    let harness = try await Harness()
    let page = try await harness.start("Choice")
    for input: JSONValue in [[], [["name": "IDToken1", "value": 0], ["name": "IDToken1", "value": 1]], nil] {
      let answer = try await harness.post(bend(page) { $0[0] = ["type": "ChoiceCallback", "input": input] })
      #expect(answer.status == 400)
      #expect(answer.message == "ChoiceCallback must have exactly one input")
    }
  }

  @Test(arguments: [0, "0", "1", 1] as [JSONValue]) func takesNumbersAndDigits(value: JSONValue) async throws {
    let harness = try await Harness()
    let page = try await harness.start("Choice")
    let next = try await harness.post(page.filled([0: ["": value]]))
    let isDevice = value == 1 || value == "1"
    #expect(next.types == (isDevice ? ["DeviceSigningVerifierCallback"] : ["NameCallback", "PasswordCallback"]))
  }

  @Test(arguments: [2, -1, "x", "", true, nil, "99999999999999999999"] as [JSONValue])
  func refusesChoicesThatWereNotOffered(value: JSONValue) async throws {
    let harness = try await Harness()
    let page = try await harness.start("Choice")
    #expect(try await harness.post(page.filled([0: ["": value]])).status == 400)
    // It may still be answered.
    #expect(try await harness.post(page.filled([0: ["": 0]])).types == ["NameCallback", "PasswordCallback"])
  }

  @Test(
    arguments: [
      ("StepUp", 1, [2, -1, 99, "x", nil], 100), ("Login", 0, [1, true, []], "mira"), ("Login", 1, [1, [:]], "x"),
      ("Callbacks", 2, [5, false], "ok"), ("Callbacks", 3, [5, []], "ok"),
    ] as [(String, Int, [JSONValue], JSONValue)])
  func refusesMalformedValuesBeforeTheStepIsUsedUp(
    journey: String, index: Int, values: [JSONValue], right: JSONValue
  ) async throws {
    let harness = try await Harness()
    let page = try await harness.start(journey)
    let isScripted = journey == "Callbacks"
    func post(_ value: JSONValue) async throws -> Answer {
      let step = page.filled([index: ["": value]])
      let filled = Answer(status: 200, body: step, response: page.response)
      return try await harness.post(isScripted ? bend(filled) { $0.remove(at: 1) } : step)
    }
    for value in values {
      let answer = try await post(value)
      #expect(answer.status == 400)
      #expect(answer.message?.hasSuffix("has a value it does not take") == true)
    }
    #expect(try await post(right).errorCode == nil, "the step is not used up")
  }

  @Test func refusesMalformedProofsBeforeTheStepIsUsedUp() async throws {
    let harness = try await Harness()
    let device = try Device()
    let page = try await harness.login(journey: "BindDevice")
    for (suffix, value) in [("jws", 1), ("deviceName", true), ("deviceId", []), ("clientError", [:])]
      as [(String, JSONValue)]
    {
      #expect(try await harness.post(page.filled([0: [suffix: value]])).status == 400)
    }
    let answer = try await harness.post(
      page.filled([0: try device.bindingAnswer(to: page, now: harness.clock.now.seconds)]))
    #expect(answer.token != nil)
  }

  @Test func refusesTextsThatTheJourneyCannotKeep() async throws {
    let harness = try await Harness()
    let page = try await harness.start("Callbacks")
    func post(_ text: String) async throws -> Answer {
      let step = page.filled([2: ["": .string(text)]])
      return try await harness.post(bend(Answer(status: 200, body: step, response: page.response)) { $0.remove(at: 1) })
    }
    let answer = try await post(String(repeating: "x", count: 60_000))
    #expect(answer.status == 413)
    #expect(answer.message == "The answers are too large")
    #expect(try await post(String(repeating: "x", count: 15_000)).types == ["NameCallback", "PasswordCallback"])
    // Hidden values are not always kept; what does not fit after all is the client's fault too.
    let other = try await harness.start("Callbacks")
    let step = other.filled([3: ["": .string(String(repeating: "x", count: 60_000))]])
    let late = try await harness.post(
      bend(Answer(status: 200, body: step, response: other.response)) { $0.remove(at: 1) })
    #expect(late.status == 413)
  }

  @Test func leavesScriptsOutOfTheCount() async throws {
    let harness = try await Harness()
    let page = try await harness.start("Callbacks")
    #expect(page.types[1] == "TextOutputCallback")
    #expect(try await harness.post(page.body).status == 400)
    let answer = try await harness.post(bend(page) { $0.remove(at: 1) })
    #expect(answer.types == ["NameCallback", "PasswordCallback"])
  }
}
