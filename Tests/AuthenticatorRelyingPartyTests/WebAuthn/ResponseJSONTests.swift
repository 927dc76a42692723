import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestCertificates
import Testing

/// Responses and expectations as the command-line tool hands them over.
@Suite struct ResponseJSONTests {
  private func registrationJSON(_ response: ReceivedRegistration) -> JSONObject {
    let id = JSONValue.string(Base64URL.encode(response.id))
    return [
      "id": id, "rawId": id, "type": "public-key", "authenticatorAttachment": "platform",
      "clientExtensionResults": ["credProps": ["rk": true]],
      "response": [
        "clientDataJSON": .string(Base64URL.encode(response.clientDataJSON)),
        "attestationObject": .string(Base64URL.encode(response.attestationObject)), "transports": ["internal", "usb"],
      ],
    ]
  }

  private func authenticationJSON(_ response: ReceivedAuthentication) -> JSONObject {
    let id = JSONValue.string(Base64URL.encode(response.id))
    return [
      "id": id, "rawId": id, "type": "public-key", "clientExtensionResults": [:],
      "response": [
        "clientDataJSON": .string(Base64URL.encode(response.clientDataJSON)),
        "authenticatorData": .string(Base64URL.encode(response.authenticatorData)),
        "signature": .string(Base64URL.encode(response.signature)),
        "userHandle": response.userHandle.map { .string(Base64URL.encode($0)) } ?? .null,
      ],
    ]
  }

