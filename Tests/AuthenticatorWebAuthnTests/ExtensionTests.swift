import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import Testing

@testable import AuthenticatorWebAuthn

/// Extensions as a relying party meets them: JSON in, JSON and signed outputs out.
@Suite("WebAuthn extensions") struct ExtensionTests {
  static let caller = WebAuthnCaller(origin: Platform.origin)

  private func created(
    _ extensions: JSONObject, by client: WebAuthnClient, discoverable: Bool = true
  ) async throws -> (id: JSONValue, results: JSONValue, data: AuthenticatorData) {
    var options = OptionsJSON.creation
    options["extensions"] = .object(extensions)
    if !discoverable { options["authenticatorSelection"] = [:] }
    let json = try await client.create(json: .object(options), caller: Self.caller)
    return (
      try #require(json["id"]), try #require(json["clientExtensionResults"]),
      try AuthenticatorData(
        rawBytes: try Base64URL.decode(try #require(json["response"]?["authenticatorData"]?.stringValue)))
    )
  }

  private func asserted(
    _ extensions: JSONObject, by client: WebAuthnClient, allow ids: JSONValue...
  ) async throws -> (results: JSONValue, data: AuthenticatorData) {
    var options = OptionsJSON.request
    options["extensions"] = .object(extensions)
    if !ids.isEmpty { options["allowCredentials"] = .array(ids.map { ["type": "public-key", "id": $0] }) }
    let json = try await client.get(json: .object(options), caller: Self.caller)
    return (
      try #require(json["clientExtensionResults"]),
      try AuthenticatorData(
        rawBytes: try Base64URL.decode(try #require(json["response"]?["authenticatorData"]?.stringValue)))
    )
  }

  @Test func whatIsUnknownLeavesNoTrace() async throws {
    let client = try await Platform(.match(), .match()).client()
    let made = try await created(["payment": ["isPayment": true]], by: client)
    #expect(made.results == [:] && made.data.extensions == nil && !made.data.flags.contains(.extensionData))
    let signed = try await asserted(["payment": true], by: client)
    #expect(signed.results == [:] && signed.data.extensions == nil)
  }

  // MARK: credProtect

  @Test(arguments: [("userVerificationOptional", 1), ("userVerificationRequired", 3)])
  func statesTheProtection(_ word: String, _ level: Int) async throws {
    let client = try await Platform(.match()).client()
    let made = try await created(["credentialProtectionPolicy": .string(word)], by: client)
    #expect(made.data.extensions == ["credProtect": .integer(level)])
    #expect(try await client.authenticator.credentials(of: "example.org").first?.protection.rawValue == level)
  }

  @Test func neverGivesLessProtectionThanConfigured() async throws {
    let client = try await Platform(.match()).client()
    client.authenticator.configuration.minimumProtection = .userVerificationOptionalWithCredentialIDList
    let made = try await created(["credentialProtectionPolicy": "userVerificationOptional"], by: client)
    #expect(made.data.extensions == ["credProtect": 2])
  }

  @Test func protectionThatWouldLockTheCredentialAwayIsRefusedIfEnforcedAndIgnoredIfNot() async throws {
    let client = try await Platform(.approve).client(.none)
    var options = OptionsJSON.creation
    options["authenticatorSelection"] = ["userVerification": "discouraged"]
    options["extensions"] = [
      "credentialProtectionPolicy": "userVerificationRequired", "enforceCredentialProtectionPolicy": true,
    ]
    let enforced = JSONValue.object(options)
    #expect(await name { try await client.create(json: enforced, caller: Self.caller) } == .constraint)
    options["extensions"] = ["credentialProtectionPolicy": "userVerificationRequired"]
    let json = try await client.create(json: .object(options), caller: Self.caller)
    let data = try Base64URL.decode(try #require(json["response"]?["authenticatorData"]?.stringValue))
    #expect(try AuthenticatorData(rawBytes: data).extensions == nil)
  }

  @Test(arguments: [1, 2, 3], [true, false])
  func protectionDecidesWhoSeesACredential(_ level: Int, _ isListed: Bool) async throws {
    let platform = try Platform(.approve, .approve)
    let authenticator = try await platform.authenticator(.none)
    var request = try platform.creation(verified: false)
    request.extensions.protection = CredentialProtectionPolicy(rawValue: level)
    let made = try await authenticator.makeCredential(request)
    var assertion =
      isListed
      ? platform.assertion(made.credential.id, verified: false) : platform.assertion(verified: false)
    assertion.concealsAbsence = false
    let isVisible = level == 1 || (level == 2 && isListed)
    let answer = await code { [assertion] in try await authenticator.getAssertion(assertion) }
    #expect(answer == (isVisible ? nil : .keyNotFound))
  }

  @Test func aVerifiedPersonSeesEveryCredential() async throws {
    let client = try await Platform(.match(), .match()).client()
    _ = try await created(["credentialProtectionPolicy": "userVerificationRequired"], by: client)
    #expect(try await asserted([:], by: client).data.flags.contains(.userVerified))
  }

  // MARK: minPinLength

  @Test func tellsTheLengthOfPINsToWhomItWasAllowed() async throws {
    let client = try await Platform(.match(), .match()).client()
    #expect(try await created(["minPinLength": true], by: client).data.extensions == nil)
    client.authenticator.configuration.minimumPINLengthParties = ["example.org"]
    client.authenticator.configuration.minimumPINLength = 6
    #expect(try await created(["minPinLength": true], by: client).data.extensions == ["minPinLength": 6])
  }

  // MARK: credBlob

  @Test func keepsAndReturnsABlob() async throws {
    let client = try await Platform(.match(), .match(), .match()).client()
    let made = try await created(["credBlob": "AQIDBA"], by: client)
    #expect(made.results == ["credBlob": true] && made.data.extensions == ["credBlob": true])
    let signed = try await asserted(["getCredBlob": true], by: client)
    #expect(signed.results == ["getCredBlob": "AQIDBA"])
    #expect(signed.data.extensions == ["credBlob": .bytes([1, 2, 3, 4])])
    #expect(try await asserted([:], by: client).data.extensions == nil)
  }

  @Test func aBlobThatIsTooLongOrHasNoPlaceIsNotKept() async throws {
    let client = try await Platform(.match(), .match(), .match()).client()
    let long = Base64URL.encode([UInt8](repeating: 7, count: 65))
    #expect(try await created(["credBlob": .string(long)], by: client).results == ["credBlob": false])
    #expect(try await asserted(["getCredBlob": true], by: client).results == ["getCredBlob": ""])
    #expect(try await created(["credBlob": "AQ"], by: client, discoverable: false).results == ["credBlob": false])
  }

  // MARK: prf

  @Test func derivesSecretsThatDependOnCredentialAndInputAlone() async throws {
    let platform = try Platform(.match(), .match(), .match(), .match(), .match(), .match())
    let client = try await platform.client()
    let made = try await created(["prf": ["eval": ["first": "AQ", "second": "Ag"]]], by: client)
    #expect(made.results["prf"]?["enabled"] == true)
    #expect(made.data.extensions == ["hmac-secret": true])
    let results = try #require(made.results["prf"]?["results"])
    #expect(results["first"] != results["second"])
    let again = try await asserted(["prf": ["eval": ["first": "Ag"]]], by: client)
    #expect(again.results == ["prf": ["results": ["first": try #require(results["second"])]]])
    // What is derived is no part of what is signed.
    #expect(again.data.extensions == nil)
    // 32 bytes: with padding, which options may have, one sign of it.
    for padding in ["", "="] {
      let id = JSONValue.string(try #require(made.id.stringValue) + padding)
      let byName = try await asserted(
        ["prf": ["eval": ["first": "AA"], "evalByCredential": [try #require(id.stringValue): ["first": "AQ"]]]],
        by: client, allow: id)
      #expect(byName.results["prf"]?["results"]?["first"] == results["first"])
    }
    #expect(try await asserted(["prf": [:]], by: client).results == ["prf": [:]])
    // A credential made anew derives other secrets.
    let other = try await created(["prf": ["eval": ["first": "AQ"]]], by: client)
    #expect(other.results["prf"]?["results"]?["first"] != results["first"])
  }

  @Test func aCredentialWithoutSecretsDerivesNothing() async throws {
    let client = try await Platform(.match(), .match()).client()
    _ = try await created([:], by: client)
    #expect(try await asserted(["prf": ["eval": ["first": "AQ"]]], by: client).results == ["prf": [:]])
  }

  @Test func withoutVerificationThereAreNoSecrets() async throws {
    let client = try await Platform(.approve, .approve).client(.none)
    var options = OptionsJSON.creation
    options["authenticatorSelection"] = ["residentKey": "required", "userVerification": "discouraged"]
    options["extensions"] = ["prf": ["eval": ["first": "AQ"]]]
    let json = try await client.create(json: .object(options), caller: Self.caller)
    #expect(json["clientExtensionResults"] == ["prf": ["enabled": false]])
    options = OptionsJSON.request
    options["userVerification"] = "discouraged"
    options["extensions"] = ["prf": ["eval": ["first": "AQ"]]]
    let answer = try await client.get(json: .object(options), caller: Self.caller)
    #expect(answer["clientExtensionResults"] == ["prf": [:]])
  }

  @Test func secretsAskForVerificationThoughTheOptionsDiscourageIt() async throws {
    let platform = try Platform(.match(), .match())
    let client = try await platform.client(.biometricAllowFallback)
    var options = OptionsJSON.creation
    options["authenticatorSelection"] = ["residentKey": "required", "userVerification": "discouraged"]
    options["extensions"] = ["prf": [:]]
    let json = try await client.create(json: .object(options), caller: Self.caller)
    #expect(json["clientExtensionResults"] == ["prf": ["enabled": true]])
    let signed = try await asserted(["prf": ["eval": ["first": "AQ"]]], by: client)
    #expect(signed.data.flags.contains(.userVerified) && signed.results["prf"]?["results"]?["first"] != nil)
  }

  // MARK: largeBlob

  @Test func writesAndReadsALargeBlob() async throws {
    let platform = try Platform(.match(), .match(), .match(), .match(), .match())
    let client = try await platform.client()
    let made = try await created(["largeBlob": ["support": "required"]], by: client)
    #expect(made.results == ["largeBlob": ["supported": true]])
    #expect(try await asserted(["largeBlob": ["read": true]], by: client).results == ["largeBlob": [:]])
    let written = try await asserted(["largeBlob": ["write": "AQIDBAU"]], by: client, allow: made.id)
    #expect(written.results == ["largeBlob": ["written": true]])
    #expect(
      try await asserted(["largeBlob": ["read": true]], by: client).results == ["largeBlob": ["blob": "AQIDBAU"]])
    let long = Base64URL.encode([UInt8](repeating: 1, count: 4097))
    let refused = try await asserted(["largeBlob": ["write": .string(long)]], by: client, allow: made.id)
    #expect(refused.results == ["largeBlob": ["written": false]])
  }

  @Test func aLargeBlobThatFailsDoesNotFailTheAssertion() async throws {
    let platform = try Platform(.match(), .match(), .match(), .match())
    let client = try await platform.client()
    let made = try await created(["largeBlob": [:]], by: client)
    platform.device.store.fail(.setItem)
    #expect(
      try await asserted(["largeBlob": ["write": "AQ"]], by: client, allow: made.id).results
        == ["largeBlob": ["written": false]])
    platform.device.store.repair()
    platform.device.store.fail(.item)
    #expect(try await asserted(["largeBlob": ["read": true]], by: client).results == ["largeBlob": [:]])
  }

  @Test func aCredentialWithoutRoomTakesNoLargeBlob() async throws {
    let client = try await Platform(.match(), .match()).client()
    let made = try await created([:], by: client)
    #expect(
      try await asserted(["largeBlob": ["write": "AQ"]], by: client, allow: made.id).results
        == ["largeBlob": ["written": false]])
  }

  // MARK: uvm

  @Test func statesHowThePersonWasVerified() async throws {
    let client = try await Platform(.match(), .match()).client()
    let made = try await created(["uvm": true], by: client)
    // A fingerprint; a key in an emulated secure enclave; compared in software.
    #expect(made.results == ["uvm": [[2, 6, 1]]])
    #expect(made.data.extensions == ["uvm": [[2, 6, 1]]])
    #expect(try await asserted(["uvm": true], by: client).results == ["uvm": [[2, 6, 1]]])
  }

  // MARK: appid

  @Test func usesAnAppIDsCredential() async throws {
    let platform = try Platform(.match(), .match(), .approve, .match(), .match())
    let client = try await platform.client()
    var request = try platform.creation()
    request.relyingPartyID = "https://u2f.example.org/facets"
    let made = try await client.authenticator.makeCredential(request)
    let id = JSONValue.string(made.credential.id.base64URLEncodedString())
    let signed = try await asserted(["appid": "https://u2f.example.org/facets"], by: client, allow: id)
    #expect(signed.results == ["appid": true])
    #expect(signed.data.relyingPartyIDHash == SHA256.hash(Array("https://u2f.example.org/facets".utf8)))
    // The account's security key is here, under the AppID.
    var options = OptionsJSON.creation
    options["excludeCredentials"] = [["type": "public-key", "id": id]]
    options["extensions"] = ["appidExclude": "https://u2f.example.org/facets"]
    let excluding = JSONValue.object(options)
    let caller = WebAuthnCaller(origin: Platform.origin)
    #expect(await name { try await client.create(json: excluding, caller: caller) } == .invalidState)
    let modern = try await created(["appidExclude": "https://example.org/"], by: client)
    #expect(modern.results == ["appidExclude": true])
    let plain = try await asserted(["appid": "https://example.org/"], by: client, allow: modern.id)
    #expect(plain.results == ["appid": false])
  }
}
