import AuthenticatorCoding
import AuthenticatorKit
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import TestMachine
import Testing

/// python-fido2 and py_webauthn judge what our client and authenticator emit.
@Suite(.enabled(if: Skips.unless(Judge.python != nil), "AUTHENTICATOR_PYTHON names no interpreter with the judges"))
struct WebAuthnJudgeTests {
  enum Form: String, CaseIterable { case none, packed, chain }

  private func verdicts(
    _ cases: [JSONValue], _ authority: AttestationAuthority, by judges: [String] = ["fido2", "webauthn"]
  ) async throws -> [JSONValue] {
    let input: JSONValue = [
      "rpId": .string(Passkeys.relyingPartyID), "origin": .string(Passkeys.origin),
      "root": .string(try authority.rootPEM), "cases": .array(cases),
    ]
    let verdict = try await Judge.run("verify_webauthn.py", input: input.serializedString(), arguments: judges)
    #expect(verdict.status == 0, "\(verdict.complaint)")
    return try JSONValue.parse(verdict.output).arrayValue ?? []
  }

  @Test func twoLibrariesVerifyEveryAlgorithmAndForm() async throws {
    let authority = try AttestationAuthority()
    var cases: [JSONValue] = []
    for algorithm in Passkeys.algorithms {
      for form in Form.allCases {
        var passkeys = try Passkeys()
        if form == .chain {
          passkeys.configuration.attestation = .certified(authority.key)
          passkeys.configuration.aaguid = try #require(AAGUID(AttestationAuthority.model))
        }
        passkeys.person([.match(), .match(), .match()])
        let client = try await passkeys.client()
        let registration = try await client.create(
          json: Passkeys.creation(algorithm, attestation: form == .none ? "none" : "direct"), caller: Passkeys.caller)
        var assertions: [JSONValue] = []
        for ids in [[], [registration["id"] ?? .null]] {
          assertions.append(try await client.get(json: Passkeys.request(ids), caller: Passkeys.caller))
        }
        cases.append([
          "form": .string(form.rawValue), "challenge": .string(Passkeys.challenge), "registration": registration,
          "authentications": .array(assertions),
        ])
      }
    }
    let verdicts = try await verdicts(cases, authority)
    #expect(verdicts.count == 18)
    for (index, verdict) in verdicts.enumerated() {
      let algorithm = Passkeys.algorithms[index / 3]
      let form = Form.allCases[index % 3]
      let name: JSONValue = .string(form.rawValue)
      #expect(verdict["fido2"]?["attestation"] == name, "\(algorithm), \(form)")
      #expect(verdict["fido2"]?["algorithm"]?.intValue == algorithm.rawValue, "\(algorithm), \(form)")
      #expect(verdict["fido2"]?["counters"] == [0, 1, 2] && verdict["fido2"]?["flags"] == 0x45)
      guard algorithm != .es384 else {
        #expect(verdict["webauthn"] == .null)
        continue
      }
      #expect(verdict["webauthn"]?["attestation"] == (form == .none ? "none" : "packed"), "\(algorithm), \(form)")
      #expect(verdict["webauthn"]?["algorithm"]?.intValue == algorithm.rawValue, "\(algorithm), \(form)")
      #expect(verdict["webauthn"]?["counters"] == [0, 1, 2])
    }
  }

  @Test(arguments: [SignatureAlgorithm.es384, .edDSA, .rs256])
  func anAttestationKeyMayBeOfAnyAlgorithm(_ algorithm: SignatureAlgorithm) async throws {
    let authority = try AttestationAuthority(algorithm)
    var passkeys = try Passkeys()
    passkeys.configuration.attestation = .certified(authority.key)
    passkeys.configuration.aaguid = try #require(AAGUID(AttestationAuthority.model))
    passkeys.person([.match(), .match()])
    let client = try await passkeys.client()
    let registration = try await client.create(json: Passkeys.creation(), caller: Passkeys.caller)
    let assertion = try await client.get(json: Passkeys.request(), caller: Passkeys.caller)
    let verdict = try await verdicts(
      [
        [
          "form": "chain", "challenge": .string(Passkeys.challenge), "registration": registration,
          "authentications": [assertion],
        ]
      ], authority, by: algorithm == .es384 ? ["fido2"] : ["fido2", "webauthn"])
    #expect(verdict.first?["fido2"]?["attestation"] == "chain")
  }

  @Test func extensionOutputsAreWhatOthersRead() async throws {
    var passkeys = try Passkeys()
    passkeys.configuration.minimumPINLength = 6
    passkeys.configuration.minimumPINLengthParties = [Passkeys.relyingPartyID]
    passkeys.person(Array(repeating: .match(), count: 4))
    let client = try await passkeys.client()
    let registration = try await client.create(
      json: Passkeys.creation(
        extensions: [
          "credProps": true, "credentialProtectionPolicy": "userVerificationRequired",
          "enforceCredentialProtectionPolicy": true, "minPinLength": true, "credBlob": "AAECAw", "uvm": true,
          "hmacCreateSecret": true, "prf": ["eval": ["first": "AQ", "second": "Ag"]],
          "largeBlob": ["support": "required"], "unheardOf": ["a": 1],
        ]), caller: Passkeys.caller)
    let id = registration["id"] ?? .null
    var assertions: [JSONValue] = []
    for extensions: JSONValue in [
      ["uvm": true, "getCredBlob": true, "prf": ["eval": ["first": "AQ", "second": "Ag"]]],
      ["largeBlob": ["write": "aGVsbG8"]], ["largeBlob": ["read": true]],
    ] {
      assertions.append(
        try await client.get(json: Passkeys.request([id], extensions: extensions), caller: Passkeys.caller))
    }
    let verdicts = try await verdicts(
      [
        [
          "form": "packed", "challenge": .string(Passkeys.challenge), "registration": registration,
          "authentications": .array(assertions),
        ]
      ], try AttestationAuthority())
    let judged = try #require(verdicts.first?["fido2"])
    // What was signed.
    let signed = try #require(judged["extensions"]?.arrayValue)
    #expect(signed[0].objectValue?.names.sorted() == ["credBlob", "credProtect", "hmac-secret", "minPinLength", "uvm"])
    #expect(signed[0]["credProtect"] == 3 && signed[0]["minPinLength"] == 6 && signed[0]["hmac-secret"] == true)
    #expect(signed[1]["credBlob"] == "AAECAw" && signed[1]["uvm"]?[0]?[0] == 2)
    #expect(signed[1]["hmac-secret"] == nil, "the secrets never stand in what a server sees signed")
    #expect(signed[2] == .null && signed[3] == .null)
    // What the client says.
    let results = try #require(judged["results"]?.arrayValue)
    #expect(results[0]["credProps"]?["rk"] == true && results[0]["credBlob"] == true)
    #expect(results[0]["largeBlob"]?["supported"] == true && results[0]["hmacCreateSecret"] == true)
    #expect(results[0]["prf"]?["enabled"] == true && results[0]["unheardOf"] == nil)
    let secrets = try #require(results[0]["prf"]?["results"])
    #expect(secrets["first"] != secrets["second"])
    #expect(try Base64URL.decode(secrets["first"]?.stringValue ?? "").count == 32)
    #expect(results[1]["prf"]?["results"] == secrets, "an assertion derives what the registration derived")
    #expect(results[1]["getCredBlob"] == "AAECAw")
    #expect(results[2]["largeBlob"]?["written"] == true && results[3]["largeBlob"]?["blob"] == "aGVsbG8")
  }
}
