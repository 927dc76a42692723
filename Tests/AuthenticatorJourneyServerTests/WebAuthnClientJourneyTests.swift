import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import DeviceAuthenticators
import Testing

/// The nodes with the package's own client and authenticator.
@Suite struct WebAuthnClientJourneyTests {
  private func client(_ steps: ScriptedStep...) throws -> WebAuthnClient {
    let device = try TestDevice(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913", steps: steps), instance: "",
      providers: [EmulatedHardware()])
    return WebAuthnClient(
      authenticator: WebAuthnPlatformAuthenticator(
        wrapping: BiometricOnlyAuthenticator(context: device.context),
        selectionDelegate: PromptedInteraction(responder: device.verifier)),
      configuration: WebAuthnClientConfiguration(nativeOrigins: ["app:example": ["id.example.org"]]))
  }

  /// The ids of a list in a step, as the standard's JSON has them.
  private func descriptors(_ list: JSONValue?) throws -> JSONValue {
    .array(
      try (list?.arrayValue ?? []).map { entry in
        let id = try (entry["id"]?.arrayValue ?? []).map { UInt8(bitPattern: try #require($0.intValue.map(Int8.init))) }
        return ["type": "public-key", "id": .string(Base64URL.encode(id))]
      })
  }

  private func base64url(_ base64: JSONValue?) throws -> JSONValue {
    .string(Base64URL.encode(try Base64.decode(try #require(base64?.stringValue))))
  }

  private func register(_ client: WebAuthnClient, _ page: Answer, origin: String) async throws -> String {
    let data = try #require(page.webAuthn)
    let user = try #require(data["userId"]?.stringValue)
    let options: JSONValue = [
      "challenge": try base64url(data["challenge"]),
      "rp": ["id": try #require(data["_relyingPartyId"]), "name": try #require(data["relyingPartyName"])],
      "user": [
        "id": .string(Base64URL.encode(user.utf8)), "name": try #require(data["userName"]),
        "displayName": try #require(data["displayName"]),
      ],
      "pubKeyCredParams": try #require(data["_pubKeyCredParams"]),
      "authenticatorSelection": try #require(data["_authenticatorSelection"]),
      "excludeCredentials": try descriptors(data["_excludeCredentials"]),
      "attestation": try #require(data["attestationPreference"]), "timeout": 60_000,
    ]
    let response = try await client.create(
      PublicKeyCredentialCreationOptions(json: options), caller: WebAuthnCaller(origin: origin))
    return [
      String(decoding: response.clientDataJSON, as: UTF8.self), Passkey.numbers(response.attestationObject),
      response.id.base64URLEncodedString(),
    ].joined(separator: "::")
  }

  private func authenticate(_ client: WebAuthnClient, _ page: Answer, origin: String) async throws -> String {
    let data = try #require(page.webAuthn)
    let options: JSONValue = [
      "challenge": try base64url(data["challenge"]), "rpId": try #require(data["_relyingPartyId"]),
      "allowCredentials": try descriptors(data["_allowCredentials"]),
      "userVerification": try #require(data["userVerification"]), "timeout": 60_000,
    ]
    let response = try await client.get(
      PublicKeyCredentialRequestOptions(json: options), caller: WebAuthnCaller(origin: origin))
    return [
      String(decoding: response.clientDataJSON, as: UTF8.self), Passkey.numbers(response.authenticatorData),
      Passkey.numbers(response.signature), response.id.base64URLEncodedString(),
      String(decoding: response.userHandle ?? [], as: UTF8.self),
    ].joined(separator: "::")
  }

  @Test(arguments: [Passkey.origin, "app:example"]) func registersAndSignsIn(origin: String) async throws {
    let harness = try await Harness.webAuthn { $0.webAuthn.origins = ["app:example"] }
    let client = try client(.match(), .match(), .match(), .match())
    let page = try await harness.login(journey: "RegisterWebAuthn")
    #expect(try await harness.post(try page.answered(try await register(client, page, origin: origin))).token != nil)
    for (journey, user) in [("LoginWebAuthn", "mira"), ("LoginUsernameless", nil)] {
      let page = try await harness.question(journey, user: user)
      let answer = try await harness.post(try page.answered(try await authenticate(client, page, origin: origin)))
      #expect(try await harness.username(answer.token) == "mira")
    }
    let device = try #require(try await harness.webAuthnDevices().first)
    #expect(device.counter == 2)
    // The authenticator has a credential of the list, so it makes no second one.
    let second = try await harness.login(journey: "RegisterWebAuthn")
    await #expect(throws: WebAuthnError.self) { _ = try await register(client, second, origin: origin) }
    #expect(harness.refusals.isEmpty)
  }

  @Test func aPersonChoosesAmongTwoAccounts() async throws {
    let harness = try await Harness.webAuthn()
    let client = try client(.match(), .match(), .choose("noor 20231114 22:13:20"), .match())
    for name in ["mira", "noor"] {
      let page = try await harness.login(name, journey: "RegisterWebAuthn")
      let answer = try await register(client, page, origin: Passkey.origin)
      #expect(try await harness.post(try page.answered(answer)).token != nil)
    }
    let page = try await harness.question("LoginUsernameless", user: nil)
    let answer = try await authenticate(client, page, origin: Passkey.origin)
    #expect(try await harness.username(try await harness.post(try page.answered(answer)).token) == "noor")
  }
}
