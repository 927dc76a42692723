import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import Testing
@testable import AuthenticatorWebAuthn

/// Requests and what the authenticator can do.
extension ClientCreateTests {
  @Test(arguments: [("required", true), ("preferred", true), ("discouraged", false)])
  func saysWhetherTheCredentialIsDiscoverable(_ word: String, _ isDiscoverable: Bool) async throws {
    let platform = try Platform(.match())
    var options = OptionsJSON.creation
    options["authenticatorSelection"] = ["residentKey": .string(word)]
    options["extensions"] = ["credProps": true]
    let json = try await platform.client().create(json: .object(options), caller: Self.caller)
    #expect(json["clientExtensionResults"]?["credProps"] == ["rk": .bool(isDiscoverable)])
    #expect(try await platform.authenticator().credentials(of: "example.org").count == (isDiscoverable ? 1 : 0))
  }

  @Test func aRequirementThatCannotBeMetIsAConstraint() async throws {
    let platform = try Platform(.approve)
    let client = try await platform.client(.none)
    #expect(
      await name { try await client.create(json: .object(OptionsJSON.creation), caller: Self.caller) } == .constraint)
    client.authenticator.configuration.supportsDiscoverableCredentials = false
    var options = OptionsJSON.creation
    options["authenticatorSelection"] = ["residentKey": "required", "userVerification": "discouraged"]
    let json = JSONValue.object(options)
    #expect(await name { try await client.create(json: json, caller: Self.caller) } == .constraint)
  }

  @Test func preferredVerificationIsDoneWhereItCanBe() async throws {
    let platform = try Platform(.approve)
    var options = OptionsJSON.creation
    options["authenticatorSelection"] = ["userVerification": "preferred"]
    let json = try await platform.client(.none).create(json: .object(options), caller: Self.caller)
    let data = try AuthenticatorData(
      rawBytes: try Base64URL.decode(try #require(json["response"]?["authenticatorData"]?.stringValue)))
    #expect(data.flags == [.userPresent, .attestedCredentialData])
  }

  @Test func anExcludedCredentialIsAnInvalidState() async throws {
    let platform = try Platform(.match(), .approve, .refuse)
    let client = try await platform.client()
    let json = try await client.create(json: .object(OptionsJSON.creation), caller: Self.caller)
    var options = OptionsJSON.creation
    options["excludeCredentials"] = [["type": "public-key", "id": try #require(json["id"])]]
    let again = JSONValue.object(options)
    #expect(await name { try await client.create(json: again, caller: Self.caller) } == .invalidState)
    #expect(await name { try await client.create(json: again, caller: Self.caller) } == .notAllowed)
  }

  @Test func directAttestationIsHandedOn() async throws {
    let platform = try Platform(.match(), .match())
    var options = OptionsJSON.creation
    options["attestation"] = "direct"
    let client = try await platform.client()
    let json = try await client.create(json: .object(options), caller: Self.caller)
    func format(_ json: JSONValue) throws -> AttestationStatementFormat {
      try AttestationObject(
        rawBytes: try Base64URL.decode(try #require(json["response"]?["attestationObject"]?.stringValue))
      ).format
    }
    #expect(try format(json) == .packed)
    options["attestationFormats"] = ["tpm", "none"]
    #expect(try format(try await client.create(json: .object(options), caller: Self.caller)) == .none)
  }
}
