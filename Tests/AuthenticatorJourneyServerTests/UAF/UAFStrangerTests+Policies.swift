import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// What somebody can compare who has keys, or several requests.
extension UAFStrangerTests {
  private func send(_ path: String, _ body: JSONValue, session: String? = nil) async throws -> JSONValue {
    let answer = try await kit.harness.send(
      "POST", path, session: session, fields: [HTTPField("Content-Type", "application/fido+uaf")],
      body: body.serialized())
    #expect(answer.status == 200)
    return answer.body
  }

  /// Beside a valid assertion of the stranger's own, too.
  @Test func oneAnswerToTheKeyOfNobodyBesideAnOwnOne() async throws {
    _ = try await kit.register()
    var own = try TestUAFAuthenticator()
    own.keyID[0] ^= 0xFF
    let session = try await kit.harness.session(of: "noor")
    let text = try #require(try await send("/uaf/request", ["op": "Reg"], session: session)["uafRequest"]?.stringValue)
    let made = try kit.client.register(own, try JSONValue.parse(text))
    let verdict = try await send("/uaf/response", ["uafResponse": .string(made)], session: session)
    #expect(verdict["statusCode"] == 1200)
    for name in ["mira", "nobody1", "nobody2", "nobody3"] {
      let key = try #require(keys(try await ask(kit, name)).first)
      let request = try await ask(kit, nil)
      own.signCounter += 1
      let final = kit.client.finalChallenge(for: request)
      var rubbish = stranger
      rubbish.keyID = try Base64URL.decode(key.keyID)
      (rubbish.aaid, rubbish.algorithm, rubbish.keyForm) = try #require(Self.forms.first { $0.aaid == key.aaid })
      let assertions = [
        try own.authentication(finalChallengeHash: final.hash),
        try rubbish.authentication(finalChallengeHash: final.hash) { $0.signature = { _ in [1, 2, 3] } },
      ]
      let response = kit.client.response(to: request, finalChallenge: final.text, assertions: assertions)
      let message = JSONValue.array([.object(response)]).serializedString()
      #expect(try await send("/uaf/response", ["uafResponse": .string(message)]) == ["statusCode": 1403], "\(name)")
    }
  }

  /// The same ones whatever a request is for, as a user has them, and no two of them have anything in common.
  @Test func keysOfNobodyAreTheSameUnderEveryPolicy() async throws {
    let trees = try Self.forms.map { form in
      let policy = UAFAcceptancePolicy(anyOf: [form.aaid])
      return try JourneyTree("Only\(form.aaid.suffix(1))") {
        TreeStep("name", UsernameCollector()).next("key")
        TreeStep("key", UAFAuthenticationNode(policy: policy, concealsMissingKeys: true)).on(.success, to: .success)
          .otherwise(.failure)
      }
    }
    let kit = try await Self.kit(journeys: trees)
    for name in (0..<20).map({ "nobody\($0)" }) {
      let usual = keys(try await ask(kit, name))
      var all = Set(usual)
      for form in Self.forms {
        let page = try await kit.authenticationStep(name, journey: "Only\(form.aaid.suffix(1))")
        let narrow = keys(try UAFKit.request(page))
        #expect(!narrow.isEmpty && narrow.allSatisfy { $0.aaid == form.aaid })
        let standing = usual.filter { $0.aaid == form.aaid }
        #expect(standing.isEmpty || narrow == standing, "\(name): \(form.aaid)")
        all.formUnion(narrow)
      }
      for length in [8, 16] {
        let heads = try all.map { try Base64URL.decode($0.keyID).prefix(length) }
        #expect(Set(heads).count == all.count)
      }
    }
  }

  /// A client has no two authenticators of one model, and no user more keys than the quota.
  @Test func keysOfNobodyCouldHaveBeenRegistered() async throws {
    var any = UAFAcceptanceCriteria()
    any.userVerification = 2
    let pairs = UAFAcceptancePolicy(accepted: [[any, any]])
    let either = UAFAcceptancePolicy(accepted: [[any, any], [any]])
    let two = try await Self.kit {
      $0.policy = pairs
      $0.quota = 2
    }
    let one = try await Self.kit {
      $0.policy = either
      $0.quota = 1
    }
    for name in (0..<40).map({ "nobody\($0)" }) {
      // Each criterion names both, since both match it.
      let set = try #require(try await ask(two, name)[0]?["policy"]?["accepted"]?[0]?.arrayValue)
      #expect(set.count == 2 && set.allSatisfy { $0["aaid"]?.arrayValue?.count == 2 }, "\(name): \(set)")
      #expect(Set(keys(try await ask(one, name))).count == 1)
    }
  }

  /// Of a model that attests in several ways nobody's key is of one that the policy admits, under a name and without.
  @Test func keysOfNobodyAttestAsThePolicyWants() async throws {
    var device = try TestUAFAuthenticator()
    var metadata = device.metadata()
    metadata["attestationTypes"] = [0x3E07, 0x3E08]
    let models = try UAFModels(json: [.object(metadata)])
    var wanted = UAFAcceptanceCriteria()
    wanted.attestationTypes = [0x3E08]
    let policy = UAFAcceptancePolicy(accepted: [[wanted]])
    let kit = try await UAFKit(device: device) {
      $0.models = models
      $0.policy = policy
    }
    for name in ["nobody1", "nobody2", "nobody3"] {
      let key = try #require(keys(try await ask(kit, name)).first)
      for other in [nil, name] {
        let request = try await ask(kit, other)
        device.keyID = try Base64URL.decode(key.keyID)
        let final = kit.client.finalChallenge(for: request)
        let assertion = try device.authentication(finalChallengeHash: final.hash)
        let response = kit.client.response(to: request, finalChallenge: final.text, assertions: [assertion])
        _ = try await kit.harness.send(
          "POST", "/uaf/response", fields: [HTTPField("Content-Type", "application/fido+uaf")],
          body: JSONValue.object(["uafResponse": .string(JSONValue.array([.object(response)]).serializedString())])
            .serialized())
      }
    }
    #expect(kit.refusals == [String](repeating: "signatureInvalid", count: 6))
  }
}
