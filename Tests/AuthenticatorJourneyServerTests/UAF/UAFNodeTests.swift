import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// The UAF nodes in the built-in journeys.
@Suite struct UAFNodeTests {
  /// A journey whose only node is the one at test, with its outcomes told apart by a text.
  func tree(_ name: String, _ node: UAFAuthenticationNode) throws -> JourneyTree {
    try JourneyTree(name) {
      TreeStep("name", UsernameCollector()).next("uaf")
      TreeStep("uaf", node).on(.success, to: .success)
        .on(UAFAuthenticationNode.fallback, to: "fallback").on(UAFAuthenticationNode.stepUp, to: "stepUp")
        .on(UAFAuthenticationNode.secondFactor, to: "secondFactor")
        .on(UAFRegistrationNode.cancelled, to: "cancelled").on(UAFRegistrationNode.clientError, to: "clientError")
        .on(UAFRegistrationNode.unsupported, to: "unsupported")
        .on(UAFAuthenticationNode.noRegistration, to: "noRegistration").on(.failure, to: .failure)
      TreeStep("fallback", MessageNode("fallback", yes: "y", no: "n")).on(.true, to: .failure).on(.false, to: .failure)
      TreeStep("stepUp", MessageNode("stepUp", yes: "y", no: "n")).on(.true, to: .failure).on(.false, to: .failure)
      TreeStep("secondFactor", MessageNode("secondFactor", yes: "y", no: "n"))
        .on(.true, to: .failure).on(.false, to: .failure)
      TreeStep("cancelled", MessageNode("cancelled", yes: "y", no: "n"))
        .on(.true, to: .failure).on(.false, to: .failure)
      TreeStep("clientError", MessageNode("clientError", yes: "y", no: "n"))
        .on(.true, to: .failure).on(.false, to: .failure)
      TreeStep("unsupported", MessageNode("unsupported", yes: "y", no: "n"))
        .on(.true, to: .failure).on(.false, to: .failure)
      TreeStep("noRegistration", MessageNode("noRegistration", yes: "y", no: "n"))
        .on(.true, to: .failure).on(.false, to: .failure)
    }
  }

  @Test func registersAndSignsIn() async throws {
    var kit = try await UAFKit()
    let page = try await kit.registrationStep()
    #expect(page.types == ["MetadataCallback", "HiddenValueCallback"])
    let data = page.output(0, "data")
    #expect(data?["_type"] == "UAF" && data?["_action"] == "uaf_registration" && data?["timeout"] == 120_000)
    #expect(page.output(1, "id") == "uafOutcome")
    // With the realm: another one may have the name too, and both answer for one app.
    #expect(try UAFKit.request(page)[0]?["username"] == "mira (/alpha)")
    #expect(try await kit.answer(page, try kit.client.register(kit.device, try UAFKit.request(page))).token != nil)
    #expect(try await kit.keys().map(\.registration.aaid) == ["FFFF#F001"])
    #expect(try await kit.signIn().token != nil)
    #expect(try await kit.signIn("MIRA").token != nil)
    let key = try #require(try await kit.keys().first)
    #expect(key.registration.signCounter == 2 && key.lastUsedAt == kit.harness.clock.now)
    #expect(kit.refusals.isEmpty)
  }

  @Test func theKeySaysWhoTheUserIs() async throws {
    var kit = try await UAFKit()
    _ = try await kit.register("noor")
    let signed = try await kit.signIn(nil, journey: "LoginUAFUsernameless")
    let token = try #require(signed.token)
    let information = try await kit.harness.send(
      "POST", Harness.base + "/sessions", query: "_action=getSessionInfo", session: token,
      fields: [HTTPField("Accept-API-Version", "resource=4.0")], body: Array("{}".utf8))
    #expect(information.body["username"] == "noor")
  }

  @Test func nobodySignsInWithAnotherUsersKey() async throws {
    var kit = try await UAFKit()
    _ = try await kit.register("noor")
    // Mira has no key, and is asked for one that nobody has.
    #expect(try await kit.signIn("mira").token == nil)
    #expect(kit.refusals == ["keyNotAdmitted"])
  }

