import AuthenticatorCoding
import Testing
import ToolSupport

/// `--answer`, against servers that ask for exactly what a test is about.
@Suite struct LoginAnswerTests {
  /// The values that the n-th request posted, input by input.
  private func posted(_ server: PythonServer, _ request: Int) throws -> [JSONValue?] {
    let body = try JSONValue.parse(try #require(server.requests[request]["body"]?.stringValue))
    return body["callbacks"]?.arrayValue?.map { $0["input"]?[0]?["value"] } ?? []
  }

  private func login(_ server: PythonServer, _ answers: String...) async throws -> ChildProcess.Result {
    let options = answers.flatMap { ["--answer", $0] }
    return try await Tool.run(["login", "--server", server.url, "--journey", "Any", "--json"] + options)
  }

  @Test func answersByType() async throws {
    let server = try await PythonServer.answering(Canned.node(Canned.name(), Canned.password()), Canned.success)
    let result = try await login(server, "PasswordCallback=s=cr=t", "NameCallback=mira")
    #expect(result.status == 0)
    #expect(try posted(server, 1) == ["mira", "s=cr=t"])
  }

  @Test func answersThePlacesOfANodeByNumber() async throws {
    let server = try await PythonServer.answering(
      Canned.node(Canned.password(1), Canned.password(2)), Canned.node(Canned.password(1)), Canned.success)
    let result = try await login(
      server, "PasswordCallback=first", "PasswordCallback=later", "PasswordCallback#2=second")
    #expect(result.status == 0)
    #expect(try posted(server, 1) == ["first", "second"])
    #expect(try posted(server, 2) == ["later"])
  }

  @Test func usesEachAnswerOnceInTheOrderGiven() async throws {
    let server = try await PythonServer.answering(
      Canned.node(Canned.name()), Canned.node(Canned.name()), Canned.node(Canned.name()), Canned.success)
    let result = try await login(server, "NameCallback=one", "NameCallback=two")
    #expect(result.status == 3)
    #expect(try posted(server, 1) == ["one"])
    #expect(try posted(server, 2) == ["two"])
    #expect(server.requests.count == 3, "nothing is posted for the third")
    let json = try result.json()
    #expect(json["code"] == "answerMissing")
    #expect(json["outcome"] == "failure")
    #expect(json["session"] == .null)
    #expect(json["status"] == 200)
    #expect(json["steps"]?.arrayValue?.count == 3)
  }

  @Test func answersHiddenValuesByTheirID() async throws {
    let server = try await PythonServer.answering(
      Canned.node(Canned.hidden("risk", 1), Canned.hidden("clientError", 2)), Canned.success)
    let result = try await login(server, "hidden:clientError=none")
    #expect(result.status == 0)
    #expect(try posted(server, 1) == ["risk", "none"], "an untouched one goes back as received")
  }

  @Test func takesIDsOfHiddenValuesAsTheyAre() async throws {
    let server = try await PythonServer.answering(
      Canned.node(Canned.hidden("a#b", 1), Canned.hidden("a=b", 2), Canned.hidden("a", 3)), Canned.success)
    let result = try await login(server, "hidden:a#b=x", "hidden:a=b=y=z", "hidden:a=")
    #expect(result.status == 0)
    #expect(try posted(server, 1) == ["x", "y=z", ""])
  }

  @Test(arguments: [("2", 2), ("Passkey", 1), ("0", 0)])
  func choosesByIndexOrExactText(answer: String, index: Int) async throws {
    let server = try await PythonServer.answering(
      Canned.node(Canned.choice(1, "PIN", "Passkey", "Email")), Canned.success)
    let result = try await login(server, "ChoiceCallback=\(answer)")
    #expect(result.status == 0)
    #expect(try posted(server, 1) == [.integer(Int64(index))])
  }

  @Test(arguments: ["3", "passkey", "-1", ""])
  func refusesChoicesThatAreNotThere(answer: String) async throws {
    let server = try await PythonServer.answering(
      Canned.node(Canned.choice(1, "PIN", "Passkey", "Email")), Canned.success)
    let result = try await login(server, "ChoiceCallback=\(answer)")
    #expect(result.status == 2)
    #expect(server.requests.count == 1, "nothing is posted")
    let json = try result.json()
    #expect(json["outcome"] == "failure")
    #expect(json["code"] == "invalidRequest")
  }

  @Test func postsWhatNobodyAnswersAsReceived() async throws {
    let confirmation = Canned.callback(
      "ConfirmationCallback", 2,
      outputs: [("prompt", ""), ("options", ["Retry", "Leave"]), ("optionType", -1), ("defaultOption", 1)], preset: 100)
    let stranger: JSONValue = [
      "type": "SomethingNewCallback", "output": [["name": "x", "value": nil]],
      "input": [["name": "IDToken3", "value": 1.50]], "extra": ["kept": true],
    ]
    let server = try await PythonServer.answering(
      Canned.node(Canned.choice(1, "PIN", "Passkey"), confirmation, stranger), Canned.success)
    let result = try await login(server)
    #expect(result.status == 0)
    #expect(try posted(server, 1) == [1, 100, 1.5])
    let body = try JSONValue.parse(try #require(server.requests[1]["body"]?.stringValue))
    #expect(body["callbacks"]?[2] == stranger)
  }

  @Test func pressesButtonsByText() async throws {
    let yesNo = Canned.callback(
      "ConfirmationCallback", 1, outputs: [("prompt", "Sure?"), ("optionType", 0), ("options", [])], preset: 100)
    let server = try await PythonServer.answering(Canned.node(yesNo), Canned.success)
    #expect(try await login(server, "ConfirmationCallback=No").status == 0)
    #expect(try posted(server, 1) == [1])
  }

  @Test func answersUnknownTypesInTheKindTheyWerePreset() async throws {
    let terms = Canned.callback("TermsAndConditionsCallback", 1, preset: false)
    let number = Canned.callback("NumberAttributeInputCallback", 2, preset: 0)
    let server = try await PythonServer.answering(Canned.node(terms, number), Canned.success)
    let result = try await login(server, "TermsAndConditionsCallback=true", "NumberAttributeInputCallback=42")
    #expect(result.status == 0)
    #expect(try posted(server, 1) == [true, 42])
  }

  @Test(arguments: ["NameCallback", "=x", "NameCallback#0=x", "NameCallback#two=x", "#2=x"])
  func refusesAnswersOfAnotherForm(answer: String) async throws {
    let result = try await Tool.run(["login", "--server", "http://127.0.0.1:9/am", "--answer", answer])
    #expect(result.status == 2)
    #expect(result.stderr.contains("--answer"))
  }

  @Test func saysWhichAnswersNothingAskedFor() async throws {
    let server = try await PythonServer.answering(Canned.node(Canned.name()), Canned.success)
    let result = try await login(server, "NameCallback=mira", "PasswordCallback=hunter2")
    #expect(result.status == 0)
    #expect(result.stderr.contains("PasswordCallback"))
    #expect(!result.stderr.contains("hunter2"))
  }
}
