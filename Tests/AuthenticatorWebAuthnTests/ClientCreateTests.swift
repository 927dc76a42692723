import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import Testing

@testable import AuthenticatorWebAuthn

/// Options that are valid, for tests that bend one member.
enum OptionsJSON {
  static var creation: JSONObject {
    [
      "challenge": "AAECAwQFBgcICQoLDA0ODw", "rp": ["id": "example.org", "name": "Example"],
      "user": ["id": "YWxpY2U", "name": "alice", "displayName": "Alice"],
      "pubKeyCredParams": [["type": "public-key", "alg": -7]],
      "authenticatorSelection": ["residentKey": "required", "userVerification": "required"],
    ]
  }
  static var request: JSONObject {
    ["challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "example.org", "userVerification": "required"]
  }
}

@Suite("WebAuthnClient.create") struct ClientCreateTests {
  static let caller = WebAuthnCaller(origin: Platform.origin)

  @Test func answersInTheStandardsForm() async throws {
    let platform = try Platform(.match())
    let json = try await platform.client().create(json: .object(OptionsJSON.creation), caller: Self.caller)
    let response = try #require(json["response"])
    let text = try Base64URL.decode(try #require(response["clientDataJSON"]?.stringValue))
    #expect(
      String(decoding: text, as: UTF8.self)
        == #"{"type":"webauthn.create","challenge":"AAECAwQFBgcICQoLDA0ODw","origin":"https://example.org","crossOrigin":false}"#
    )
    #expect(json["id"] == json["rawId"] && json["type"] == "public-key")
    #expect(json["authenticatorAttachment"] == "platform")
    #expect(response["transports"] == ["internal"])
    #expect(response["publicKeyAlgorithm"] == -7)
    #expect(json["clientExtensionResults"] == [:])
    let object = try AttestationObject(
      rawBytes: try Base64URL.decode(try #require(response["attestationObject"]?.stringValue)))
    #expect(object.format == .none && object.statement == [:])
    #expect(response["authenticatorData"]?.stringValue == Base64URL.encode(object.authenticatorData.rawBytes))
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let name: DOMExceptionName
    let bend: @Sendable (inout JSONObject) -> Void

    init(_ description: String, _ name: DOMExceptionName, _ bend: @escaping @Sendable (inout JSONObject) -> Void) {
      testDescription = description
      self.name = name
      self.bend = bend
    }
  }

  static let refusals: [Refusal] = [
    Refusal("no challenge", .type) { $0["challenge"] = nil },
    Refusal("an empty challenge", .type) { $0["challenge"] = "" },
    Refusal("an oversized challenge", .type) {
      $0["challenge"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 8193)))
    },
    Refusal("a challenge that is no base64url", .encoding) { $0["challenge"] = "a+b=" },
    Refusal("a challenge that is a number", .type) { $0["challenge"] = 5 },
    Refusal("no relying party", .type) { $0["rp"] = nil },
    Refusal("a relying party that is text", .type) { $0["rp"] = "example.org" },
    Refusal("a foreign relying party", .security) { $0["rp"] = ["id": "example.net", "name": ""] },
    Refusal("a public suffix", .security) { $0["rp"] = ["id": "org", "name": ""] },
    Refusal("an empty user handle", .type) { $0["user"] = ["id": "", "name": "", "displayName": ""] },
    Refusal("a user handle of 65 bytes", .type) {
      $0["user"] = ["id": .string(Base64URL.encode([UInt8](repeating: 1, count: 65))), "name": "", "displayName": ""]
    },
    Refusal("no user", .type) { $0["user"] = nil },
    Refusal("no parameters at all", .type) { $0["pubKeyCredParams"] = nil },
    Refusal("parameters of unknown types only", .notSupported) {
      $0["pubKeyCredParams"] = [["type": "other", "alg": -7]]
    },
    Refusal("unknown algorithms only", .notSupported) {
      $0["pubKeyCredParams"] = [["type": "public-key", "alg": -999]]
    },
    Refusal("an algorithm that is a word", .type) { $0["pubKeyCredParams"] = [["type": "public-key", "alg": "x"]] },
    Refusal("a negative timeout", .type) { $0["timeout"] = -1 },
    Refusal("an exclude list that is an object", .type) { $0["excludeCredentials"] = [:] },
    Refusal("100,000 excluded credentials", .type) {
      $0["excludeCredentials"] = .array(
        [JSONValue](repeating: ["type": "public-key", "id": "AA"], count: 100_000))
    },
    Refusal("another attachment", .notAllowed) {
      $0["authenticatorSelection"] = ["authenticatorAttachment": "cross-platform"]
    },
    Refusal("a selection that is text", .type) { $0["authenticatorSelection"] = "platform" },
    Refusal("extensions that are a list", .type) { $0["extensions"] = [] },
    Refusal("credProps that is text", .type) { $0["extensions"] = ["credProps": "yes"] },
    Refusal("an unknown protection policy", .type) { $0["extensions"] = ["credentialProtectionPolicy": "x"] },
    Refusal("prf by credential", .notSupported) { $0["extensions"] = ["prf": ["evalByCredential": [:]]] },
    Refusal("prf without its first input", .type) { $0["extensions"] = ["prf": ["eval": [:]]] },
    Refusal("prf with text that is no base64url", .encoding) {
      $0["extensions"] = ["prf": ["eval": ["first": "+"]]]
    },
    Refusal("reading a large blob", .notSupported) { $0["extensions"] = ["largeBlob": ["read": true]] },
    Refusal("writing a large blob", .notSupported) { $0["extensions"] = ["largeBlob": ["write": "AA"]] },
    Refusal("unknown support for large blobs", .type) { $0["extensions"] = ["largeBlob": ["support": "x"]] },
    Refusal("a blob that is no base64url", .encoding) { $0["extensions"] = ["credBlob": "*"] },
    Refusal("a foreign AppID", .security) { $0["extensions"] = ["appidExclude": "https://example.net/app"] },
    Refusal("an AppID that is no URL", .security) { $0["extensions"] = ["appidExclude": "app"] },
  ]

