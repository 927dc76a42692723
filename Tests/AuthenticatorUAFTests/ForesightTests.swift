import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorUAF
import Testing

/// What cannot be done is refused before anything is shown, and what cannot answer keeps nothing from answering.
struct ForesightTests {
  // MARK: A store that takes no writes

  @Test func nobodyIsAskedForAKeyThatCannotCount() async throws {
    let kit = try UAFKit()
    try await kit.register(.state, steps: .match())
    // Left unsettled: a start on a store that cannot be written settles nothing and fails at nothing.
    kit.device.store.fail(.update)
    kit.device.store.fail(.discard)
    _ = await kit.client.register(UAFKit.registration(.silent), facetID: UAFKit.facet)
    kit.device.store.repair()
    let shown = kit.prompts.count
    kit.device.store.saysItIsReadOnly()
    for message in [
      UAFKit.authentication(.state), UAFKit.authentication(.state, transaction: UAFKit.transaction("Pay")),
    ] {
      let result = await kit.client.authenticate(message, facetID: UAFKit.facet)
      #expect(result.error == AuthenticatorError(.storageFailed) && result.outcome == .failure)
      #expect(await kit.client.checkPolicy(message, facetID: UAFKit.facet) == .unknown)
    }
    await #expect(throws: AuthenticatorError(.storageFailed)) {
      try await kit.client.process(UAFKit.registration(.passcode), facetID: UAFKit.facet)
    }
    // What the policy says comes first.
    let keyless = await kit.client.authenticate(UAFKit.authentication(.either), facetID: UAFKit.facet)
    #expect(keyless.outcome == .accessDenied)
    #expect(kit.prompts.count == shown)
    kit.device.environment.clock.advance(by: .seconds(600))
    try await kit.client.recover()
    #expect(try await kit.records().count == 2)
    kit.device.store.repair()
    try await kit.client.recover()
    #expect(try await kit.records().count == 1)
  }

  // MARK: Broad policies

  private static func broad(_ count: Int, then last: JSONValue) -> JSONValue {
    let set: JSONValue = [["authenticationAlgorithms": [1], "assertionSchemes": ["UAFV1TLV"]]]
    return ["accepted": .array(Array(repeating: set, count: count) + [last])]
  }

  @Test func keylessAuthenticatorsKeepNoNamedKeyOut() async throws {
    let kit = try UAFKit()
    let keyID = try await kit.register(.silent).keyID
    let named: JSONValue = [["aaid": ["FFFF#A006"], "keyIDs": [.string(keyID.description)]]]
    let result = await kit.client.authenticate(
      UAFKit.authentication(policy: Self.broad(1000, then: named)), facetID: UAFKit.facet)
    #expect(try UAFKit.signed(result.message).keyID == keyID)
  }

  private static func many(_ maximumKeys: (Int) -> Int?) throws -> UAFKit {
    try UAFKit { configuration in
      configuration.authenticators = try (0..<12).map { index in
        UAFAuthenticatorModel(
          aaid: try #require(AAID("FFFF#C0\(10 + index)")), behavior: .silent, maximumKeys: maximumKeys(index))
      }
    }
  }

  private static func register(_ kit: UAFKit, _ aaid: String, username: String = "alice") async throws -> UAFKeyID {
    let response = try await kit.client.process(
      UAFKit.registration(username: username, policy: UAFKit.accepting([aaid])), facetID: UAFKit.facet)
    try await kit.client.notify(status: .ok, of: response, facetID: UAFKit.facet)
    return try UAFKit.registered(response).keyID
  }

  @Test func twoOfManyAnswerWhereOnlyTheyHoldKeys() async throws {
    let kit = try Self.many { _ in nil }
    let held = [try await Self.register(kit, "FFFF#C020"), try await Self.register(kit, "FFFF#C021")]
    let any: JSONValue = ["authenticationAlgorithms": [1], "assertionSchemes": ["UAFV1TLV"]]
    let result = await kit.client.authenticate(
      UAFKit.authentication(policy: ["accepted": [[any, any]]]), facetID: UAFKit.facet)
    let response = try UAFResponse(try #require(result.message).uafProtocolMessage)
    #expect(
      try response.assertions.map { try AuthenticationAssertion($0.assertion).signedData.keyID } == held)
  }

  @Test func fullAuthenticatorsKeepNoOtherOutOfABroadPolicy() async throws {
    let kit = try Self.many { $0 == 11 ? nil : 1 }
    for index in 10..<21 { _ = try await Self.register(kit, "FFFF#C0\(index)") }
    let any: JSONValue = ["authenticationAlgorithms": [1], "assertionSchemes": ["UAFV1TLV"]]
    let policy: JSONValue = ["accepted": [[any, any], [["aaid": ["FFFF#C021"]]]]]
    let response = try await kit.client.process(
      UAFKit.registration(username: "bob", policy: policy), facetID: UAFKit.facet)
    #expect(try UAFKit.registered(response).aaid.rawValue == "FFFF#C021")
    let full = UAFKit.registration(username: "bob", policy: ["accepted": [[any, any]]])
    #expect(await kit.client.checkPolicy(full, facetID: UAFKit.facet) == .insufficientAuthenticatorResources)
  }

  // MARK: A model that is configured otherwise than when its key was made

  private struct Change: CustomTestStringConvertible {
    var name: String
    var isNoticed = true
    var bend: @Sendable (inout UAFAuthenticatorModel) -> Void
    var testDescription: String { name }

    static func behavior(_ behavior: UAFBehavior) -> Change {
      Change(name: behavior.name) {
        $0.behavior = behavior
        $0.userVerification = behavior.userVerification
        if behavior.level == .none { $0.tcDisplay = [] }
      }
    }
  }

  private static let changes: [Change] = [
    .behavior(.silent), .behavior(.presence), .behavior(.passcode), .behavior(.biometricOrPasscode),
    .behavior(.biometricWithKeyDeletion),
    Change(name: "algorithm") {
      $0.authenticationAlgorithm = .rsaPSSSHA256Raw
      $0.publicKeyFormat = .rsa2048Raw
    },
    Change(name: "title", isNoticed: false) { $0.title = "Other" },
    Change(name: "encoding") { $0.authenticationAlgorithm = .secp256r1ECDSASHA256DER },
    Change(name: "second factor", isNoticed: false) { $0.isSecondFactorOnly = true },
  ]

  @Test(arguments: changes)
  private func tellsThatAModelWasConfiguredOtherwise(_ change: Change) async throws {
    let kit = try UAFKit(algorithms: [.es256, .ps256])
    let keyID = try await kit.register(.state, steps: .match()).keyID
    var configuration = kit.configuration
    let index = try #require(configuration.authenticators.firstIndex { $0.behavior == .biometricWithState })
    change.bend(&configuration.authenticators[index])
    let client = try UAFClient(configuration)
    let shown = kit.prompts.count
    kit.device.verifier.script([.match()])
    let result = await client.authenticate(UAFKit.authentication(.state, keyIDs: [keyID]), facetID: UAFKit.facet)
    guard change.isNoticed else {
      #expect(result.outcome == .success)
      return
    }
    #expect(result.error == AuthenticatorError(.keyAccessDenied))
    #expect(result.error?.reason.hasPrefix("the configuration of FFFF#A002 has changed") == true)
    let unnamed = await client.authenticate(UAFKit.authentication(.state), facetID: UAFKit.facet)
    #expect(unnamed.error?.reason == result.error?.reason)
    #expect(kit.prompts.count == shown)
    // The key is still there, for the configuration that it was made under.
    #expect(await kit.client.authenticate(UAFKit.authentication(.state), facetID: UAFKit.facet).outcome == .success)
  }

  @Test func aKeyOfTheFormerConfigurationKeepsNoOtherOut() async throws {
    let kit = try UAFKit()
    try await kit.register(.state, steps: .match())
    var configuration = kit.configuration
    let index = try #require(configuration.authenticators.firstIndex { $0.behavior == .biometricWithState })
    configuration.authenticators[index].behavior = .biometricWithKeyDeletion
    var changed = kit
    changed.client = try UAFClient(configuration)
    let bob = try await changed.register(.state, username: "bob", steps: .match()).keyID
    let result = await changed.authenticate(UAFKit.authentication(.state), steps: .match())
    #expect(try UAFKit.signed(result.message).keyID == bob)
    // Registering again is the way out.
    let alice = try await changed.register(.state, steps: .match()).keyID
    let again = await changed.authenticate(UAFKit.authentication(.state), steps: .match(), .choose("alice"))
    #expect(try UAFKit.signed(again.message).keyID == alice)
  }

  @Test func aSecondFactorsKeyBecomesNoFirstOne() async throws {
    var kit = try UAFKit { configuration in
      configuration.authenticators = [
        UAFAuthenticatorModel(aaid: try UAFKit.Model.silent.aaid, behavior: .silent, isSecondFactorOnly: true)
      ]
    }
    let keyID = try await kit.register(.silent).keyID
    kit.configuration.authenticators[0].isSecondFactorOnly = false
    let client = try UAFClient(kit.configuration)
    let unnamed = await client.authenticate(UAFKit.authentication(.silent), facetID: UAFKit.facet)
    #expect(unnamed.error?.reason.hasPrefix("the configuration of FFFF#A006 has changed") == true)
    let named = await client.authenticate(UAFKit.authentication(.silent, keyIDs: [keyID]), facetID: UAFKit.facet)
    #expect(named.outcome == .success)
  }

  @Test func tellsThatNobodyIsEnrolled() async throws {
    let kit = try UAFKit()
    try await kit.register(.state, steps: .match())
    try kit.device.verifier.remove("right-index")
    let result = await kit.client.authenticate(UAFKit.authentication(.state), facetID: UAFKit.facet)
    #expect(result.error == AuthenticatorError(.keyAccessDenied) && result.errorCode == .authenticatorAccessDenied)
    #expect(result.error?.reason == "nobody is enrolled whom the authenticator could recognize")
  }
}