  @Test func verifiesAWholeRoundTripInJSON() throws {
    let ceremony = try Ceremony()
    let challenge = JSONValue.string(Base64URL.encode(ceremony.challenge))
    let registration = try RegistrationExpectation(json: [
      "challenge": challenge, "origins": ["https://example.org"], "rpId": "example.org",
      "userVerification": "required", "algorithms": [-7, -257], "attestation": "direct", "userHandle": "BQ",
    ])
    let response = try ReceivedRegistration(json: .object(registrationJSON(try ceremony.selfAttested())))
    #expect(response.transports == ["internal", "usb"])
    #expect(response.clientExtensionResults == ["credProps": ["rk": true]])
    let verdict = try registration.verify(response, at: Ceremony.now).json
    #expect(verdict["verified"] == true)
    #expect(verdict["credential"]?["attestation"] == ["format": "packed", "type": "self", "trusted": false])
    #expect(verdict["credential"]?["aaguid"] == "a0a0a0a0-a0a0-a0a0-a0a0-a0a0a0a0a0a0")
    #expect(verdict["credential"]?["userHandle"] == "BQ")

    let credential = try WebAuthnCredentialRecord(json: try #require(verdict["credential"]))
    let authentication = try AuthenticationExpectation(json: [
      "challenge": challenge, "origins": ["https://example.org"], "rpId": "example.org",
      "allowCredentials": [.string(Base64URL.encode(ceremony.credentialID))], "userHandle": nil,
      "credential": try #require(verdict["credential"]),
    ])
    let assertion = try ReceivedAuthentication(
      json: .object(authenticationJSON(try ceremony.authentication.assertion(userHandle: [5]))))
    let result = try authentication.verify(assertion, with: credential).json
    #expect(result["verified"] == true)
    #expect(result["credential"]?["signCount"] == 8)
    #expect(result["flags"] == ["UP": true, "UV": true, "BE": false, "BS": false, "AT": false, "ED": false])

    let replay = #expect(throws: WebAuthnVerificationError.self) {
      try authentication.verify(
        assertion, with: try WebAuthnCredentialRecord(json: try #require(result["credential"])))
    }
    #expect(
      replay?.json == ["verified": false, "error": "signCountMismatch", "step": "signature counter"])
  }

  @Test func refusesResponsesOutOfForm() throws {
    let ceremony = try Ceremony()
    let valid = registrationJSON(ceremony.registration())
    let bends: [(Code, (inout JSONObject) -> Void)] = [
      (.responseMalformed, { $0["id"] = nil }), (.responseMalformed, { $0["rawId"] = 5 }),
      (.responseMalformed, { $0["id"] = .string(($0["id"]?.stringValue ?? "") + "=") }),
      (.responseMalformed, { $0["type"] = nil }), (.responseMalformed, { $0["response"] = nil }),
      (.responseMalformed, { $0["response"] = ["clientDataJSON": "AA"] }),
      (.responseMalformed, { $0["clientExtensionResults"] = [] }),
      (.credentialTypeMismatch, { $0["type"] = "password" }),
      (.credentialIDMismatch, { $0["rawId"] = "AAAA" }),
    ]
    for (number, (code, bend)) in bends.enumerated() {
      var json = valid
      bend(&json)
      let found = refusal { () throws(WebAuthnVerificationError) in try ReceivedRegistration(json: .object(json)) }
      #expect(found == code, "bend \(number)")
    }
    let assertion = authenticationJSON(try ceremony.authentication.assertion())
    for name in ["clientDataJSON", "authenticatorData", "signature"] {
      var response = try #require(assertion["response"]?.objectValue)
      response[name] = "A+/="
      var json = assertion
      json["response"] = .object(response)
      #expect(throws: WebAuthnVerificationError(.responseMalformed)) { try ReceivedAuthentication(json: .object(json)) }
    }
    #expect(throws: WebAuthnVerificationError(.responseMalformed)) { try ReceivedAuthentication(json: []) }
  }

  @Test func expectationsNameTheMemberThatIsWrong() throws {
    let valid: JSONObject = ["challenge": "AQID", "origins": ["https://example.org"], "rpId": "example.org"]
    _ = try RegistrationExpectation(json: .object(valid))
    let bends: [(String, JSONValue?)] = [
      ("challenge", nil), ("challenge", "*"), ("origins", []), ("origins", "https://example.org"), ("rpId", 1),
      ("crossOrigin", "yes"), ("algorithms", ["ES256"]), ("attestation", "full"), ("trustAnchors", ["no PEM"]),
      ("trustAnchors", [1]), ("userHandle", "*"), ("topOrigins", [1]),
      // An empty challenge is one that nobody sent; a word that is misspelled must not mean less than the right one.
      ("challenge", ""), ("rpId", ""), ("userHandle", ""), ("userVerification", "Required"),
      ("mediation", "Conditional"), ("revocationLists", ["no PEM"]),
      ("revocationLists", "x"), ("enforceRevocationCheck", "yes"),
      ("userHandle", .string(Base64URL.encode([UInt8](repeating: 1, count: 65)))),
    ]
    for (name, value) in bends {
      var json = valid
      json[name] = value
      #expect(throws: ExpectationError(name)) { try RegistrationExpectation(json: .object(json)) }
    }
    for (name, value) in [("allowCredentials", ["*"]), ("signCountPolicy", "maybe"), ("userHandle", 5)]
      as [(String, JSONValue)]
    {
      var json = valid
      json[name] = value
      #expect(throws: ExpectationError(name)) { try AuthenticationExpectation(json: .object(json)) }
    }
    for (name, value) in [
      ("id", nil), ("publicKey", "AA"), ("signCount", -1), ("aaguid", "x"), ("backedUp", "no"),
      ("attestation.type", ["type": "full"]),
    ] as [(String, JSONValue?)] {
      var json = try #require(try Ceremony().record().json.objectValue)
      json[name == "attestation.type" ? "attestation" : name] = value
      #expect(throws: ExpectationError("credential.\(name)")) { try WebAuthnCredentialRecord(json: .object(json)) }
    }
  }

  @Test func readsTrustAnchorsInPEM() throws {
    let packed = try TestPackedAttestation()
    let expectation = try RegistrationExpectation(json: [
      "challenge": .string(Base64URL.encode(packed.ceremony.challenge)), "origins": ["https://example.org"],
      "rpId": "example.org", "attestation": "direct",
      "trustAnchors": [.string(try packed.root.certificate().pemRepresentation)],
    ])
    let verdict = try expectation.verify(try packed.response(), at: Ceremony.now)
    #expect(verdict.json["credential"]?["attestation"]?["trusted"] == true)
  }

  @Test func accountsAreKnownUnknownOrUnstated() throws {
    var json: JSONObject = ["challenge": "AQID", "origins": ["https://example.org"], "rpId": "example.org"]
    #expect(try AuthenticationExpectation(json: .object(json)).account == .unspecified)
    json["userHandle"] = .null
    #expect(try AuthenticationExpectation(json: .object(json)).account == .unknown)
    json["userHandle"] = "BQ"
    #expect(try AuthenticationExpectation(json: .object(json)).account == .known([5]))
  }
}
