import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestCertificates
import TestUAF
import Testing

/// Every check of a registration refuses what it is there for, with its own error.
@Suite struct UAFRegistrationTests {
  func refusal(
    _ ceremony: UAFCeremony? = nil, _ bend: (inout UAFCeremony.Bends) -> Void
  ) throws -> UAFVerificationError.Code? {
    let ceremony = try ceremony ?? UAFCeremony()
    return try uafRefusal { try ceremony.register(bend) }
  }

  @Test func storesWhatTheAuthenticatorSaid() throws {
    let ceremony = try UAFCeremony {
      $0.signCounter = 3
      $0.state = [9, 9]
      $0.version = 2
    }
    let verdict = try ceremony.register()
    #expect(verdict.facetID == "https://rp.example" && verdict.refused.isEmpty)
    let record = try #require(verdict.registrations.first)
    #expect(record.aaid == "FFFF#F001" && record.keyID == ceremony.authenticator.keyID)
    #expect(record.publicKey == (try ceremony.authenticator.publicKey))
    #expect(record.signCounter == 3 && record.registrationCounter == 1 && record.authenticatorVersion == 2)
    #expect(record.userVerificationState == [9, 9] && record.attestationType == 15880)
    #expect(try UAFRegistrationRecord(json: record.json) == record)
  }

  @Test(arguments: [
    (0x0001, 0x0100, "ES256"), (0x0002, 0x0101, "ES256"), (0x0001, 0x0101, "ES256"), (0x0003, 0x0102, "PS256"),
    (0x0004, 0x0103, "PS256"), (0x0008, 0x0102, "RS256"), (0x0009, 0x0103, "RS256"),
  ]) func verifiesEveryFormOfSignatureAndKey(algorithm: Int, form: Int, name: String) throws {
    var ceremony = try UAFCeremony()
    ceremony.authenticator.algorithm = UInt16(algorithm)
    ceremony.authenticator.keyForm = UInt16(form)
    ceremony.authenticator.key = try PrivateKey.generate(SignatureAlgorithm(rawValue: name))
    let record = try ceremony.record()
    ceremony.authenticator.signCounter = 1
    #expect(try ceremony.authenticate([record]).signers.first?.registration.signCounter == 1)
    // The same signature in the algorithm's other form is none.
    let other: (@Sendable ([UInt8]) -> [UInt8]) =
      switch algorithm {
      case 1: { (try? Signature(raw: $0, algorithm: .es256).derRepresentation) ?? [] }
      case 2: { (try? Signature(der: $0, algorithm: .es256).rawRepresentation) ?? [] }
      case 4, 9: { Array($0.dropFirst(4)) }
      default: { [0x04, 0x82, 0x01, 0x00] + $0 }
      }
    let code = try uafRefusal { try ceremony.authenticate([record]) { $0.assertion = { $0.signature = other } } }
    #expect(code == .signatureFormInvalid)
  }

  // MARK: The message

