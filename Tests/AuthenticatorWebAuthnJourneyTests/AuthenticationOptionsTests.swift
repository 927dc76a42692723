import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

@Suite struct AuthenticationOptionsTests {
  private func read(_ data: JSONObject) throws -> WebAuthnAuthenticationCallback {
    try AuthenticatorWebAuthnJourneyTests.read(WebAuthnAuthenticationCallback.self, WebAuthnKit.metadata(data))
  }

  private func expected(_ ids: [[UInt8]], timeout: Int = 60_000) -> PublicKeyCredentialRequestOptions {
    PublicKeyCredentialRequestOptions(
      challenge: ServerData.challengeBytes, timeout: timeout, relyingPartyID: "am.example.com",
      allowCredentials: ids.compactMap { CredentialID($0).map { PublicKeyCredentialDescriptor(id: $0) } },
      userVerification: .preferred)
  }

  @Test func readsTheNewerForm() throws {
    let callback = try read(ServerData.authentication { $0["_allowCredentials"] = ServerData.allowed([5, 200]) })
    #expect(callback.options == expected([[5, 200]]))
    #expect(callback.supportsJSONResponse)
    #expect(!callback.isUsernameless)
    #expect(callback.mediation == .optional)
    #expect(callback.timeout == .seconds(60))
  }

  @Test func readsTheOlderFormAlike() throws {
    let callback = try read(ServerData.oldAuthentication())
    #expect(callback.options == expected([ServerData.otherID, [5]]))
    #expect(!callback.supportsJSONResponse)
  }

  @Test func readsTheOldestListAlike() throws {
    let callback = try read(
      ServerData.oldAuthentication {
        $0["allowCredentials"] = nil
        $0["acceptableCredentials"] = #"[{ "type": "public-key", "id": new Int8Array([5]).buffer }]"#
      })
    #expect(callback.options == expected([[5]]))
  }

  @Test func readsTheScriptFormAlike() throws {
    let callback = try AuthenticatorWebAuthnJourneyTests.read(
      WebAuthnAuthenticationCallback.self, WebAuthnKit.script(ServerData.authenticationScript))
    var options = expected([ServerData.otherID], timeout: 30_000)
    options.userVerification = .required
    #expect(callback.options == options)
    #expect(!callback.supportsJSONResponse)
  }

  @Test(arguments: [ServerData.authentication(), ServerData.oldAuthentication { $0["allowCredentials"] = "" }])
  func anEmptyListAsksTheDevice(_ data: JSONObject) throws {
    #expect(try read(data).isUsernameless)
  }

  @Test func readsTheFragmentOfTheRelyingParty() throws {
    #expect(try read(ServerData.oldAuthentication()).options.relyingPartyID == "am.example.com")
    let data = ServerData.oldAuthentication { $0["relyingPartyId"] = "" }
    #expect(try read(data).options.relyingPartyID == nil)
  }

  @Test func aVerificationNobodyKnowsIsPreferred() throws {
    let data = ServerData.authentication { $0["userVerification"] = "thorough" }
    #expect(try read(data).options.effectiveUserVerification == .preferred)
  }

  static let mediations: [(JSONValue?, WebAuthnMediation)] = [
    ("conditional", .conditional), ("optional", .optional), ("silent", .optional), (nil, .optional),
  ]

  @Test(arguments: mediations)
  func readsTheMediation(_ word: JSONValue?, _ expected: WebAuthnMediation) throws {
    #expect(try read(ServerData.authentication { $0["mediation"] = word }).mediation == expected)
  }

  @Test func namesWhatIsMissingOrMalformed() {
    let cases: [(String, JSONValue?, String)] = [
      ("challenge", nil, "Missing challenge"), ("challenge", 1, "Malformed challenge"),
      ("timeout", "x", "Malformed timeout"), ("_allowCredentials", 1, "Malformed allowCredentials"),
      ("_allowCredentials", [["type": "public-key", "id": [300]]], "Malformed allowCredentials"),
      ("_relyingPartyId", [], "Malformed relyingPartyId"), ("userVerification", 1, "Malformed userVerification"),
      ("mediation", 1, "Malformed mediation"), ("_type", nil, "Missing _type"),
    ]
    for (name, value, reason) in cases {
      let json = WebAuthnKit.metadata(ServerData.authentication { $0[name] = value })
      #expect(
        refusal(WebAuthnAuthenticationCallback.self, json) == "\(reason) in WebAuthnAuthenticationCallback")
    }
  }
}
