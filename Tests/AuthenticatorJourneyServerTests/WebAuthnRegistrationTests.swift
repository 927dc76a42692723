import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

@Suite struct WebAuthnRegistrationTests {
  @Test func registersAndThenSignsIn() async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    #expect(try await harness.register(&passkey, name: "Mira's key").token != nil)
    let device = try #require(try await harness.webAuthnDevices().first)
    #expect(device.name == "Mira's key")
    #expect(device.externalID == Base64URL.encode(passkey.id))
    #expect(try await harness.username(try await harness.authenticate(passkey).token) == "mira")
    let usernameless = try await harness.authenticate(passkey, user: nil, journey: "LoginUsernameless")
    #expect(try await harness.username(usernameless.token) == "mira")
    #expect(harness.refusals.isEmpty)
  }
}
