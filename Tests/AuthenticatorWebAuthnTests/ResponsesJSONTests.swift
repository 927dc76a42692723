import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorWebAuthn
import Testing

@Suite struct ResponsesJSONTests {
  private func registration(_ algorithm: SignatureAlgorithm = .es256) throws -> RegistrationResponse {
    let key = try COSEKey(try PrivateKey.generate(algorithm).publicKey, signatureAlgorithm: algorithm)
    let id = try #require(CredentialID([0xFB, 0xFF, 1]))
    let data = try AuthenticatorData(
      relyingPartyIDHash: [UInt8](repeating: 1, count: 32), flags: .userPresent, signCount: 0,
      attestedCredentialData: AttestedCredentialData(aaguid: .zero, credentialID: id, credentialPublicKey: key))
    return RegistrationResponse(
      id: id, authenticatorAttachment: .platform, clientExtensionResults: ["credProps": ["rk": true]],
      clientDataJSON: Array("{}".utf8),
      attestationObject: try AttestationObject(format: .none, authenticatorData: data).rawBytes,
      transports: [.internal])
  }

  private let authentication: AuthenticationResponse

  init() throws {
    authentication = AuthenticationResponse(
      id: try #require(CredentialID([0xFB, 0xFF])), clientDataJSON: [1], authenticatorData: [2], signature: [3],
      userHandle: [4])
  }

  private func bent(_ json: JSONValue, _ change: (inout JSONObject) -> Void) throws -> JSONValue {
    var object = try #require(json.objectValue)
    change(&object)
    return .object(object)
  }

  @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512, .edDSA, .rs256, .ps256])
  func registrationSurvivesARoundTrip(algorithm: SignatureAlgorithm) throws {
    let response = try registration(algorithm)
    let json = try response.json()
    #expect(try RegistrationResponse(json: json) == response)
    #expect(json["id"] == "-_8B")
    #expect(json["rawId"] == json["id"])
    #expect(json["type"] == "public-key")
    let inner = try #require(json["response"])
    #expect(inner["publicKeyAlgorithm"]?.intValue == COSEAlgorithmIdentifier(algorithm)?.rawValue)
    let key = try PublicKey(
      subjectPublicKeyInfo: try Base64URL.decode(try #require(inner["publicKey"]?.stringValue)))
    #expect(key.supports(algorithm))
    let data = try AuthenticatorData(
      rawBytes: try Base64URL.decode(try #require(inner["authenticatorData"]?.stringValue)))
    #expect(data.attestedCredentialData?.credentialPublicKey.publicKey == key)
  }

  @Test func transportsAreSortedAndUnique() throws {
    var response = try registration()
    response.transports = [.usb, .internal, .usb, .ble]
    #expect(try response.json()["response"]?["transports"] == ["ble", "internal", "usb"])
  }

  @Test func copiesMustAgree() throws {
    let json = try registration().json()
    let other = try registration().json()
    for name in ["authenticatorData", "publicKey"] {
      let bent = try bent(json) { object in
        var inner = object["response"]?.objectValue ?? [:]
        inner[name] = other["response"]?[name]
        object["response"] = .object(inner)
      }
      #expect(throws: WebAuthnJSONError(.contradiction, "response.\(name)")) { try RegistrationResponse(json: bent) }
    }
    let wrong = try bent(json) { object in
      var inner = object["response"]?.objectValue ?? [:]
      inner["publicKeyAlgorithm"] = -257
      object["response"] = .object(inner)
    }
    #expect(throws: WebAuthnJSONError(.contradiction, "response.publicKeyAlgorithm")) {
      try RegistrationResponse(json: wrong)
    }
  }

  @Test func authenticationSurvivesARoundTrip() throws {
    #expect(try AuthenticationResponse(json: authentication.json) == authentication)
    var anonymous = authentication
    anonymous.userHandle = nil
    #expect(anonymous.json["response"]?["userHandle"] == nil)
    #expect(try AuthenticationResponse(json: anonymous.json) == anonymous)
  }

  @Test func anEmptyUserHandleIsNone() throws {
    let json = try bent(authentication.json) { object in
      var inner = object["response"]?.objectValue ?? [:]
      inner["userHandle"] = ""
      object["response"] = .object(inner)
    }
    #expect(try AuthenticationResponse(json: json).userHandle == nil)
  }

  @Test func refusesResponsesOutOfForm() throws {
    let cases: [(WebAuthnJSONError, (inout JSONObject) -> Void)] = [
      (.init(.missing, "id"), { $0["id"] = nil }), (.init(.encoding, "id"), { $0["id"] = "-_8=" }),
      (.init(.contradiction, "rawId"), { $0["rawId"] = "AA" }), (.init(.missing, "type"), { $0["type"] = nil }),
      (.init(.contradiction, "type"), { $0["type"] = "password" }),
      (.init(.missing, "response"), { $0["response"] = nil }),
      (.init(.missing, "response.clientDataJSON"), { $0["response"] = [:] }),
      (.init(.wrongType, "clientExtensionResults"), { $0["clientExtensionResults"] = 1 }),
    ]
    for (error, change) in cases {
      let json = try bent(authentication.json, change)
      #expect(throws: error) { try AuthenticationResponse(json: json) }
    }
  }
}
