import AuthenticatorCoding
import AuthenticatorWebAuthn
import Testing

@Suite struct OptionsJSONTests {
  private let creation: JSONValue = [
    "rp": ["id": "example.org", "name": "Example"],
    "user": ["id": "dXNlcg", "name": "jo@example.org", "displayName": "Jo"],
    "challenge": "AQIDBA",
    "pubKeyCredParams": [["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257]],
    "timeout": 60_000,
    "excludeCredentials": [["type": "public-key", "id": "AQID", "transports": ["usb", "new"]]],
    "authenticatorSelection": [
      "authenticatorAttachment": "platform", "residentKey": "required", "requireResidentKey": true,
      "userVerification": "required",
    ],
    "hints": ["client-device"], "attestation": "direct", "attestationFormats": ["packed"],
    "extensions": ["credProps": true, "unknown": ["x": 1]],
  ]

  private let request: JSONValue = [
    "challenge": "AQIDBA", "timeout": 60_000, "rpId": "example.org",
    "allowCredentials": [["type": "public-key", "id": "AQID"]], "userVerification": "required",
    "hints": ["hybrid"], "extensions": ["appid": "https://example.org"],
  ]

  private func bent(_ json: JSONValue, _ path: [String], _ value: JSONValue?) -> JSONValue {
    guard var object = json.objectValue, let name = path.first else { return value ?? .null }
    object[name] = path.count == 1 ? value : bent(object[name] ?? [:], Array(path.dropFirst()), value)
    return .object(object)
  }

  @Test func creationOptionsSurviveARoundTrip() throws {
    let options = try PublicKeyCredentialCreationOptions(json: creation)
    #expect(options.json == creation)
    #expect(options.user.id == Array("user".utf8))
    #expect(options.parameters.map(\.algorithm) == [.es256, .rs256])
    #expect(options.authenticatorSelection.effectiveResidentKey == .required)
    #expect(options.excludeCredentials[0].transports.map { $0.ifKnown } == [.usb, nil])
    #expect(try PublicKeyCredentialCreationOptions(json: ["publicKey": creation]) == options)
  }

  @Test func requestOptionsSurviveARoundTrip() throws {
    let options = try PublicKeyCredentialRequestOptions(json: request)
    #expect(options.json == request)
    #expect(options.allowCredentials.map(\.id.bytes) == [[1, 2, 3]])
    #expect(try PublicKeyCredentialRequestOptions(json: ["publicKey": request]) == options)
  }

  @Test func appliesDefaults() throws {
    let creation = try PublicKeyCredentialCreationOptions(json: [
      "rp": ["name": "E"], "user": ["id": "AQ", "name": "", "displayName": ""], "challenge": "AQ",
      "pubKeyCredParams": [],
    ])
    #expect(creation.effectiveParameters.map(\.algorithm) == [.es256, .rs256])
    #expect(creation.effectiveAttestation == .none)
    #expect(creation.authenticatorSelection.effectiveUserVerification == .preferred)
    #expect(creation.authenticatorSelection.effectiveResidentKey == .discouraged)
    #expect(creation.timeout == nil && creation.relyingParty.id == nil && creation.excludeCredentials.isEmpty)
    let request = try PublicKeyCredentialRequestOptions(json: ["challenge": "AQ"])
    #expect(request.effectiveUserVerification == .preferred)
    #expect(request.allowCredentials.isEmpty)
  }

  @Test func unknownWordsMeanNothingAndAreKept() throws {
    var json = bent(creation, ["attestation"], "anonymous")
    json = bent(json, ["authenticatorSelection", "userVerification"], "always")
    json = bent(json, ["authenticatorSelection", "residentKey"], "maybe")
    json = bent(json, ["authenticatorSelection", "authenticatorAttachment"], "wearable")
    json = bent(json, ["hints"], ["watch"])
    json = bent(json, ["pubKeyCredParams"], [["type": "secret", "alg": -7]])
    let options = try PublicKeyCredentialCreationOptions(json: json)
    #expect(options.effectiveAttestation == .none)
    #expect(options.authenticatorSelection.effectiveUserVerification == .preferred)
    #expect(options.authenticatorSelection.effectiveResidentKey == .required)  // requireResidentKey still holds
    #expect(options.authenticatorSelection.authenticatorAttachment?.ifKnown == nil)
    #expect(options.hints.compactMap(\.ifKnown).isEmpty)
    #expect(options.effectiveParameters.isEmpty)
    #expect(options.json == json)
  }

  @Test func paddingAndNumbersAsTextAreTolerated() throws {
    var json = bent(creation, ["challenge"], "AQ==")
    json = bent(json, ["user", "id"], "AQI=")
    json = bent(json, ["timeout"], "60000")
    json = bent(json, ["pubKeyCredParams"], [["type": "public-key", "alg": "-8"]])
    let options = try PublicKeyCredentialCreationOptions(json: json)
    #expect(options.challenge == [1])
    #expect(options.user.id == [1, 2])
    #expect(options.timeout == 60_000)
    #expect(options.parameters[0].algorithm == .edDSA)
    #expect(options.json["challenge"] == "AQ")
    for wrong: JSONValue in ["soon", [], [:], true, .double(1e300), "", "NaN"] {
      #expect(throws: WebAuthnJSONError(.wrongType, "timeout"), "\(wrong)") {
        try PublicKeyCredentialCreationOptions(json: bent(creation, ["timeout"], wrong))
      }
    }
    #expect(try PublicKeyCredentialCreationOptions(json: bent(creation, ["timeout"], .double(1.9))).timeout == 1)
  }

  @Test func namesTheMemberThatIsWrong() throws {
    let long = JSONValue.string(Base64URL.encode([UInt8](repeating: 1, count: 65)))
    let descriptor: JSONValue = ["type": "public-key", "id": "AQ"]
    let cases: [([String], JSONValue?, WebAuthnJSONError)] = [
      (["rp"], nil, .init(.missing, "rp")), (["rp"], [], .init(.wrongType, "rp")),
      (["rp", "name"], nil, .init(.missing, "rp.name")), (["rp", "id"], 1, .init(.wrongType, "rp.id")),
      (["user"], nil, .init(.missing, "user")), (["user", "id"], nil, .init(.missing, "user.id")),
      (["user", "id"], "", .init(.outOfRange, "user.id")), (["user", "id"], long, .init(.outOfRange, "user.id")),
      (["user", "id"], "*", .init(.encoding, "user.id")), (["user", "id"], "A", .init(.encoding, "user.id")),
      (["user", "name"], nil, .init(.missing, "user.name")),
      (["user", "displayName"], 5, .init(.wrongType, "user.displayName")),
      (["challenge"], "a+b=", .init(.encoding, "challenge")), (["challenge"], 1, .init(.wrongType, "challenge")),
      (["pubKeyCredParams"], nil, .init(.missing, "pubKeyCredParams")),
      (["pubKeyCredParams"], "ES256", .init(.wrongType, "pubKeyCredParams")),
      (["pubKeyCredParams"], [["type": "public-key"]], .init(.missing, "pubKeyCredParams[0].alg")),
      (["pubKeyCredParams"], [["alg": -7]], .init(.missing, "pubKeyCredParams[0].type")),
      (["pubKeyCredParams"], [-7], .init(.wrongType, "pubKeyCredParams[0]")),
      (["timeout"], -1, .init(.outOfRange, "timeout")), (["timeout"], 4_294_967_296, .init(.outOfRange, "timeout")),
      (["excludeCredentials"], [["type": "public-key", "id": "*"]], .init(.encoding, "excludeCredentials[0].id")),
      (["excludeCredentials"], [["type": "public-key", "id": ""]], .init(.outOfRange, "excludeCredentials[0].id")),
      (
        ["excludeCredentials"], .array([JSONValue](repeating: descriptor, count: 1025)),
        .init(.outOfRange, "excludeCredentials")
      ),
      (["authenticatorSelection"], [], .init(.wrongType, "authenticatorSelection")),
      (
        ["authenticatorSelection", "requireResidentKey"], "yes",
        .init(.wrongType, "authenticatorSelection.requireResidentKey")
      ),
      (["hints"], [1], .init(.wrongType, "hints[0]")), (["extensions"], [], .init(.wrongType, "extensions")),
    ]
    for (path, value, error) in cases {
      let json = bent(creation, path, value)
      #expect(throws: error) { try PublicKeyCredentialCreationOptions(json: json) }
    }
    #expect(throws: WebAuthnJSONError(.notAnObject, "")) { try PublicKeyCredentialCreationOptions(json: []) }
    #expect(throws: WebAuthnJSONError(.missing, "challenge")) { try PublicKeyCredentialRequestOptions(json: [:]) }
    #expect(throws: WebAuthnJSONError(.encoding, "allowCredentials[1].id")) {
      try PublicKeyCredentialRequestOptions(
        json: bent(request, ["allowCredentials"], [descriptor, ["type": "public-key", "id": "="]]))
    }
  }

  @Test func nullCountsAsAbsent() throws {
    let options = try PublicKeyCredentialRequestOptions(json: [
      "challenge": "AQ", "rpId": nil, "allowCredentials": nil, "userVerification": nil, "timeout": nil,
    ])
    #expect(options == PublicKeyCredentialRequestOptions(challenge: [1]))
  }
}
