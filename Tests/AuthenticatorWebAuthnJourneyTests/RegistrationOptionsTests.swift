import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

/// Reads a callback outside of any flow.
func read<Class: Callback>(_ type: Class.Type, _ json: JSONValue) throws -> Class {
  try type.init(
    CallbackPayload(
      try #require(json.objectValue),
      context: CallbackContext(
        journey: JourneyContext(instance: WebAuthnKit.instance, realm: "/alpha", journey: "J"))))
}

/// The reason for which a callback is refused; records an issue when it is not, or not as `invalidMessage`.
func refusal<Class: Callback>(
  _ type: Class.Type, _ json: JSONValue, sourceLocation: SourceLocation = #_sourceLocation
) -> String? {
  do {
    _ = try read(type, json)
    Issue.record("accepted", sourceLocation: sourceLocation)
    return nil
  } catch {
    #expect((error as? AuthenticatorError)?.code == .invalidMessage, sourceLocation: sourceLocation)
    return (error as? AuthenticatorError)?.reason
  }
}

@Suite struct RegistrationOptionsTests {
  private func read(_ data: JSONObject) throws -> WebAuthnRegistrationCallback {
    try AuthenticatorWebAuthnJourneyTests.read(WebAuthnRegistrationCallback.self, WebAuthnKit.metadata(data))
  }

  private func options(_ bend: (inout JSONObject) -> Void) throws -> PublicKeyCredentialCreationOptions {
    try read(ServerData.registration(bend)).options
  }

  @Test func readsTheNewerForm() throws {
    let callback = try read(ServerData.registration())
    let options = callback.options
    #expect(options.challenge == ServerData.challengeBytes)
    #expect(options.relyingParty.id == "am.example.com")
    #expect(options.relyingParty.name == "Example")
    #expect(options.user.name == "mira")
    #expect(options.user.displayName == "Mira M.")
    #expect(options.parameters.map(\.algorithm.rawValue) == [-257, -7])
    #expect(options.timeout == 60_000)
    #expect(options.excludeCredentials.isEmpty)
    #expect(options.authenticatorSelection.userVerification == .preferred)
    #expect(options.attestation == AttestationConveyancePreference.none)
    #expect(callback.supportsJSONResponse)
    #expect(!callback.isScript)
  }

  @Test func readsTheOlderFormAlike() throws {
    let callback = try read(ServerData.oldRegistration())
    var expected = try read(ServerData.registration()).options
    expected.excludeCredentials = [ServerData.otherID, [5]].compactMap {
      CredentialID($0).map { PublicKeyCredentialDescriptor(id: $0) }
    }
    #expect(callback.options == expected)
    #expect(!callback.supportsJSONResponse)
  }

  @Test func readsTheScriptFormAlike() throws {
    let callback = try AuthenticatorWebAuthnJourneyTests.read(
      WebAuthnRegistrationCallback.self, WebAuthnKit.script(ServerData.registrationScript))
    var expected = try read(ServerData.registration()).options
    expected.relyingParty.name = #"Exämple "R&D""#
    expected.excludeCredentials = [PublicKeyCredentialDescriptor(id: try #require(CredentialID(ServerData.otherID)))]
    expected.authenticatorSelection = AuthenticatorSelectionCriteria(
      requireResidentKey: true, userVerification: .discouraged)
    #expect(callback.options == expected)
    #expect(!callback.supportsJSONResponse)
    #expect(callback.data.isEmpty)
  }

  @Test func takesTheHandleFromTheTextItself() throws {
    let callback = try read(ServerData.registration())
    #expect(callback.userID == "bWlyYQ")
    #expect(callback.options.user.id == Array("bWlyYQ".utf8))
  }

  @Test func prefersPlainMembersToPiecesOfScript() throws {
    let options = try options {
      $0["relyingPartyId"] = "nonsense"
      $0["authenticatorSelection"] = "nonsense"
      $0["pubKeyCredParams"] = "nonsense"
      $0["excludeCredentials"] = "nonsense"
    }
    #expect(options == (try read(ServerData.registration()).options))
  }

  @Test(arguments: ["", nil] as [JSONValue?])
  func leavesTheRelyingPartyToTheClient(_ id: JSONValue?) throws {
    #expect(
      try options {
        $0["_relyingPartyId"] = id
        $0["relyingPartyId"] = ""
      }.relyingParty.id == nil)
    #expect(
      try read(ServerData.oldRegistration { $0["relyingPartyId"] = id }).options.relyingParty.id == nil)
  }

