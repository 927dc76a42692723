import AuthenticatorCoding
import AuthenticatorJourneyServer
import Testing

/// What the client reports in place of a response, and where nothing can be asked of it.
extension UAFNodeTests {
  @Test(arguments: [
    ("ERROR::3::FALLBACK", "fallback"), ("ERROR::3::CANCELED", "cancelled"), ("ERROR::16::LOCKED", "clientError"),
    ("ERROR::5::NO_MATCH", "clientError"), ("ERROR::9::KEY_DISAPPEARED_PERMANENTLY", "clientError"),
    ("uafOutcome", "unsupported"), ("", "unsupported"), ("ERROR::3", ""), ("ERROR::3::<b>", ""),
    ("ERROR::999::FALLBACK", ""), ("ERROR", ""), ("not JSON", ""), ("[]", ""),
  ]) func everyEndOfTheClientHasItsOutcome(text: String, outcome: String) async throws {
    let kit = try await UAFKit(journeys: [try tree("T", UAFAuthenticationNode(concealsMissingKeys: true))])
    let page = try await kit.authenticationStep(journey: "T")
    let next = try await kit.answer(page, text)
    if outcome.isEmpty {
      #expect(next.status == 401)
      #expect(kit.refusals == ["messageMalformed"])
    } else {
      #expect(next.output(0, "message")?.stringValue == outcome || next.output(0, "prompt")?.stringValue == outcome)
    }
  }

  @Test func aUserWithoutAKeyHasAnOutcome() async throws {
    let kit = try await UAFKit(journeys: [try tree("T", UAFAuthenticationNode())])
    let next = try await kit.authenticationStep(journey: "T")
    #expect(next.response.body.isEmpty == false && next.body.serializedString().contains("noRegistration"))
  }

  @Test func withoutModelsThereIsNoUAF() async throws {
    let harness = try await Harness(journeys: [try tree("T", UAFAuthenticationNode())])
    let name = try await harness.start("T")
    let next = try await harness.post(name.filled([0: ["": "mira"]]))
    #expect(next.body.serializedString().contains("unsupported"))
  }

  @Test func fallingBackLeadsToThePassword() async throws {
    let kit = try await UAFKit()
    _ = try await kit.register()
    let page = try await kit.authenticationStep()
    let next = try await kit.answer(page, "ERROR::3::FALLBACK")
    #expect(next.types == ["NameCallback", "PasswordCallback"])
    #expect(try await kit.harness.post(kit.harness.credentials(next)).token != nil)
    // Nothing was counted.
    #expect(try await kit.keys().first?.registration.signCounter == 0)
  }
}
