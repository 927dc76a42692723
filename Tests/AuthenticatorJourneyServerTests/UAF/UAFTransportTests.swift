import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// The HTTP form of UAF.
@Suite struct UAFTransportTests {
  private func post(
    _ kit: UAFKit, _ path: String, _ body: JSONValue, session: String? = nil,
    type: String = "application/fido+uaf; charset=utf-8", fields: [HTTPField] = []
  ) async throws -> Answer {
    try await kit.harness.send(
      "POST", path, session: session, fields: [HTTPField("Content-Type", type)] + fields, body: body.serialized())
  }

  private func request(
    _ kit: UAFKit, _ op: String, context: JSONValue? = nil, session: String? = nil
  ) async throws -> Answer {
    var body: JSONObject = ["op": .string(op)]
    if let context { body["context"] = .string(context.serializedString()) }
    return try await post(kit, "/uaf/request", .object(body), session: session)
  }

  private static func message(_ answer: Answer) throws -> JSONValue {
    try JSONValue.parse(try #require(answer.body["uafRequest"]?.stringValue))
  }

  @Test func registersSignsInConfirmsAndDeregisters() async throws {
    var kit = try await UAFKit()
    let session = try await kit.harness.session()
    let asked = try await request(kit, "Reg", session: session)
    #expect(asked.status == 200 && asked.body["statusCode"] == 1200 && asked.body["op"] == "Reg")
    #expect(asked.body["lifetimeMillis"] == 300_000)
    let type = asked.response.fields.first { $0.name == "Content-Type" }?.value
    #expect(type == "application/fido+uaf; charset=utf-8")
    let registration = try kit.client.register(kit.device, try Self.message(asked))
    #expect(
      try await post(kit, "/uaf/response", ["uafResponse": .string(registration)], session: session).body["statusCode"]
        == 1200)
    // The same response again.
    #expect(
      try await post(kit, "/uaf/response", ["uafResponse": .string(registration)], session: session).body["statusCode"]
        == 1491)

