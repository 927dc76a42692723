import AuthenticatorCoding
import AuthenticatorCore
import Testing

@testable import AuthenticatorUAF

struct PolicyTests {
  private static func candidates(_ vectors: UAFVectors) throws -> [PolicyCandidate] {
    try #require(vectors.json["authenticators"]?.arrayValue).map { one in
      let number = { (name: String) in try #require(one[name]?.intValue) }
      return PolicyCandidate(
        information: UAFAuthenticatorInformation(
          aaid: try #require(AAID(try one.text("aaid"))),
          authenticationAlgorithm: UAFAlgorithm(rawValue: UInt16(try number("authenticationAlgorithm"))),
          attestationTypes: try #require(one["attestationTypes"]?.arrayValue).compactMap(\.intValue)
            .map { UAFAttestationType(rawValue: UInt16($0)) },
          userVerification: UserVerificationMethods(rawValue: UInt32(try number("userVerification"))),
          keyProtection: KeyProtectionTypes(rawValue: UInt16(try number("keyProtection"))),
          matcherProtection: MatcherProtectionTypes(rawValue: UInt16(try number("matcherProtection"))),
          attachmentHint: AttachmentHint(rawValue: UInt32(try number("attachmentHint"))),
          tcDisplay: TransactionConfirmationDisplay(rawValue: UInt16(try number("tcDisplay")))),
        keyIDs: Set(
          one["registeredKeyIDs"]?.arrayValue?.compactMap { $0.stringValue.flatMap { UAFKeyID($0) } } ?? []))
    }
  }