  @Test func aStrangerLearnsNothing() async throws {
    let kit = try await UAFKit()
    func policy(_ user: String) async throws -> JSONValue? {
      try UAFKit.request(try await kit.authenticationStep(user))[0]?["policy"]
    }
    let unknown = try await policy("nobody")
    #expect(try await policy("nobody") == unknown && unknown?["accepted"]?[0]?[0]?["keyIDs"] != nil)
    #expect(try await policy("mira") != unknown)
    _ = try await kit.register()
    let known = try await policy("mira")
    #expect(known?["accepted"]?[0]?[0]?.objectValue?.names == unknown?["accepted"]?[0]?[0]?.objectValue?.names)
  }

  // MARK: Refusals

  @Test func aResponseIsGoodForItsStepAndOnce() async throws {
    var kit = try await UAFKit()
    _ = try await kit.register()
    let (first, second) = (try await kit.authenticationStep(), try await kit.authenticationStep())
    let response = try kit.client.authenticate(&kit.device, try UAFKit.request(first))
    #expect(try await kit.answer(second, response).token == nil)
    #expect(kit.refusals == ["challengeMismatch"])
    // The challenge is used up, even where it was no answer.
    #expect(try await kit.answer(first, response).token == nil)
    #expect(kit.refusals == ["challengeMismatch", "requestUsed"])
  }

  @Test func aRequestExpires() async throws {
    var kit = try await UAFKit { $0.requestLifetime = .seconds(60) }
    _ = try await kit.register()
    let page = try await kit.authenticationStep()
    let response = try kit.client.authenticate(&kit.device, try UAFKit.request(page))
    kit.harness.clock.advance(by: 60)
    #expect(try await kit.answer(page, response).token == nil)
    #expect(kit.refusals == ["requestExpired"])
  }

  @Test func aCounterThatWasSeenIsRefused() async throws {
    var kit = try await UAFKit()
    _ = try await kit.register()
    #expect(try await kit.signIn().token != nil)
    kit.device.signCounter -= 1
    #expect(try await kit.signIn().token == nil)
    #expect(kit.refusals == ["counterNotIncreased"])
  }

  @Test func aKeyRegistersOnceAndWithinTheQuota() async throws {
    let kit = try await UAFKit { $0.quota = 1 }
    let (first, second) = (try await kit.registrationStep(), try await kit.registrationStep("noor"))
    let third = try await kit.registrationStep()
    let free = try await kit.registrationStep("noor")
    #expect(try await kit.answer(first, try kit.client.register(kit.device, try UAFKit.request(first))).token != nil)
    #expect(try await kit.answer(second, try kit.client.register(kit.device, try UAFKit.request(second))).token == nil)
    var other = kit.device
    other.keyID[0] = 1
    #expect(try await kit.answer(third, try kit.client.register(other, try UAFKit.request(third))).token == nil)
    #expect(kit.refusals == ["alreadyRegistered", "quotaReached"])
    #expect(try await kit.keys("noor").isEmpty)
    // Whoever has no room is not asked any more; nobody scans in vain.
    let asked = try await kit.registrationStep()
    #expect(asked.status == 401 && asked.types.isEmpty && free.types.first == "MetadataCallback")
    #expect(kit.refusals.last == "quotaReached" && kit.refusals.count == 3)
  }

  @Test func aRegistrationNamesTheKeysThatAreThere() async throws {
    let kit = try await UAFKit()
    _ = try await kit.register()
    let request = try UAFKit.request(try await kit.registrationStep())
    let keyID = JSONValue.string(Base64URL.encode(kit.device.keyID))
    #expect(request[0]?["policy"]?["disallowed"] == [["aaid": ["FFFF#F001"], "keyIDs": [keyID]]])
  }

  // MARK: Transactions

  @Test func confirmsTheConfiguredText() async throws {
    var kit = try await UAFKit { $0.transactionText = "Pay 10 EUR?" }
    _ = try await kit.register()
    let page = try await kit.authenticationStep(journey: "ConfirmPayment")
    let request = try UAFKit.request(page)
    #expect(request[0]?["transaction"] == [["contentType": "text/plain", "content": "UGF5IDEwIEVVUj8"]])
    #expect(try await kit.answer(page, try kit.client.authenticate(&kit.device, request)).token != nil)
    // Signed without showing it.
    let again = try await kit.authenticationStep(journey: "ConfirmPayment")
    let final = kit.client.finalChallenge(for: try UAFKit.request(again))
    kit.device.signCounter += 1
    let assertion = try kit.device.authentication(finalChallengeHash: final.hash)
    let response = kit.client.response(
      to: try UAFKit.request(again), finalChallenge: final.text, assertions: [assertion])
    #expect(try await kit.answer(again, JSONValue.array([.object(response)]).serializedString()).token == nil)
    #expect(kit.refusals == ["transactionNotConfirmed"])
  }