  static let lists: [JSONValue] = [
    [["type": "public-key", "id": [1, 97, 2, 123, -73, -17, -1, -128]]],
    [["type": "public-key", "id": [1, 97, 2, 123, 183, 239, 255, 128]]],
    [["type": "public-key", "id": .string(Base64URL.encode(ServerData.otherID))]],
    [["type": "public-key", "id": .string(Base64.encode(ServerData.otherID))]],
  ]

  @Test(arguments: lists)
  func readsIDsInEveryForm(_ list: JSONValue) throws {
    #expect(try options { $0["_excludeCredentials"] = list }.excludeCredentials.map(\.id.bytes) == [ServerData.otherID])
  }

  @Test func keepsAlgorithmsItDoesNotKnow() throws {
    let parameters: JSONValue = [
      ["type": "public-key", "alg": -65535], ["type": "public-key", "alg": "-8"], ["type": "other", "alg": -7],
    ]
    #expect(
      try options { $0["_pubKeyCredParams"] = parameters }.parameters.map(\.algorithm.rawValue) == [-65535, -8, -7])
  }

  @Test(arguments: ["", nil] as [JSONValue?])
  func showsTheUserNameForWantOfADisplayName(_ name: JSONValue?) throws {
    #expect(try options { $0["displayName"] = name }.user.displayName == "mira")
  }

  @Test func wordsNobodyKnowsMeanNothing() throws {
    let options = try options {
      $0["attestationPreference"] = "thorough"
      $0["_authenticatorSelection"] = [
        "userVerification": "always", "authenticatorAttachment": "implanted", "residentKey": "maybe",
      ]
    }
    #expect(options.effectiveAttestation == .none)
    #expect(options.authenticatorSelection.effectiveUserVerification == .preferred)
    #expect(options.authenticatorSelection.effectiveResidentKey == .discouraged)
    #expect(options.authenticatorSelection.authenticatorAttachment?.ifKnown == nil)
  }

  @Test func attestationIsNoneUnlessTheServerAsks() throws {
    #expect(try options { $0["attestationPreference"] = nil }.effectiveAttestation == .none)
    #expect(try options { $0["attestationPreference"] = "direct" }.effectiveAttestation == .direct)
  }

  @Test func passesExtensionsOn() throws {
    #expect(try options { $0["extensions"] = ["credProps": true] }.extensions == ["credProps": true])
    #expect(try options { $0["extensions"] = nil }.extensions.isEmpty)
  }

  static let limits: [(JSONValue?, Duration)] = [
    ("60000", .seconds(60)), (30_000, .seconds(30)), (nil, .seconds(60)), ("0", .seconds(5)), ("-5", .seconds(5)),
    ("4999", .seconds(5)), ("600001", .seconds(600)), (9_000_000_000_000_000, .seconds(600)),
  ]

  @Test(arguments: limits)
  func holdsTheTimeLimitToFiveTo600Seconds(_ value: JSONValue?, _ expected: Duration) throws {
    #expect(try read(ServerData.registration { $0["timeout"] = value }).timeout == expected)
  }

  // MARK: Refusals

  static let mandatory = ["userId", "relyingPartyName", "userName", "challenge"]

  @Test(arguments: mandatory)
  func namesAMissingMember(_ name: String) {
    let json = WebAuthnKit.metadata(ServerData.registration { $0[name] = nil })
    #expect(refusal(WebAuthnRegistrationCallback.self, json) == "Missing \(name) in WebAuthnRegistrationCallback")
  }

  @Test(arguments: mandatory)
  func namesAMemberOfTheWrongKind(_ name: String) {
    let json = WebAuthnKit.metadata(ServerData.registration { $0[name] = 7 })
    #expect(refusal(WebAuthnRegistrationCallback.self, json) == "Malformed \(name) in WebAuthnRegistrationCallback")
  }

  struct Bend: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    let bend: @Sendable (inout JSONObject) -> Void
    init(_ what: String, _ reason: String, _ bend: @escaping @Sendable (inout JSONObject) -> Void) {
      testDescription = what
      self.reason = "\(reason) in WebAuthnRegistrationCallback"
      self.bend = bend
    }
  }

  static let bends: [Bend] = [
    Bend("no type", "Missing _type") { $0["_type"] = nil },
    Bend("an empty challenge", "Malformed challenge") { $0["challenge"] = "" },
    Bend("a challenge that is no Base64", "Malformed challenge") { $0["challenge"] = "a*b" },
    Bend("a huge challenge", "Malformed challenge") {
      $0["challenge"] = .string(String(repeating: "A", count: 20_000))
    },
    Bend("a time limit in words", "Malformed timeout") { $0["timeout"] = "soon" },
    Bend("a time limit with a fraction", "Malformed timeout") { $0["timeout"] = 1.5 },
    Bend("a time limit with a unit", "Malformed timeout") { $0["timeout"] = "60000ms" },
    Bend("an empty user handle", "Malformed userId") { $0["userId"] = "" },
    Bend("a user handle of 65 bytes", "Malformed userId") {
      $0["userId"] = .string(String(repeating: "A", count: 65))
    },
    Bend("no selection", "Missing authenticatorSelection") {
      $0["_authenticatorSelection"] = nil
      $0["authenticatorSelection"] = nil
    },
    Bend("a selection that is a list", "Malformed authenticatorSelection") { $0["_authenticatorSelection"] = [] },
    Bend("a selection that is no object", "Malformed authenticatorSelection") {
      $0["_authenticatorSelection"] = nil
      $0["authenticatorSelection"] = "{"
    },
    Bend("no algorithms", "Missing pubKeyCredParams") {
      $0["_pubKeyCredParams"] = nil
      $0["pubKeyCredParams"] = nil
    },
    Bend("an empty list of algorithms", "Malformed pubKeyCredParams") { $0["_pubKeyCredParams"] = [] },
    Bend("an empty text of algorithms", "Malformed pubKeyCredParams") {
      $0["_pubKeyCredParams"] = nil
      $0["pubKeyCredParams"] = ""
    },
    Bend("algorithms that are no list", "Malformed pubKeyCredParams") {
      $0["_pubKeyCredParams"] = nil
      $0["pubKeyCredParams"] = "[ { type: "
    },
    Bend("an algorithm in words", "Malformed pubKeyCredParams") {
      $0["_pubKeyCredParams"] = [["type": "public-key", "alg": "ES256"]]
    },
    Bend("an algorithm without type", "Malformed pubKeyCredParams") { $0["_pubKeyCredParams"] = [["alg": -7]] },
    Bend("2,000 algorithms", "Malformed pubKeyCredParams") {
      $0["_pubKeyCredParams"] = .array([JSONValue](repeating: ["type": "public-key", "alg": -7], count: 2000))
    },
    Bend("a relying party ID that is no fragment", "Malformed relyingPartyId") {
      $0["_relyingPartyId"] = nil
      $0["relyingPartyId"] = "am.example.com"
    },
    Bend("a relying party ID that is a number", "Malformed relyingPartyId") { $0["_relyingPartyId"] = 7 },
    Bend("an excluded byte too large", "Malformed excludeCredentials") {
      $0["_excludeCredentials"] = [["type": "public-key", "id": [256]]]
    },
    Bend("an excluded byte too small", "Malformed excludeCredentials") {
      $0["_excludeCredentials"] = [["type": "public-key", "id": [-129]]]
    },
    Bend("an excluded byte with a fraction", "Malformed excludeCredentials") {
      $0["_excludeCredentials"] = [["type": "public-key", "id": [1.5]]]
    },
    Bend("an excluded credential without name", "Malformed excludeCredentials") {
      $0["_excludeCredentials"] = [["type": "public-key"]]
    },
    Bend("an excluded credential of no bytes", "Malformed excludeCredentials") {
      $0["_excludeCredentials"] = [["type": "public-key", "id": []]]
    },
    Bend("an excluded credential of 1,024 bytes", "Malformed excludeCredentials") {
      $0["_excludeCredentials"] = [["type": "public-key", "id": .array([JSONValue](repeating: 1, count: 1024))]]
    },
    Bend("an excluded list that is no list", "Malformed excludeCredentials") { $0["_excludeCredentials"] = "x" },
    Bend("an excluded piece of script that is none", "Malformed excludeCredentials") {
      $0["_excludeCredentials"] = nil
      $0["excludeCredentials"] = "{ type: alert() }"
    },
    Bend("extensions that are a list", "Malformed extensions") { $0["extensions"] = [1] },
    Bend("a flag that is a number", "Malformed supportsJsonResponse") { $0["supportsJsonResponse"] = 1 },
  ]

  @Test(arguments: bends)
  func refusesAndNamesTheMember(_ bend: Bend) {
    let json = WebAuthnKit.metadata(ServerData.registration(bend.bend))
    #expect(refusal(WebAuthnRegistrationCallback.self, json) == bend.reason)
  }

  @Test func refusesAnotherKindOfMetadata() {
    #expect(
      refusal(WebAuthnRegistrationCallback.self, WebAuthnKit.metadata(ServerData.authentication()))
        == "no WebAuthn registration")
  }
}
