import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import Testing

/// What our authenticator emits, judged by our relying party, which reads the bytes by its own means.
@Suite("WebAuthn round trip") struct RoundTripTests {
  static let algorithms: [COSEAlgorithmIdentifier] = [.es256, .es384, .es512, .edDSA, .rs256, .ps256]

  @Test(arguments: algorithms)
  func signsInWithEveryAlgorithm(_ algorithm: COSEAlgorithmIdentifier) async throws {
    let platform = try Platform(.match(), .match(), .match())
    let client = try await platform.client()
    let caller = WebAuthnCaller(origin: Platform.origin)
    let registration = try await client.create(
      json: [
        "challenge": "AAECAwQFBgcICQoLDA0ODw", "rp": ["id": "example.org", "name": "Example"],
        "user": ["id": "YWxpY2U", "name": "alice", "displayName": "Alice"],
        "pubKeyCredParams": [["type": "public-key", "alg": .integer(Int64(algorithm.rawValue))]],
        "authenticatorSelection": ["residentKey": "required", "userVerification": "required"],
        "attestation": "direct", "extensions": ["credProps": true],
      ], caller: caller)
    #expect(registration["clientExtensionResults"]?["credProps"]?["rk"] == true)
    let expectation = try RegistrationExpectation(json: [
      "challenge": "AAECAwQFBgcICQoLDA0ODw", "origins": ["https://example.org"], "rpId": "example.org",
      "userVerification": "required", "algorithms": [.integer(Int64(algorithm.rawValue))], "attestation": "direct",
      "userHandle": "YWxpY2U",
    ])
    var credential = try expectation.verify(ReceivedRegistration(json: registration), at: 1_700_000_000).credential
    #expect(credential.signCount == 0)

    for count: UInt32 in 1...2 {
      let response = try await client.get(
        json: ["challenge": "AQIDBAUGBwgJCgsMDQ4PEA", "rpId": "example.org", "userVerification": "required"],
        caller: caller)
      #expect(response["response"]?["userHandle"] == "YWxpY2U")
      let expectation = try AuthenticationExpectation(json: [
        "challenge": "AQIDBAUGBwgJCgsMDQ4PEA", "origins": ["https://example.org"], "rpId": "example.org",
        "userVerification": "required", "userHandle": "YWxpY2U",
      ])
      credential = try expectation.verify(ReceivedAuthentication(json: response), with: credential).credential
      #expect(credential.signCount == count)
    }
    #expect(platform.promptKinds == [.biometric, .biometric, .biometric])
  }
}