    for context: JSONValue in [["username": "mira"], [:], ["username": "mira", "transaction": true]] {
      let asked = try await request(kit, "Auth", context: context)
      let response = try kit.client.authenticate(&kit.device, try Self.message(asked))
      let answer = try await post(kit, "/am/uaf/response", ["uafResponse": .string(response)])
      #expect(answer.body["statusCode"] == 1200)
      let token = try #require(answer.body["additionalTokens"]?[0]?["value"]?.stringValue)
      #expect(token.hasPrefix("iPlanetDirectoryPro="))
      #expect(
        try await kit.harness.send(
          "POST", Harness.base + "/sessions", query: "_action=validate",
          session: String(token.dropFirst(20)), body: Array("{}".utf8)
        ).body["valid"] == true)
    }

    let removed = try await request(kit, "Dereg", session: session)
    #expect(try Self.message(removed)[0]?["authenticators"]?.arrayValue?.count == 1)
    #expect(try await request(kit, "Dereg", session: session).body["statusCode"] == 1404)
    let late = try await request(kit, "Auth", context: [:])
    let response = try kit.client.authenticate(&kit.device, try Self.message(late))
    #expect(try await post(kit, "/uaf/response", ["uafResponse": .string(response)]).body["statusCode"] == 1481)
  }

  @Test func registeringAndDeregisteringNeedASession() async throws {
    let kit = try await UAFKit()
    #expect(try await request(kit, "Reg").body["statusCode"] == 1401)
    #expect(try await request(kit, "Dereg").body["statusCode"] == 1401)
    let asked = try await request(kit, "Reg", session: try await kit.harness.session())
    let registration = try kit.client.register(kit.device, try Self.message(asked))
    #expect(
      try await post(kit, "/uaf/response", ["uafResponse": .string(registration)]).body["statusCode"] == 1401)
    // Nor does another user's do; and then the request is used.
    let noor = try await kit.harness.session(of: "noor")
    #expect(
      try await post(kit, "/uaf/response", ["uafResponse": .string(registration)], session: noor).body["statusCode"]
        == 1491)
    #expect(try await kit.keys().isEmpty)
  }

  @Test func deregistersOnlyWhatIsNamedAndOwned() async throws {
    let kit = try await UAFKit()
    _ = try await kit.register()
    let keyID = JSONValue.string(Base64URL.encode(kit.device.keyID))
    let context: JSONValue = ["authenticators": [["aaid": "ffff#f001", "keyID": keyID]]]
    let noor = try await kit.harness.session(of: "noor")
    #expect(try await request(kit, "Dereg", context: context, session: noor).body["statusCode"] == 1404)
    #expect(try await kit.keys().count == 1)
    let mira = try await kit.harness.session()
    #expect(try await request(kit, "Dereg", context: context, session: mira).body["statusCode"] == 1200)
    #expect(try await kit.keys().isEmpty)
  }

  @Test func aResponseOfAJourneyIsNoneHere() async throws {
    var kit = try await UAFKit()
    _ = try await kit.register()
    let page = try await kit.authenticationStep()
    let response = try kit.client.authenticate(&kit.device, try UAFKit.request(page))
    #expect(try await post(kit, "/uaf/response", ["uafResponse": .string(response)]).body["statusCode"] == 1491)
    let asked = try await request(kit, "Auth", context: ["username": "mira"])
    let other = try kit.client.authenticate(&kit.device, try Self.message(asked))
    #expect(try await kit.answer(page, other).token == nil)
  }

  @Test func aChangedSetIsPending() async throws {
    var device = try TestUAFAuthenticator()
    device.state = [1]
    var kit = try await UAFKit(device: device)
    _ = try await kit.register()
    kit.device.state = [2]
    let asked = try await request(kit, "Auth", context: ["username": "mira"])
    let response = try kit.client.authenticate(&kit.device, try Self.message(asked))
    let answer = try await post(kit, "/uaf/response", ["uafResponse": .string(response)])
    #expect(answer.body["statusCode"] == 1202 && answer.body["additionalTokens"] == nil)
  }

  /// Whoever is signed in could as well remove the key and register it anew.
  @Test func aSessionOfTheUserAcceptsAChangedSet() async throws {
    var device = try TestUAFAuthenticator()
    device.state = [1]
    var kit = try await UAFKit(device: device)
    _ = try await kit.register()
    kit.device.state = [2]
    func respond(_ context: JSONValue?, session: String?) async throws -> JSONValue {
      let asked = try await request(kit, "Auth", context: ["username": "mira"])
      let response = try kit.client.authenticate(&kit.device, try Self.message(asked))
      var body: JSONObject = ["uafResponse": .string(response)]
      if let context { body["context"] = .string(context.serializedString()) }
      return try await post(kit, "/uaf/response", .object(body), session: session).body
    }
    let accepting: JSONValue = ["acceptChangedEnrollment": true]
    let (mira, noor) = (try await kit.harness.session(), try await kit.harness.session(of: "noor"))
    #expect(try await respond(accepting, session: nil)["statusCode"] == 1202)
    #expect(try await respond(accepting, session: noor)["statusCode"] == 1202)
    #expect(try await respond(nil, session: mira)["statusCode"] == 1202)
    #expect(try await respond(["acceptChangedEnrollment": false], session: mira)["statusCode"] == 1202)
    #expect(try await kit.keys().first?.registration.userVerificationState == [1])
    let accepted = try await respond(accepting, session: mira)
    #expect(accepted["statusCode"] == 1200 && accepted["additionalTokens"] != nil)
    #expect(try await kit.keys().first?.registration.userVerificationState == [2])
    // From now on it is the set that is expected.
    #expect(try await respond(nil, session: nil)["statusCode"] == 1200)
    kit.device.state = [1]
    #expect(try await respond(nil, session: nil)["statusCode"] == 1202)
  }

  @Test func aConfirmationSaysWhatWasConfirmed() async throws {
    var kit = try await UAFKit { $0.transactionText = "Pay 42.00 EUR" }
    _ = try await kit.register()
    let content = try UAFTransactionContent(text: "Pay 42.00 EUR")
    let asked = try await request(kit, "Auth", context: ["username": "mira", "transaction": true])
    let response = try kit.client.authenticate(&kit.device, try Self.message(asked))
    let answer = try await post(kit, "/uaf/response", ["uafResponse": .string(response)]).body
    #expect(answer["statusCode"] == 1200 && answer["description"] == "confirmed and signed in")
    #expect(
      answer["transaction"] == [
        "hash": .string(Base64URL.encode(content.hash)), "contentType": "text/plain",
        "content": .string(Base64URL.encode(content.content)),
      ])
    let plain = try await request(kit, "Auth", context: ["username": "mira"])
    let other = try kit.client.authenticate(&kit.device, try Self.message(plain))
    #expect(try await post(kit, "/uaf/response", ["uafResponse": .string(other)]).body["transaction"] == nil)
  }

  @Test func aSecondFactorAloneSignsNobodyIn() async throws {
    let device = try TestUAFAuthenticator()
    var statement = device.metadata()
    statement["isSecondFactorOnly"] = true
    let models = try UAFModels(json: [.object(statement)])
    var kit = try await UAFKit(device: device) { $0.models = models }
    _ = try await kit.register()
    func respond(session: String?) async throws -> JSONValue {
      let asked = try await request(kit, "Auth", context: ["username": "mira"])
      let response = try kit.client.authenticate(&kit.device, try Self.message(asked))
      return try await post(kit, "/uaf/response", ["uafResponse": .string(response)], session: session).body
    }
    let alone = try await respond(session: nil)
    #expect(alone["statusCode"] == 1202 && alone["additionalTokens"] == nil)
    #expect(try await respond(session: try await kit.harness.session(of: "noor"))["statusCode"] == 1202)
    #expect(try await respond(session: try await kit.harness.session())["statusCode"] == 1200)
  }

  /// With `accept` and `flag` a response stands whose counter did not rise, and its state counts.
  @Test func aFlaggedResponseStoresItsState() async throws {
    var device = try TestUAFAuthenticator()
    device.state = [1]
    var kit = try await UAFKit(device: device) {
      $0.enrollmentPolicy = .accept
      $0.signCounterPolicy = .flag
    }
    _ = try await kit.register()
    func respond() async throws -> JSONValue? {
      let asked = try await request(kit, "Auth", context: ["username": "mira"])
      let response = try kit.client.authenticate(&kit.device, try Self.message(asked))
      return try await post(kit, "/uaf/response", ["uafResponse": .string(response)]).body["statusCode"]
    }
    #expect(try await respond() == 1200)
    kit.device.signCounter -= 1
    kit.device.state = [2]
    #expect(try await respond() == 1200)
    let key = try #require(try await kit.keys().first).registration
    #expect(key.userVerificationState == [2] && key.signCounter == 1)
  }

  /// One user's name is never taken for another's, whose key a device would then replace.
  @Test func longNamesAreRefusedAndNeverCut() async throws {
    let kit = try await UAFKit()
    // With the realm in brackets they have 128 characters, and one more.
    let common = String(repeating: "m", count: 119)
    for name in [common, common + "1", common + "2"] {
      _ = try await kit.harness.server.addUser(named: name, password: Harness.password, in: kit.harness.realm)
    }
    #expect(
      try await request(kit, "Reg", session: try await kit.harness.session(of: common)).body["statusCode"] == 1200)
    for name in [common + "1", common + "2"] {
      let session = try await kit.harness.session(of: name)
      #expect(try await request(kit, "Reg", session: session).body["statusCode"] == 1403)
      #expect(try await kit.registrationStep(name).token == nil)
    }
    #expect(kit.refusals == ["userNameTooLong", "userNameTooLong"])
  }

  @Test func listsFacets() async throws {
    let kit = try await UAFKit { $0.facets = ["https://rp.example", "linux:exe:a"] }
    for path in ["/uaf/facets", "/am/uaf/facets"] {
      let answer = try await kit.harness.send("GET", path)
      #expect(answer.status == 200)
      #expect(
        answer.response.fields.first { $0.name == "Content-Type" }?.value == "application/fido.trusted-apps+json")
      #expect(
        answer.body
          == [
            "trustedFacets": [
              ["version": ["major": 1, "minor": 1], "ids": ["https://rp.example", "linux:exe:a"]]
            ]
          ])
    }
    #expect(try await kit.harness.send("POST", "/uaf/facets", body: [1]).status == 405)
  }

  @Test func listsTheKeysOfTheSessionsUser() async throws {
    let kit = try await UAFKit()
    _ = try await kit.register()
    let session = try await kit.harness.session()
    let list = try await kit.harness.send(
      "GET", Harness.base + "/users/mira/devices/2fa/uaf", query: "_queryFilter=true", session: session)
    #expect(list.body["result"]?[0]?["aaid"] == "FFFF#F001" && list.body["resultCount"] == 1)
    #expect(
      try await kit.harness.send(
        "GET", Harness.base + "/users/noor/devices/2fa/uaf", query: "_queryFilter=true", session: session
      ).status == 403)
  }

  @Test func refusesOtherFormsAndOrigins() async throws {
    let kit = try await UAFKit()
    #expect(try await post(kit, "/uaf/request", ["op": "Auth"], type: "application/json").status == 415)
    #expect(try await post(kit, "/uaf/request", []).status == 400)
    #expect(
      try await post(kit, "/uaf/request", ["op": "Auth"], fields: [HTTPField("Sec-Fetch-Site", "cross-site")]).status
        == 403)
    #expect(try await kit.harness.send("GET", "/uaf/request").status == 405)
    for body: JSONValue in [
      [:], ["op": "Other"], ["op": 1], ["op": "Auth", "context": [:]], ["op": "Auth", "context": "x"],
      ["op": "Auth", "context": #"{"username": ""}"#], ["op": "Auth", "context": #"{"username": 1}"#],
      ["op": "Auth", "context": #"{"transaction": "yes"}"#], ["op": "Auth", "context": #"{"transaction": 1}"#],
      ["op": "Auth", "context": #"{"transaction": null}"#], ["op": "Auth", "context": #"{"transction": true}"#],
      ["op": "Auth", "contxt": #"{"transaction": true}"#],
    ] {
      #expect(try await post(kit, "/uaf/request", body).body["statusCode"] == 1400)
    }
    // All keys would go where one was meant.
    let session = try await kit.harness.session()
    _ = try await kit.register()
    for context: JSONValue in [["authenticator": []], ["keys": []], ["authenticators": [], "also": 1]] {
      #expect(try await request(kit, "Dereg", context: context, session: session).body["statusCode"] == 1400)
    }
    #expect(try await request(kit, "Reg", context: ["username": "noor"], session: session).body["statusCode"] == 1400)
    #expect(try await kit.keys().count == 1)
    for body: JSONValue in [
      ["uafResponse": "x", "context": #"{"acceptChangedEnrollment": 1}"#],
      ["uafResponse": "x", "context": #"{"accept": true}"#], ["uafResponse": "x", "op": "Auth"],
    ] {
      #expect(try await post(kit, "/uaf/response", body).body["statusCode"] == 1400)
    }
    for body: JSONValue in [[:], ["uafResponse": 1], ["uafResponse": ""], ["uafResponse": "[]"]] {
      #expect(try await post(kit, "/uaf/response", body).body["statusCode"] == 1400)
    }
  }

  @Test func withoutModelsThereAreNoAddresses() async throws {
    let harness = try await Harness()
    #expect(try await harness.send("GET", "/uaf/facets").status == 404)
  }
}
