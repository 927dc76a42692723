import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// Requests as they are made, and known again.
@Suite struct UAFRelyingPartyTests {
  private let ceremony: UAFCeremony
  private let party: UAFRelyingParty
  private let now = UAFCeremony.now

  init() throws {
    ceremony = try UAFCeremony()
    party = try ceremony.prepared()
  }

  private func received(
    _ issued: UAFIssuedRequest, _ bend: (inout JSONObject) -> Void = { _ in }
  ) throws -> UAFReceivedResponse {
    let request = try JSONValue.parse(issued.message)
    let final = ceremony.client.finalChallenge(for: request)
    let assertion = try ceremony.authenticator.registration(finalChallengeHash: final.hash)
    var response = ceremony.client.response(to: request, finalChallenge: final.text, assertions: [assertion])
    bend(&response)
    return try UAFReceivedResponse(json: [.object(response)])
  }

  @Test func aRegistrationRequestHasItsMembers() throws {
    let record = try ceremony.record()
    let issued = try party.registrationRequest(for: "u1", username: "mira", registered: [record], at: now)
    let json = try JSONValue.parse(issued.message)
    #expect(json.arrayValue?.count == 1)
    #expect(json[0]?["header"]?["op"] == "Reg" && json[0]?["header"]?["upv"] == ["major": 1, "minor": 1])
    #expect(json[0]?["header"]?["appID"] == "https://rp.example/uaf/facets")
    #expect(json[0]?["header"]?["serverData"] == .string(issued.serverData))
    #expect(issued.serverData.utf8.count <= 1536)
    #expect(json[0]?["username"] == "mira" && json[0]?["challenge"] == .string(issued.challenge))
    #expect(try Base64URL.decode(issued.challenge).count == 32)
    #expect(json[0]?["policy"]?["accepted"] == [[["aaid": ["FFFF#F001"]]]])
    #expect(
      json[0]?["policy"]?["disallowed"] == [["aaid": ["FFFF#F001"], "keyIDs": [.string(record.keyIDText)]]])
    #expect(issued.expiresAt == now + 300_000)
  }

  @Test func everyVersionGetsAnEntry() throws {
    var party = party
    party.versions = [.uaf11, .uaf10]
    party.appID = nil
    let json = try JSONValue.parse(try party.registrationRequest(for: "u1", username: "mira", at: now).message)
    #expect(json.arrayValue?.map { $0["header"]?["upv"]?["minor"] } == [1, 0])
    #expect(json[0]?["challenge"] == json[1]?["challenge"] && json[0]?["header"]?["appID"] == nil)
  }

  /// What a client answers with a model that does not speak the version is refused, after somebody was verified.
  @Test func anEntryNamesModelsOfItsVersion() throws {
    func statement(_ aaid: String, _ minor: Int64) -> JSONValue {
      var statement = ceremony.authenticator.metadata()
      statement["aaid"] = .string(aaid)
      statement["upv"] = [["major": 1, "minor": .integer(minor)]]
      return .object(statement)
    }
    var party = party
    party.versions = [.uaf10, .uaf11]
    party.models = try UAFModels(json: [statement("FFFF#F001", 0), statement("FFFF#F002", 1)])
    func policies(_ policy: UAFAcceptancePolicy, _ records: [UAFRegistrationRecord]? = nil) throws -> JSONValue {
      party.policy = policy
      let issued =
        if let records {
          try party.authenticationRequest(for: "u1", registered: records, at: now)
        } else { try party.registrationRequest(for: "u1", username: "mira", at: now) }
      let entries = try JSONValue.parse(issued.message).arrayValue ?? []
      return .array(entries.map { [$0["header"]?["upv"]?["minor"] ?? .null, $0["policy"] ?? .null] })
    }
    let (old, new) = (UAFAcceptanceCriteria(aaids: ["FFFF#F001"]), UAFAcceptanceCriteria(aaids: ["FFFF#F002"]))
    let any = UAFAcceptanceCriteria(aaids: ["FFFF#F001", "FFFF#F002"])
    let wanted: JSONValue = [
      [0, ["accepted": [[["aaid": ["FFFF#F001"]]]]]], [1, ["accepted": [[["aaid": ["FFFF#F002"]]]]]],
    ]
    #expect(try policies(UAFAcceptancePolicy(accepted: [[old], [new]])) == wanted)
    #expect(try policies(UAFAcceptancePolicy(accepted: [[any]])) == wanted)
    #expect(
      try policies(UAFAcceptancePolicy(accepted: [[new]])) == [[1, ["accepted": [[["aaid": ["FFFF#F002"]]]]]]])
    // A criterion that names none.
    var fingers = UAFAcceptanceCriteria()
    fingers.userVerification = 2
    let open: JSONValue = [["userVerification": 2]]
    #expect(
      try policies(UAFAcceptancePolicy(accepted: [[fingers]])) == [
        [0, ["accepted": [open], "disallowed": [["aaid": ["FFFF#F002"]]]]],
        [1, ["accepted": [open], "disallowed": [["aaid": ["FFFF#F001"]]]]],
      ])
    #expect(throws: UAFRelyingParty.RequestError.policy) {
      try policies(UAFAcceptancePolicy(accepted: [[old, new]]))
    }
    let record = try ceremony.record()
    let key: JSONValue = ["aaid": ["FFFF#F001"], "keyIDs": [.string(record.keyIDText)]]
    #expect(try policies(UAFAcceptancePolicy(accepted: [[any]]), [record]) == [[0, ["accepted": [[key]]]]])
    party.versions = [.uaf11]
    #expect(throws: UAFRelyingParty.RequestError.noKeys) {
      try policies(UAFAcceptancePolicy(accepted: [[any]]), [record])
    }
  }

  /// The header of the response repeats what was asked for.
  @Test func asksForExtensions() throws {
    var ceremony = ceremony
    ceremony.party.extensions = [
      .userVerificationMethod, UAFRequestedExtension(id: "org.example.own", data: "AA", failIfUnknown: true),
    ]
    let party = try ceremony.prepared()
    let issued = try party.registrationRequest(for: "u1", username: "mira", at: now)
    let header = try JSONValue.parse(issued.message)[0]?["header"]
    #expect(
      header?["exts"] == [
        ["id": "fido.uaf.uvm", "data": "", "fail_if_unknown": false],
        ["id": "org.example.own", "data": "AA", "fail_if_unknown": true],
      ])
    let pending = try party.pending(try received(issued), at: now)
    #expect(try party.expectation(pending).extensionIDs == ["fido.uaf.uvm", "org.example.own"])
    #expect(try ceremony.authenticate().signers.count == 1)
    let removal = try JSONValue.parse(try party.deregistrationRequest(for: [try ceremony.record()]))
    #expect(removal[0]?["header"]?["exts"] == nil)
    for bad in ["", String(repeating: "x", count: 33)] {
      ceremony.party.extensions = [UAFRequestedExtension(id: bad)]
      #expect(throws: UAFRelyingParty.RequestError.extensions) { try ceremony.register() }
    }
  }

  @Test func anAuthenticationRequestNamesTheUsersKeys() throws {
    var other = try ceremony.record()
    other.keyID[0] = 1
    let records = [try ceremony.record(), other]
    let text = try UAFTransactionContent(text: "Pay?")
    let issued = try party.authenticationRequest(for: "u1", registered: records, transactions: [text], at: now)
    let json = try JSONValue.parse(issued.message)
    #expect(
      json[0]?["policy"]?["accepted"]
        == [[["aaid": ["FFFF#F001"], "keyIDs": .array(records.map { .string($0.keyIDText) })]]])
    #expect(json[0]?["transaction"] == [["contentType": "text/plain", "content": "UGF5Pw"]])
    let anybody = try JSONValue.parse(try party.authenticationRequest(for: nil, registered: [], at: now).message)
    #expect(anybody[0]?["policy"]?["accepted"] == [[["aaid": ["FFFF#F001"]]]])
    #expect(anybody[0]?["transaction"] == nil)
    #expect(throws: UAFRelyingParty.RequestError.transactions) {
      try party.authenticationRequest(for: nil, registered: [], transactions: [text, text], at: now)
    }
  }

  @Test func aSetOfTwoStaysASetOfTwo() throws {
    var other = ceremony.authenticator
    other.aaid = "FFFF#F002"
    var party = party
    party.models = try UAFModels(json: [.object(ceremony.authenticator.metadata()), .object(other.metadata())])
    party.policy = UAFAcceptancePolicy(accepted: [
      [UAFAcceptanceCriteria(aaids: ["FFFF#F001"]), UAFAcceptanceCriteria(aaids: ["FFFF#F002"])]
    ])
    let first = try ceremony.record()
    var second = first
    second.aaid = "FFFF#F002"
    second.keyID[0] = 2
    let issued = try party.authenticationRequest(for: "u1", registered: [first, second], at: now)
    let sets = try JSONValue.parse(issued.message)[0]?["policy"]?["accepted"]
    #expect(sets?.arrayValue?.count == 1 && sets?[0]?.arrayValue?.count == 2)
    #expect(sets?[0]?[1] == ["aaid": ["FFFF#F002"], "keyIDs": [.string(second.keyIDText)]])
    #expect(throws: UAFRelyingParty.RequestError.noKeys) {
      try party.authenticationRequest(for: "u1", registered: [first], at: now)
    }
  }

  @Test func knowsItsOwnRequestsForTheirPurposeAndTime() throws {
    let issued = try party.registrationRequest(for: "u1", username: "mira", context: "a", at: now)
    let response = try received(issued)
    let pending = try party.pending(response, context: "a", at: now + 299_999)
    #expect(pending.subject == "u1" && pending.challenge == issued.challenge && pending.operation == .registration)
    #expect(try uafRefusal { try party.pending(response, context: "a", at: now + 300_000) } == .requestExpired)
    #expect(try uafRefusal { try party.pending(response, context: "b", at: now) } == .serverDataInvalid)
    let stranger = UAFRelyingParty(
      appID: party.appID, facets: party.facets, policy: party.policy, models: party.models,
      key: SecretBytes([UInt8](repeating: 8, count: 32)))
    #expect(try uafRefusal { try stranger.pending(response, context: "a", at: now) } == .serverDataInvalid)
    let other = try received(issued) { response in
      var header = response["header"]?.objectValue ?? [:]
      header["op"] = "Auth"
      response["header"] = .object(header)
    }
    #expect(try uafRefusal { try party.pending(other, context: "a", at: now) } == .operationMismatch)
  }

  @Test func noBitOfTheServerDataCanBeChanged() throws {
    let issued = try party.registrationRequest(for: "u1", username: "mira", at: now)
    let bytes = try Base64URL.decode(issued.serverData)
    for index in bytes.indices {
      var bent = bytes
      bent[index] ^= 1 << UInt8(index % 8)
      let response = try received(issued) { response in
        var header = response["header"]?.objectValue ?? [:]
        header["serverData"] = .string(Base64URL.encode(bent))
        response["header"] = .object(header)
      }
      #expect(try uafRefusal { try party.pending(response, at: now) } == .serverDataInvalid)
    }
  }

  @Test func oneChallengeIsAnotherEachTime() throws {
    let first = try party.registrationRequest(for: "u1", username: "mira", at: now)
    let second = try party.registrationRequest(for: "u1", username: "mira", at: now)
    #expect(first.challenge != second.challenge)
    // A response to one is none to the other.
    let response = try received(first)
    var expectation = try party.expectation(try party.pending(response, at: now))
    expectation.challenge = second.challenge
    #expect(try uafRefusal { try expectation.verifyRegistration(response, at: 0) } == .challengeMismatch)
  }

  @Test func namesAndPoliciesAreBounded() throws {
    for name in ["", String(repeating: "a", count: 129)] {
      #expect(throws: UAFRelyingParty.RequestError.name) {
        try party.registrationRequest(for: "u1", username: name, at: now)
      }
    }
    let long = try party.registrationRequest(
      for: String(repeating: "u", count: 512), username: String(repeating: "名", count: 128),
      context: String(repeating: "x", count: 128), at: now)
    #expect(long.serverData.utf8.count <= 1536)
    #expect(throws: UAFRelyingParty.RequestError.name) {
      try party.registrationRequest(for: String(repeating: "u", count: 513), username: "m", at: now)
    }
    // Each character has six in the server data, which hold no more.
    #expect(throws: UAFRelyingParty.RequestError.name) {
      try party.registrationRequest(for: String(repeating: "\u{1}", count: 512), username: "m", at: now)
    }
    var empty = party
    empty.policy.accepted = []
    #expect(throws: UAFRelyingParty.RequestError.policy) {
      try empty.registrationRequest(for: "u1", username: "m", at: now)
    }
  }

  /// However an origin is written, what clients send is its one form.
  @Test(arguments: [
    ("https://rp.example", "https://rp.example"), ("https://RP.Example:443/", "https://rp.example"),
    ("https://[2001:DB8::1]:8443", "https://[2001:db8::1]:8443"), ("https://rp.example:0443", "https://rp.example"),
    ("android:apk-key-hash:Ab+/1", "android:apk-key-hash:Ab+/1"), ("http://rp.example", nil),
    ("https://rp.example/x", nil), ("https://rp.example?x", nil), ("https://m@rp.example", nil), ("https://", nil),
    ("https:rp.example", nil), ("https://rp.example:", nil), ("https://rp.example:65536", nil),
    ("https://[::1", nil), ("https://[]", nil), ("https://rp.example//", nil), ("x", nil), ("", nil), ("a: b", nil),
    ("linux:exe:\u{E9}", nil),
  ]) func writesAFacetInItsOneForm(text: String, form: String?) throws {
    #expect(UAFFacet.normalized(text) == form)
    guard let form else { return }
    var ceremony = ceremony
    ceremony.party.facets = [text]
    ceremony.client.facetID = form
    #expect(try !ceremony.register().registrations.isEmpty)
  }

  @Test func listsItsFacets() {
    let facets = UAFTrustedFacets(versions: [.uaf11], ids: ["https://rp.example"])
    #expect(
      facets.json == ["trustedFacets": [["version": ["major": 1, "minor": 1], "ids": ["https://rp.example"]]]])
  }

  @Test func everyCheckHasAStepAndAStatusCode() {
    for code in UAFVerificationError.Code.allCases {
      #expect(!code.step.isEmpty && (1400..<1500).contains(code.statusCode.rawValue))
    }
    #expect(UAFVerificationError.Code.keyUnknown.statusCode.rawValue == 1481)
    #expect(UAFVerificationError.Code.keyNotAdmitted.statusCode.rawValue == 1403)
    #expect(UAFVerificationError.Code.modelUnknown.statusCode.rawValue == 1480)
    #expect(UAFVerificationError.Code.requestUsed.statusCode.rawValue == 1491)
  }
}