  @Test(arguments: refusals)
  func refusesWithItsNameAndMakesNothing(_ refusal: Refusal) async throws {
    let platform = try Platform(.match())
    let client = try await platform.client()
    var options = OptionsJSON.creation
    refusal.bend(&options)
    let json = JSONValue.object(options)
    #expect(await name { try await client.create(json: json, caller: Self.caller) } == refusal.name)
    #expect(platform.promptKinds.isEmpty)
    #expect(try await platform.records().isEmpty)
  }

  /// It is signed, and a relying party would compare it with an origin.
  @Test(
    arguments: [
      "nonsense", "", "null", "https://top.example/", "https://TOP.example", "app:x", "https://[]", "https://[x \"]",
      "https://[::0]", Platform.origin,
    ])
  func anOutermostPageIsAnOriginOfTheWeb(_ topOrigin: String) async throws {
    let platform = try Platform(.match())
    let client = try await platform.client()
    let caller = WebAuthnCaller(origin: Platform.origin, topOrigin: topOrigin)
    let (creation, request) = (JSONValue.object(OptionsJSON.creation), JSONValue.object(OptionsJSON.request))
    #expect(await name { try await client.create(json: creation, caller: caller) } == .security)
    #expect(await name { try await client.get(json: request, caller: caller) } == .security)
    #expect(platform.promptKinds.isEmpty)
  }

  @Test func whatIsUnknownIsPassedOver() async throws {
    let platform = try Platform(.match())
    var options = OptionsJSON.creation
    options["timeout"] = "60000"
    options["attestation"] = "whatever"
    options["hints"] = ["security-key", "unknown"]
    options["extensions"] = ["unheardOf": ["a": 1]]
    options["authenticatorSelection"] = [
      "authenticatorAttachment": "wherever", "residentKey": "maybe", "requireResidentKey": true,
      "userVerification": "perhaps",
    ]
    options["excludeCredentials"] = [["type": "other", "id": "AA", "transports": ["telepathy"]]]
    let json = try await platform.client().create(json: .object(options), caller: Self.caller)
    #expect(json["clientExtensionResults"] == [:])
    #expect(try await platform.authenticator().credentials(of: "example.org").count == 1)
  }

  @Test func noParametersMeanTheStandardsDefaults() async throws {
    let platform = try Platform(.match())
    var options = OptionsJSON.creation
    options["pubKeyCredParams"] = []
    let json = try await platform.client().create(json: .object(options), caller: Self.caller)
    #expect(json["response"]?["publicKeyAlgorithm"] == -7)
  }

  @Test func withoutAnIDTheRelyingPartyIsTheHost() async throws {
    let platform = try Platform(.match())
    var options = OptionsJSON.creation
    options["rp"] = ["name": "Example"]
    _ = try await platform.client().create(
      json: .object(options), caller: WebAuthnCaller(origin: "https://login.example.org:8443"))
    #expect(try await platform.records().map(\.owner.party) == ["login.example.org"])
  }

  // MARK: Who may ask

  @Test func anOpaqueOriginIsNotAllowed() async throws {
    let client = try await Platform().client()
    #expect(
      await name {
        try await client.create(json: .object(OptionsJSON.creation), caller: WebAuthnCaller(origin: "null"))
      }
        == .notAllowed)
  }

  @Test func aFrameOfAnotherOriginNeedsTheUsersAction() async throws {
    let platform = try Platform(.match())
    let client = try await platform.client()
    let options = JSONValue.object(OptionsJSON.creation)
    let idle = WebAuthnCaller(origin: Platform.origin, topOrigin: "https://top.example", hasUserActivation: false)
    let caller = WebAuthnCaller(origin: Platform.origin, topOrigin: "https://top.example")
    #expect(await name { try await client.create(json: options, caller: idle) } == .notAllowed)
    #expect(
      await name { try await client.create(json: options, caller: caller, mediation: .conditional) } == .notAllowed)
    let json = try await client.create(json: .object(OptionsJSON.creation), caller: caller)
    let text = try Base64URL.decode(try #require(json["response"]?["clientDataJSON"]?.stringValue))
    #expect(String(decoding: text, as: UTF8.self).hasSuffix(#""crossOrigin":true,"topOrigin":"https://top.example"}"#))
  }

  @Test func addsTheMembersOfItsPlatform() async throws {
    let platform = try Platform(.match())
    let client = try await platform.client()
    client.configuration.nativeOrigins = ["android:apk-key-hash:abc": ["example.org"]]
    let caller = WebAuthnCaller(
      origin: "android:apk-key-hash:abc", clientDataMembers: ["androidPackageName": "org.example"])
    let json = try await client.create(json: .object(OptionsJSON.creation), caller: caller)
    let text = try Base64URL.decode(try #require(json["response"]?["clientDataJSON"]?.stringValue))
    #expect(
      String(decoding: text, as: UTF8.self).hasSuffix(#""crossOrigin":false,"androidPackageName":"org.example"}"#))
    let taken = WebAuthnCaller(origin: caller.origin, clientDataMembers: ["error": true])
    #expect(await name { try await client.create(json: .object(OptionsJSON.creation), caller: taken) } == .data)
  }
}

/// What `body` throws, if it is a client's error.
func error<Value>(_ body: () async throws -> Value) async -> WebAuthnError? {
  do {
    _ = try await body()
    return nil
  } catch { return error as? WebAuthnError }
}
