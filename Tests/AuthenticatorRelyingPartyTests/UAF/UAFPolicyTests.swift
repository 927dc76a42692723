import AuthenticatorCoding
import AuthenticatorRelyingParty
import Testing

/// Policies: which authenticators match which criteria, and which policies are none.
@Suite struct UAFPolicyTests {
  /// The authenticators of the samples.
  private static func candidates() throws -> [UAFCandidate] {
    try (UAFVector.file["authenticators"]?.arrayValue ?? []).map { json in
      func number(_ name: String) throws -> Int { try #require(json[name]?.intValue) }
      return UAFCandidate(
        aaid: try #require(json["aaid"]?.stringValue), assertionScheme: "UAFV1TLV",
        authenticationAlgorithm: UInt16(try number("authenticationAlgorithm")),
        attestationTypes: (json["attestationTypes"]?.arrayValue ?? []).compactMap { $0.intValue.map { UInt16($0) } },
        userVerifications: [UInt32(try number("userVerification"))],
        keyProtection: UInt16(try number("keyProtection")),
        matcherProtection: UInt16(try number("matcherProtection")),
        attachmentHint: UInt32(try number("attachmentHint")), tcDisplay: UInt16(try number("tcDisplay")),
        keyIDs: Set((json["registeredKeyIDs"]?.arrayValue ?? []).compactMap(\.stringValue)))
    }
  }

  private static func names(_ policy: UAFAcceptancePolicy) throws -> [JSONValue] {
    let candidates = try candidates().filter { policy.admits($0) }
    return policy.accepted.map { set in
      .array(
        set.map { criterion in .array(candidates.filter { criterion.matches($0) }.map { .string($0.aaid) }) })
    }
  }

  @Test(arguments: UAFVector.of("policy")) func matchesAsTheSamplesSay(vector: UAFVector) throws {
    let json = try #require(vector["policy"])
    guard vector["error"] == nil else {
      #expect(throws: ExpectationError.self) { try UAFAcceptancePolicy(json: json) }
      if let lenient = vector["lenientMatches"] {
        let policy = try UAFAcceptancePolicy(json: json, strict: false)
        #expect(try Self.names(policy) == [.array([lenient])])
      } else {
        #expect(throws: ExpectationError.self) { try UAFAcceptancePolicy(json: json, strict: false) }
      }
      return
    }
    let policy = try UAFAcceptancePolicy(json: json)
    #expect(try JSONValue.array(Self.names(policy)) == vector["matchesPerCriterion"])
    #expect(try UAFAcceptancePolicy(json: .object(policy.json)) == policy)
  }

  @Test func everyCriterionGetsAnAuthenticatorOfItsOwn() throws {
    let candidates = try Self.candidates()
    func policy(_ sets: [[[String]]]) -> UAFAcceptancePolicy {
      UAFAcceptancePolicy(accepted: sets.map { $0.map { UAFAcceptanceCriteria(aaids: $0) } })
    }
    // The first criterion would take what the second one needs; it moves to another.
    let wide = ["FFFF#F001", "FFFF#F002"]
    #expect(policy([[wide, ["FFFF#F001"]]]).match(candidates) == [1, 0])
    #expect(policy([[wide, wide]]).match(candidates)?.sorted() == [0, 1])
    #expect(policy([[wide, wide, wide]]).match(candidates) == nil)
    #expect(policy([[["FFFF#F001"], ["FFFF#F001"]], [["FFFF#F003"]]]).match(candidates) == [2])
    #expect(policy([[["FFFF#0BAD"]]]).match(candidates) == nil)
    #expect(policy([[wide]]).match([]) == nil)
  }

  @Test func anOlderVersionDoesNotMatch() throws {
    var criterion = UAFAcceptanceCriteria()
    criterion.authenticatorVersion = 3
    var candidate = try #require(try Self.candidates().first)
    candidate.authenticatorVersion = 2
    #expect(!criterion.matches(candidate))
    candidate.authenticatorVersion = 3
    #expect(criterion.matches(candidate))
    // A client does not know it, so it decides nothing there.
    candidate.authenticatorVersion = nil
    #expect(criterion.matches(candidate))
  }

  @Test(arguments: [
    #"{}"#, #"{"accepted": {}}"#, #"{"accepted": [[]]}"#, #"{"accepted": [[{"aaid": []}]]}"#,
    #"{"accepted": [[{"aaid": ["FFFF-F001"]}]]}"#, #"{"accepted": [[{"aaid": null}]]}"#,
    #"{"accepted": [[{"aaid": "FFFF#F001"}]]}"#, #"{"accepted": [[{"aaid": ["FFFF#F001"], "aaids": []}]]}"#,
    #"{"accepted": [[{"aaid": ["FFFF#F001"]}]], "disallowed": []}"#,
    #"{"accepted": [[{"aaid": ["FFFF#F001"]}]], "allowed": [[]]}"#,
    #"{"accepted": [[{"authenticationAlgorithms": [65536], "assertionSchemes": ["UAFV1TLV"]}]]}"#,
    #"{"accepted": [[{"authenticationAlgorithms": [1], "assertionSchemes": ["UAFV1TLV"], "keyProtection": -1}]]}"#,
    #"{"accepted": [[{"authenticationAlgorithms": [1], "assertionSchemes": ["UAFV1TLV"], "vendorID": "FFFF"}]]}"#,
    #"{"accepted": [[{"aaid": ["FFFF#F001"], "exts": [{"id": "x", "data": ""}]}]]}"#,
    #"{"accepted": [[{"vendorID": ["FFFG"]}]]}"#, #"{"accepted": [[{"vendorID": ["FFF"]}]]}"#,
    #"{"accepted": [[{"vendorID": ["FFFF"], "keyIDs": ["AAAA"]}]]}"#, #"{"accepted": [[{"keyIDs": ["x"]}]]}"#,
  ]) func refusesWhatIsNoPolicy(text: String) throws {
    let json = try JSONValue.parse(text)
    #expect(throws: ExpectationError.self) { try UAFAcceptancePolicy(json: json, strict: false) }
  }
}