  @Test func matchesTheVectors() throws {
    let vectors = try UAFVectors()
    let candidates = try Self.candidates(vectors)
    for vector in try vectors.all("policy") {
      let id = try vector.text("id")
      guard let expected = vector["matchesPerCriterion"]?.arrayValue else {
        guard vector["lenientMatches"] == nil else { continue }
        #expect(throws: AuthenticatorError(.invalidMessage), "\(id)") { try UAFPolicy(vector["policy"]) }
        continue
      }
      let policy = try UAFPolicy(vector["policy"])
      let admitted = candidates.filter { candidate in
        !policy.disallowed.contains { PolicyMatcher.matches($0, candidate) }
      }
      let found = policy.accepted.map { set in
        set.map { criterion in
          admitted.filter { PolicyMatcher.matches(criterion, $0) }.map(\.information.aaid.rawValue)
        }
      }
      #expect(
        found
          == expected.map { set in
            (set.arrayValue ?? []).map { ($0.arrayValue ?? []).compactMap(\.stringValue) }
          }, "\(id)")
    }
  }

  @Test func criteriaWithoutModelsNameAlgorithmsWhereTheAppIsStrict() async throws {
    let vectors = try UAFVectors()
    let vector = try vectors.vector("pol-no-aaid-no-alg")
    let policy = try UAFPolicy(vector["policy"])
    let found = try Self.candidates(vectors).filter { PolicyMatcher.matches(policy.accepted[0][0], $0) }
    #expect(
      found.map(\.information.aaid.rawValue) == vector["lenientMatches"]?.arrayValue?.compactMap(\.stringValue))
    let message = UAFKit.registration(policy: vector["policy"])
    let lenient = try UAFKit()
    #expect(await lenient.client.checkPolicy(message, facetID: UAFKit.facet) == .noError)
    let strict = try UAFKit { $0.isStrictAboutCriteria = true }
    #expect(await strict.client.checkPolicy(message, facetID: UAFKit.facet) == .protocolError)
    #expect(await strict.client.register(message, facetID: UAFKit.facet).outcome == .protocolError)
    // A model is named, or algorithm and scheme are.
    let full: JSONValue = [
      "accepted": [[["userVerification": 4, "authenticationAlgorithms": [1], "assertionSchemes": ["UAFV1TLV"]]]]
    ]
    for policy in [full, UAFKit.accepting(["FFFF#A001"])] {
      let message = UAFKit.registration(policy: policy)
      #expect(await strict.client.checkPolicy(message, facetID: UAFKit.facet) == .noError)
    }
  }

  @Test func servesTheCriteriaOfASetByDifferentAuthenticators() throws {
    let vectors = try UAFVectors()
    let candidates = try Self.candidates(vectors)
    let choices = { (id: String) in
      let policy = try UAFPolicy(try vectors.vector(id)["policy"])
      return PolicyMatcher(candidates).choices(for: policy).map { choice in
        choice.members.map { candidates[$0.candidate].information.aaid.rawValue }
      }
    }
    #expect(
      try choices("pol-set-and") == [
        ["FFFF#F002", "FFFF#F001"], ["FFFF#F002", "FFFF#F004"], ["FFFF#F004", "FFFF#F001"],
      ])
    #expect(try choices("pol-or-order").first == ["FFFF#F004"])
    let same: JSONValue = ["accepted": [[["aaid": ["FFFF#F001"]], ["aaid": ["FFFF#F001"]]]]]
    #expect(PolicyMatcher(candidates).choices(for: try UAFPolicy(same)).isEmpty)
  }

  @Test func staysBoundedForManyCriteriaAndAuthenticators() throws {
    let candidates = (0..<20).compactMap { index in
      AAID("FFFF#00\(10 + index)").map { aaid in
        PolicyCandidate(
          information: UAFAuthenticatorInformation(
            aaid: aaid, authenticationAlgorithm: .secp256r1ECDSASHA256Raw, attestationTypes: [.basicSurrogate],
            userVerification: .fingerprint, keyProtection: .software, matcherProtection: .software,
            attachmentHint: .internal))
      }
    }
    let any = MatchCriteria(userVerification: .fingerprint)
    let choices = PolicyMatcher(candidates).choices(
      for: UAFPolicy(accepted: Array(repeating: Array(repeating: any, count: 20), count: 5)))
    #expect((1...64).contains(choices.count))
    #expect(Set(choices).count == choices.count)
    // What is repeated is no further choice, and keeps none out.
    let few = PolicyMatcher(Array(candidates.prefix(3)))
    let pairs = few.choices(for: UAFPolicy(accepted: Array(repeating: [any, any], count: 500) + [[any]]))
    #expect(pairs.count == 9)
    // Up to a bound: a policy that says nothing new is not followed for ever.
    let endless = few.choices(for: UAFPolicy(accepted: Array(repeating: [any, any], count: 1000) + [[any]]))
    #expect(endless.count == 6)
    #expect(
      PolicyMatcher(candidates).choices(
        for: UAFPolicy(accepted: [Array(repeating: any, count: 21)])
      ).isEmpty)
  }

  @Test(arguments: [
    #"{"accepted": []}"#, #"{"accepted": [[]]}"#, #"{"accepted": [[{"aaid": ["FFFF#F001"], "unknown": 1}]]}"#,
    #"{"accepted": [[{"vendorID": "ABCD"}]]}"#, #"{"accepted": [[{"aaid": []}]]}"#,
    #"{"accepted": [[{"aaid": ["F#1"]}]]}"#,
    #"{"accepted": [[{"userVerification": -1}]]}"#, #"{"accepted": [[{"userVerification": 4294967296}]]}"#,
    #"{"accepted": [[{"keyProtection": 65536}]]}"#, #"{"accepted": [[{"keyIDs": ["AAAA"]}]]}"#,
    #"{"accepted": [[{"aaid": null}]]}"#, #"{"accepted": [[{"aaid": ["FFFF#F001"]}]], "other": 1}"#,
    #"{"accepted": [[{"aaid": ["FFFF#F001"]}]], "disallowed": []}"#, #"{"accepted": {"aaid": ["FFFF#F001"]}}"#,
    #"{"accepted": [[{"userVerification": 4.5}]]}"#, #"{"accepted": [[{"userVerification": "4"}]]}"#,
    #"{"accepted": [[{"exts": [{"id": "", "data": "", "fail_if_unknown": false}]}]]}"#,
    #"{"accepted": [[{"exts": [{"id": "a", "data": ""}]}]]}"#, #"{}"#, #"[]"#,
  ])
  func refusesMalformedPolicies(_ text: String) throws {
    #expect(throws: AuthenticatorError(.invalidMessage)) { try UAFPolicy(try JSONValue.parse(text)) }
  }
}
