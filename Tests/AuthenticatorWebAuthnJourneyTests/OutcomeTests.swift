import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

@Suite struct OutcomeTests {
  static let clientData =
    #"{"type":"webauthn.get","challenge":"AAEC","origin":"https://a.example","crossOrigin":false}"#

  private func registration(
    clientData: String = clientData, attachment: AuthenticatorAttachment? = .platform
  ) throws -> RegistrationResponse {
    RegistrationResponse(
      id: try #require(CredentialID([0xFB, 0xFF])), authenticatorAttachment: attachment,
      clientDataJSON: Array(clientData.utf8), attestationObject: [0, 1, 127, 128, 255])
  }

  private func authentication(userHandle: [UInt8]?) throws -> AuthenticationResponse {
    AuthenticationResponse(
      id: try #require(CredentialID([0xFB, 0xFF])), authenticatorAttachment: .crossPlatform,
      clientDataJSON: Array(Self.clientData.utf8), authenticatorData: [255, 10], signature: [48, 200],
      userHandle: userHandle)
  }

  // MARK: The legacy form

  @Test func writesARegistration() throws {
    let outcome = try WebAuthnOutcome(try registration(), asJSON: false)
    #expect(outcome.rawValue == "\(Self.clientData)::0,1,127,-128,-1::-_8")
  }

  @Test func addsTheDeviceName() throws {
    let outcome = try WebAuthnOutcome(try registration(), deviceName: "Kiosk 7", asJSON: false)
    #expect(outcome.rawValue == "\(Self.clientData)::0,1,127,-128,-1::-_8::Kiosk 7")
  }

  @Test func writesAnAuthentication() throws {
    let outcome = try WebAuthnOutcome(try authentication(userHandle: nil), asJSON: false)
    #expect(outcome.rawValue == "\(Self.clientData)::-1,10::48,-56::-_8")
  }

  @Test func addsTheUserHandle() throws {
    let outcome = try WebAuthnOutcome(try authentication(userHandle: Array("bWlyYQ".utf8)), asJSON: false)
    #expect(outcome.rawValue == "\(Self.clientData)::-1,10::48,-56::-_8::bWlyYQ")
  }

  static let handles: [([UInt8], String)] = [
    (Array("bWly-_YQ".utf8), "bWly-_YQ"), (Array("bW+/YQ==".utf8), "bW+/YQ=="), ([0, 1, 255], "AAH_"),
    (Array("mira@example.com".utf8), "bWlyYUBleGFtcGxlLmNvbQ"), (Array("a::b".utf8), "YTo6Yg"),
  ]

  @Test(arguments: handles)
  func encodesHandlesOfAnotherMake(_ handle: [UInt8], _ expected: String) throws {
    let outcome = try WebAuthnOutcome(try authentication(userHandle: handle), asJSON: false)
    #expect(ServerSide.parts(outcome.rawValue).last == expected)
  }

  // MARK: The JSON form

  @Test func wrapsTheLegacyForm() throws {
    let legacy = try WebAuthnOutcome(try registration(), deviceName: "Kiosk 7", asJSON: false)
    let json = try JSONValue.parse(
      try WebAuthnOutcome(try registration(), deviceName: "Kiosk 7", asJSON: true).rawValue)
    #expect(json == ["legacyData": .string(legacy.rawValue), "authenticatorAttachment": "platform"])
  }

  @Test func tellsTheRealAttachment() throws {
    let there = try JSONValue.parse(try WebAuthnOutcome(try authentication(userHandle: nil), asJSON: true).rawValue)
    #expect(there["authenticatorAttachment"] == "cross-platform")
    let unknown = try JSONValue.parse(try WebAuthnOutcome(try registration(attachment: nil), asJSON: true).rawValue)
    #expect(unknown["authenticatorAttachment"] == .null)
  }

  // MARK: What could break it

  static let names = [
    ("a::b", "a:b"), (":::::", ":"), ("::a", ":a"), ("a\u{0}b\n", "ab"), ("a:\u{0}:b", "a:b"), ("Küche", "Küche"),
    (":\u{308}:\u{308}", ":\u{308}:\u{308}"), (String(repeating: "é", count: 200), String(repeating: "é", count: 127)),
  ]

  @Test(arguments: names)
  func deviceNameIsOnePart(_ name: String, _ expected: String) throws {
    for asJSON in [false, true] {
      let outcome = try WebAuthnOutcome(try registration(), deviceName: name, asJSON: asJSON)
      let parts = ServerSide.parts(ServerSide.unwrapped(outcome.rawValue).text)
      #expect(parts.count == 4)
      #expect(parts.last?.utf8.elementsEqual(expected.utf8) == true)
    }
  }

  @Test(arguments: ["", "\u{0}\u{1F}"])
  func anEmptyDeviceNameIsNoPart(_ name: String) throws {
    #expect(
      ServerSide.parts(try WebAuthnOutcome(try registration(), deviceName: name, asJSON: false).rawValue).count == 3)
  }

  @Test(arguments: ["https://[::1]", "app::x", "app:\u{308}::x", "::"])
  func refusesClientDataThatWouldShiftTheParts(_ origin: String) async throws {
    let response = try registration(clientData: #"{"origin":"\#(origin)"}"#)
    #expect(throws: AuthenticatorError(.invalidRequest)) { try WebAuthnOutcome(response, asJSON: true) }
  }

  @Test func refusesClientDataThatIsNoText() throws {
    var response = try registration()
    response.clientDataJSON = [0xFF]
    #expect(throws: AuthenticatorError(.invalidRequest)) { try WebAuthnOutcome(response, asJSON: false) }
  }

  @Test func showsNothingOfAProof() throws {
    let outcome = try WebAuthnOutcome(try registration(), asJSON: false)
    #expect("\(outcome)" == "WebAuthnOutcome")
    #expect(String(reflecting: outcome) == "WebAuthnOutcome")
    var dumped = ""
    dump(outcome, to: &dumped)
    #expect(!dumped.contains("webauthn.get"))
  }
}
