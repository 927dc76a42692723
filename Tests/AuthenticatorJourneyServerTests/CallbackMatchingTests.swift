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
