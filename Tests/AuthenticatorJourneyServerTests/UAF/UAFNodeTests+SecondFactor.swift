import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// Authenticators that let nobody in by themselves.
extension UAFNodeTests {
  private func secondFactor(_ journeys: [JourneyTree]? = nil) async throws -> UAFKit {
    let device = try TestUAFAuthenticator()
    var statement = device.metadata()
    statement["isSecondFactorOnly"] = true
    let models = try UAFModels(json: [.object(statement)])
    return try await UAFKit(journeys: journeys, device: device) { $0.models = models }
  }

  @Test func aSecondFactorHasAnOutcomeOfItsOwn() async throws {
    let node = try tree("T", UAFAuthenticationNode(concealsMissingKeys: true))
    var kit = try await secondFactor(try BuiltInJourneys.all() + [node])
    _ = try await kit.register()
    let next = try await kit.signIn(journey: "T")
    #expect(next.token == nil && [next.output(0, "prompt"), next.output(0, "message")].contains("secondFactor"))
  }

  @Test func aSecondFactorSignsInBesideAPasswordOnly() async throws {
    var kit = try await secondFactor()
    _ = try await kit.register()
    #expect(try await kit.signIn().token == nil)
    #expect(kit.refusals.isEmpty)
  }

  /// The password is asked of the user whose key signed: with a name of their own, whoever holds the device would sign
  /// in as anybody by a password alone.
  @Test(arguments: ["LoginUAF", "ConfirmPayment"])
  func aSecondFactorGoesWithItsUsersPassword(journey: String) async throws {
    var kit = try await secondFactor()
    _ = try await kit.register()
    let page = try await kit.signIn(journey: journey)
    #expect(page.token == nil && page.types == ["PasswordCallback"])
    let again = try await kit.harness.post(page.filled([0: ["": "wrong"]]))
    #expect(again.token == nil && again.types == ["PasswordCallback"])
    #expect(try await kit.harness.post(again.filled([0: ["": .string(Harness.password)]])).token != nil)
  }

  /// A tree that was exported before there was the outcome, or that forgot it.
  @Test func anImportedTreeWithoutTheOutcomeFails() async throws {
    let (success, failure) = ("70e691a5-1e33-4ac3-a356-e7b6d60d92e0", "e301438c-0bd0-429c-ab0c-66126501069a")
    let export: JSONValue = [
      "tree": [
        "_id": "T", "entryNodeId": "name",
        "nodes": [
          "name": ["nodeType": "UsernameCollectorNode", "connections": ["outcome": "uaf"]],
          "uaf": [
            "nodeType": "UAFAuthenticationNode",
            "connections": ["success": .string(success), "failure": .string(failure)],
          ],
        ],
      ], "nodes": ["name": [:], "uaf": ["concealMissingKeys": true]],
    ]
    let imported = try #require(try TreeImport().read([("file", export.serialized())]).first).tree
    for isSecondFactor in [true, false] {
      let journeys = try BuiltInJourneys.all() + [imported]
      var kit = isSecondFactor ? try await secondFactor(journeys) : try await UAFKit(journeys: journeys)
      _ = try await kit.register()
      #expect((try await kit.signIn(journey: "T").token == nil) == isSecondFactor)
    }
  }
}