  @Test func aContentThatCannotBeSentFails() async throws {
    let kit = try await UAFKit(journeys: [
      try tree("T", UAFAuthenticationNode(transaction: .text("10 €"), concealsMissingKeys: true))
    ])
    #expect(try await kit.authenticationStep(journey: "T").status == 401)
    #expect(kit.refusals == ["transaction.notASCII"])
  }

  // MARK: A changed enrollment

  private func changed(_ policy: UAFExpectation.EnrollmentPolicy) async throws -> UAFKit {
    var device = try TestUAFAuthenticator()
    device.state = [1]
    var kit = try await UAFKit(device: device) { $0.enrollmentPolicy = policy }
    _ = try await kit.register()
    kit.device.state = [2]
    return kit
  }

  @Test func aChangedSetStepsUpAndIsThenAccepted() async throws {
    var kit = try await changed(.stepUp)
    let page = try await kit.signIn()
    #expect(page.token == nil && page.types == ["NameCallback", "PasswordCallback"])
    // Another user's password does not accept it.
    let other = try await kit.signIn()
    #expect(try await kit.harness.post(kit.harness.credentials(other, "noor")).token == nil)
    #expect(try await kit.keys().first?.registration.userVerificationState == [1])
    #expect(try await kit.harness.post(kit.harness.credentials(page)).token != nil)
    #expect(try await kit.keys().first?.registration.userVerificationState == [2])
    #expect(try await kit.signIn().token != nil)
  }

  /// Beside the user's own password, where there is none by which to begin.
  @Test(arguments: [("ConfirmPayment", "mira"), ("LoginUAFUsernameless", nil)] as [(String, String?)])
  func aChangedSetAsksForTheOwnPassword(journey: String, user: String?) async throws {
    var kit = try await changed(.stepUp)
    let page = try await kit.signIn(user, journey: journey)
    #expect(page.token == nil && page.types == ["PasswordCallback"])
    let again = try await kit.harness.post(page.filled([0: ["": "wrong"]]))
    #expect(again.token == nil && again.types == ["PasswordCallback"])
    #expect(try await kit.keys().first?.registration.userVerificationState == [1])
    #expect(try await kit.harness.post(again.filled([0: ["": .string(Harness.password)]])).token != nil)
    #expect(try await kit.keys().first?.registration.userVerificationState == [2])
    #expect(try await kit.signIn(user, journey: journey).token != nil)
  }

  @Test func aChangedSetIsRefusedOrAccepted() async throws {
    var strict = try await changed(.reject)
    #expect(try await strict.signIn().status == 401)
    #expect(strict.refusals == ["enrollmentChanged"])
    var tolerant = try await changed(.accept)
    #expect(try await tolerant.signIn().token != nil)
    #expect(try await tolerant.keys().first?.registration.userVerificationState == [2])
  }

  // MARK: Deregistration

  @Test func removesKeysHereAndTellsTheDevice() async throws {
    var kit = try await UAFKit()
    _ = try await kit.register()
    let page = try await kit.harness.login(journey: "DeregisterUAF")
    #expect(page.output(0, "data")?["_action"] == "uaf_deregistration")
    let keyID = JSONValue.string(Base64URL.encode(kit.device.keyID))
    #expect(try UAFKit.request(page)[0]?["authenticators"] == [["aaid": "FFFF#F001", "keyID": keyID]])
    #expect(try await kit.keys().isEmpty)
    #expect(try await kit.answer(page, "").token != nil)
    #expect(try await kit.signIn().token == nil)
    #expect(try await kit.harness.login(journey: "DeregisterUAF").status == 401)
  }

  @Test func importedTreesHaveTheNodes() throws {
    let types = NodeFactories.standard.types
    for type in ["UAFRegistrationNode", "UAFAuthenticationNode", "UAFDeregistrationNode", "UAFEnrollmentUpdateNode"] {
      #expect(types.contains(type))
    }
  }
}