  @Test func refusesAnotherOperationVersionAppOrServerData() throws {
    func header(_ name: String, _ value: JSONValue) -> (inout UAFCeremony.Bends) -> Void {
      {
        $0.response = { response in
          var header = response["header"]?.objectValue ?? [:]
          header[name] = value
          response["header"] = .object(header)
        }
      }
    }
    #expect(try refusal(nil, header("upv", ["major": 1, "minor": 0])) == .versionUnsupported)
    #expect(try refusal(nil, header("op", "Auth")) == .operationMismatch)
    #expect(try refusal(nil, header("op", "Other")) == .messageMalformed)
    #expect(try refusal(nil, header("appID", "https://other.example/facets")) == .appIDMismatch)
    #expect(try refusal(nil, header("serverData", "AAAA")) == .serverDataInvalid)
    #expect(
      try refusal(nil, header("exts", [["id": "x", "data": "", "fail_if_unknown": true]])) == .extensionUnknown)
    #expect(try refusal(nil, header("exts", [["id": "x", "data": "", "fail_if_unknown": false]])) == nil)
    #expect(try refusal(nil, header("exts", [])) == .messageMalformed)
    #expect(try refusal(nil, header("appID", .null)) == .messageMalformed)
  }

  @Test func comparesTheServerDataOfTheRequest() throws {
    #expect(try refusal { $0.expectation = { $0.serverData = "other" } } == .serverDataInvalid)
    #expect(try refusal { $0.expectation = { $0.serverData = nil } } == .serverDataInvalid)
  }

  @Test func refusesAnotherFinalChallenge() throws {
    #expect(try refusal { $0.final = { $0["challenge"] = "AAAA" } } == .challengeMismatch)
    #expect(try refusal { $0.final = { $0["appID"] = "https://other.example" } } == .appIDMismatch)
    #expect(try refusal { $0.final = { $0["facetID"] = "https://other.example" } } == .facetUntrusted)
    #expect(try refusal { $0.final = { $0["facetID"] = "" } } == .finalChallengeMalformed)
    #expect(try refusal { $0.final = { $0["channelBinding"] = .null } } == .finalChallengeMalformed)
    #expect(try refusal { $0.final = { $0["channelBinding"] = ["tls": "x"] } } == .finalChallengeMalformed)
    #expect(try refusal { $0.response = { $0["fcParams"] = "e30" } } == .finalChallengeMalformed)
    #expect(try refusal { $0.response = { $0["fcParams"] = "e30=" } } == .finalChallengeMalformed)
    // Parameters that are right, and other ones than those that were hashed.
    let ceremony = try UAFCeremony()
    let code = try uafRefusal {
      try ceremony.register { bends in
        bends.response = { response in
          let text = response["fcParams"]?.stringValue ?? ""
          let json = try? JSONValue.parse(try Base64URL.decode(text)).objectValue
          let reordered = JSONObject((json?.members ?? []).reversed().map { ($0.name, $0.value) })
          response["fcParams"] = .string(Base64URL.encode(reordered.serialized()))
        }
      }
    }
    #expect(code == .finalChallengeHashMismatch)
  }

  @Test(arguments: [
    ("https://rp.example", true), ("https://rp.example:444", true), ("https://RP.example", true),
    ("ios:bundle-id:com.example.app", true), ("ios:bundle-id:com.example.app2", false),
    ("http://rp.example", false), ("https://rp.example.evil.example", false), ("https://evil@rp.example", false),
    ("https://rp.example/path", false), ("https://rp.example/", false), ("https://rp.example:.evil.example", false),
    ("https://rp.example:", false), ("https://rp.example?x", false), ("https://rp.example#x", false),
    ("https://rp.example#\u{0} x", false), ("https://rp.example\\@evil.example", false),
    ("https://login.rp.example", false), ("rp.example", false),
  ]) func trustsListedFacetsAndOriginsOfItsOwnHost(facet: String, isTrusted: Bool) throws {
    var ceremony = try UAFCeremony()
    ceremony.client.facetID = facet
    #expect(try uafRefusal { try ceremony.register() } == (isTrusted ? nil : .facetUntrusted))
  }

  @Test func takesTheFacetAsAppWhereNoneWasNamed() throws {
    var ceremony = try UAFCeremony()
    ceremony.party.appID = nil
    #expect(try ceremony.register().facetID == "https://rp.example")
    #expect(
      try uafRefusal { try ceremony.register { $0.final = { $0["appID"] = "https://rp.example/x" } } }
        == .appIDMismatch)
  }

  @Test func comparesWhatIsKnownOfTheConnection() throws {
    var ceremony = try UAFCeremony()
    // All members at their limits.
    let long = String(repeating: "A", count: UAFChannelBinding.maximumCertificateCharacters)
    let short = JSONValue.string(String(repeating: "A", count: UAFChannelBinding.maximumCharacters))
    ceremony.client.facetID = "linux:exe:" + String(repeating: "f", count: 502)
    ceremony.party.facets.append(ceremony.client.facetID)
    ceremony.party.appID = "https://rp.example/" + String(repeating: "a", count: 493)
    ceremony.client.channelBinding = [
      "tlsServerCertificate": .string(long), "serverEndPoint": short, "tlsUnique": short, "cid_pubkey": short,
    ]
    let longest = try ceremony.register { $0.expectation = { $0.channelBinding.tlsServerCertificate = long } }
    #expect(longest.facetID == ceremony.client.facetID)
    ceremony = try UAFCeremony()
    let binding: (inout UAFExpectation) -> Void = { $0.channelBinding.tlsServerCertificate = "AAEC" }
    #expect(try uafRefusal { try ceremony.register { $0.expectation = binding } } == nil)
    ceremony.client.channelBinding = ["tlsServerCertificate": "AAEC"]
    #expect(try uafRefusal { try ceremony.register { $0.expectation = binding } } == nil)
    ceremony.client.channelBinding = ["tlsServerCertificate": "AAED"]
    #expect(try uafRefusal { try ceremony.register { $0.expectation = binding } } == .channelBindingMismatch)
    ceremony.client.channelBinding = [:]
    let required: (inout UAFExpectation) -> Void = {
      binding(&$0)
      $0.requiresChannelBinding = true
    }
    #expect(try uafRefusal { try ceremony.register { $0.expectation = required } } == .channelBindingMismatch)
  }

  // MARK: The assertion

  @Test func refusesAssertionsThatSayOtherThings() throws {
    let point = [4] + [UInt8](repeating: 1, count: 64)
    for (tag, content, code): (UInt16, [UInt8], UAFVerificationError.Code) in [
      (0x2E0A, [UInt8](repeating: 1, count: 32), .finalChallengeHashMismatch),
      (0x2E0B, Array("FFFF#0BAD".utf8), .modelUnknown), (0x2E09, [UInt8](repeating: 1, count: 31), .keyIDInvalid),
      (0x2E0E, [0, 0, 1, 1, 0, 0, 1], .authenticatorVersionTooLow),
      (0x2E0E, [1, 0, 2, 1, 0, 0, 1], .authenticationModeInvalid),
      (0x2E0E, [1, 0, 1, 2, 0, 0, 1], .algorithmMismatch), (0x2E0E, [1, 0, 1, 1, 0, 1, 1], .publicKeyFormMismatch),
      (0x2E0C, point, .publicKeyInvalid), (0x2E0D, [0, 0, 0, 0, 0, 0, 1, 0], .counterImplausible),
    ] {
      #expect(try refusal { $0.assertion = { $0.signed.set(tag, content) } } == code)
    }
    for (tag, code): (UInt16, UAFVerificationError.Code?) in [
      (0x0105, .rawVerificationDataExposed), (0x2E7F, .criticalTagUnknown), (0x0E7F, nil),
    ] {
      #expect(try refusal { $0.assertion = { $0.signed.append(TestTLV(tag, [1])) } } == code)
    }
    let content = [TestTLV(0x2E13, Array("x".utf8)), TestTLV(0x2E14, [])]
    #expect(try refusal { $0.assertion = { $0.signed.append(TestTLV(0x3E11, parts: content)) } } == .extensionUnknown)
    #expect(try refusal { $0.assertion = { $0.after.append(TestTLV(0x3E11, parts: content)) } } == .extensionUnknown)
    #expect(try refusal { $0.assertion = { $0.signed.append(TestTLV(0x3E12, parts: content)) } } == nil)
    let half = TestTLV(0x3E12, parts: [content[0]])
    #expect(try refusal { $0.assertion = { $0.signed.append(half) } } == .assertionMalformed)
    #expect(
      try refusal {
        $0.response = { response in
          let assertion = response["assertions"]?[0]?["assertion"] ?? .null
          response["assertions"] = [["assertionScheme": "OTHER", "assertion": assertion]]
        }
      } == .schemeMismatch)
  }

  @Test func theModelIsNamedInAnyCaseAndKeyIDsInOne() throws {
    let ceremony = try UAFCeremony { $0.aaid = "ffff#f001" }
    let record = try ceremony.record()
    #expect(record.aaid == "FFFF#F001")
    let policy = UAFAcceptancePolicy(anyOf: ["FFFF#F001"])
    #expect(try uafRefusal { try ceremony.register { $0.expectation = { $0.policy = policy } } } == nil)
  }

  @Test func signsTheObjectWithItsHead() throws {
    #expect(try refusal { $0.assertion = { $0.message = { Array($0.dropFirst(4)) } } } == .attestationSignatureInvalid)
  }

  @Test func refusesAKeyThatIsThere() throws {
    let ceremony = try UAFCeremony()
    let record = try ceremony.record()
    let party = try ceremony.prepared()
    let request = try JSONValue.parse(
      try party.registrationRequest(for: "u1", username: "mira", at: UAFCeremony.now).message)
    let received = try UAFReceivedResponse(message: try ceremony.client.register(ceremony.authenticator, request))
    let expectation = try party.expectation(try party.pending(received, at: UAFCeremony.now))
    #expect(
      try uafRefusal { try expectation.verifyRegistration(received, registered: [record], at: 0) }
        == .alreadyRegistered)
    #expect(try uafRefusal { try expectation.verifyRegistration(received, at: 0) } == nil)
  }
}
