import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

/// What the registration node asks.
@Suite struct WebAuthnRegistrationQuestionTests {
  private func harness(_ node: WebAuthnRegistrationNode = WebAuthnRegistrationNode()) async throws -> Harness {
    try await Harness.webAuthn(journeys: try BuiltInJourneys.all() + [WebAuthnTrees.tree(node)])
  }

  @Test func asksAsTheReferenceSays() async throws {
    let harness = try await harness()
    let page = try await harness.question("WebAuthn", user: "mira")
    #expect(page.types == ["MetadataCallback", "HiddenValueCallback"])
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    var data = try #require(page.webAuthn)
    let challenge = try #require(data["challenge"]?.stringValue)
    #expect(try Base64.decode(challenge).count == 32)
    data["challenge"] = nil
    let handle = Base64URL.encode(user.id.utf8)
    #expect(
      data == [
        "_action": "webauthn_registration", "_type": "WebAuthn", "attestationPreference": "none", "userName": "mira",
        "userId": .string(handle), "displayName": "mira", "relyingPartyName": "ForgeRock",
        "relyingPartyId": "id: \"id.example.org\",", "_relyingPartyId": "id.example.org",
        "authenticatorSelection": "{\"userVerification\":\"preferred\"}",
        "_authenticatorSelection": ["userVerification": "preferred"],
        "pubKeyCredParams":
          "[ { \"type\": \"public-key\", \"alg\": -7 }, { \"type\": \"public-key\", \"alg\": -257 } ]",
        "_pubKeyCredParams": [["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257]],
        "timeout": "60000", "excludeCredentials": "", "_excludeCredentials": [], "extensions": [:],
        "supportsJsonResponse": true,
      ])
    // An authenticator takes handles of at most 64 bytes, however long the name is.
    #expect(handle.utf8.count <= 64)
    let hidden = try #require(page.body["callbacks"]?[1]?.objectValue)
    #expect(
      hidden["output"] == [["name": "value", "value": "false"], ["name": "id", "value": "webAuthnOutcome"]])
    #expect(hidden["input"] == [["name": "IDToken2", "value": "webAuthnOutcome"]])
  }

  @Test func sendsItsSettings() async throws {
    let node = WebAuthnRegistrationNode {
      $0.relyingPartyName = "Example \"</script>"
      $0.relyingPartyID = "example.org"
      $0.userVerification = .discouraged
      $0.attestation = .direct
      $0.algorithms = [.edDSA, .ps256]
      $0.attachment = .crossPlatform
      $0.residentKey = .required
      $0.timeout = 7
      $0.displayNameState = "username"
    }
    let data = try #require(try await harness(node).question("WebAuthn", user: "MIRA").webAuthn)
    #expect(data["relyingPartyName"] == "Example \"</script>")
    #expect(data["_relyingPartyId"] == "example.org" && data["timeout"] == "7000")
    #expect(data["attestationPreference"] == "direct")
    let selection: JSONValue = [
      "userVerification": "discouraged", "authenticatorAttachment": "cross-platform", "requireResidentKey": true,
      "residentKey": "required",
    ]
    #expect(data["_authenticatorSelection"] == selection)
    #expect(try JSONValue.parse(try #require(data["authenticatorSelection"]?.stringValue)) == selection)
    #expect(data["_pubKeyCredParams"] == [["type": "public-key", "alg": -8], ["type": "public-key", "alg": -37]])
    // The account's own name, and the name that was typed where the node was told to show that.
    #expect(data["userName"] == "mira" && data["displayName"] == "MIRA")
  }

  @Test(arguments: [
    (WebAuthnResidentKey.preferred, "preferred"), (.discouraged, "discouraged"),
  ]) func requiresAResidentKeyOnlyWhenItIsRequired(key: WebAuthnResidentKey, word: String) async throws {
    let data = try await harness(.init { $0.residentKey = key }).question("WebAuthn", user: "mira").webAuthn
    #expect(data?["_authenticatorSelection"]?["requireResidentKey"] == nil)
    #expect(data?["_authenticatorSelection"]?["residentKey"] == .string(word))
  }

  @Test func excludesTheUsersOwnCredentialsWhenTold() async throws {
    let harness = try await harness(.init { $0.excludesCredentials = true })
    var (passkey, foreign) = (try Passkey(id: Array(100...199)), try Passkey())
    try await harness.register(&passkey)
    try await harness.register(&foreign, user: "noor")
    let data = try #require(try await harness.question("WebAuthn", user: "mira").webAuthn)
    let numbers = Passkey.numbers(passkey.id)
    #expect(
      data["excludeCredentials"]
        == .string("{ \"type\": \"public-key\", \"id\": new Int8Array([\(numbers)]).buffer }"))
    let signed = passkey.id.map { JSONValue.integer(Int64(Int8(bitPattern: $0))) }
    #expect(data["_excludeCredentials"] == [["type": "public-key", "id": .array(signed)]])
  }

  @Test func putsTheStatesExtensionsIntoTheStep() async throws {
    struct Put: TreeNode {
      static let nodeType = "Put"
      let outcomes: [NodeOutcome] = [.outcome]
      let value: JSONValue
      func process(_ context: inout NodeContext) async throws -> NodeResult {
        context.state.username = "mira"
        context.state.shared["webAuthnExtensions"] = value
        return .done(.outcome)
      }
    }
    for (value, expected) in [(["credProps": true], ["credProps": true]), (nil, [:]), ("credProps", nil)]
      as [(JSONValue, JSONValue?)]
    {
      let tree = try JourneyTree("Extensions") {
        TreeStep("put", Put(value: value)).next("node")
        TreeStep("node", WebAuthnRegistrationNode()).otherwise(.failure)
      }
      let page = try await Harness.webAuthn(journeys: [tree]).start("Extensions")
      #expect(page.webAuthn?["extensions"] == expected)
      #expect(page.status == (expected == nil ? 500 : 200))
    }
  }
}
