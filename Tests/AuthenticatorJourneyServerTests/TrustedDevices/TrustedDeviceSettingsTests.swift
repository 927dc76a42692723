import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

@Suite struct TrustedDeviceSettingsTests {
  private func refusal(_ text: String) throws -> String? {
    do throws(TrustedDeviceSettingsError) {
      _ = try TrustedDeviceSettings(json: (try? JSONValue.parse(text)) ?? .null)
      return nil
    } catch {
      return error.member
    }
  }

  @Test func anEmptyFileIsTheDefault() throws {
    #expect(try TrustedDeviceSettings(json: ["version": 1]) == TrustedDeviceSettings())
    #expect(!TrustedDeviceSettings().signUp)
  }

  @Test func everySettingIsRead() throws {
    let settings = try TrustedDeviceSettings(json: [
      "version": 1, "realm": "/alpha", "nativeAPI": false, "trustedDevices": false, "promptAfterSignIn": false,
      "promptAfterSignUp": false, "signUp": true, "singleSession": false,
      "urlFamilies": ["trusted_devices", "biometric_credentials"], "strategy": "biometric_credential",
      "appIdentifiers": ["org.example.one"], "enrolledAgain": "refuse", "replaceScope": "installation",
      "pendingTasks": ["setup-mfa"], "reverifyAfter": 60, "blockedDevices": ["stolen"],
      "requiresDeviceAttestation": true, "quota": 3, "challengeLifetime": 30, "sessionLifetime": 90,
      "maximumUsers": 5,
    ])
    var expected = TrustedDeviceSettings()
    expected.realm = Realm("/alpha")
    expected.nativeAPI = false
    expected.trustedDevices = false
    expected.promptAfterSignIn = false
    expected.promptAfterSignUp = false
    expected.signUp = true
    expected.singleSession = false
    expected.urlFamilies = [.trustedDevices, .biometricCredentials]
    expected.strategy = .biometricCredential
    expected.appIdentifiers = ["org.example.one"]
    expected.enrolledAgain = .refuse
    expected.replaceScope = .installation
    expected.pendingTasks = ["setup-mfa"]
    expected.reverifyAfter = .seconds(60)
    expected.blockedDevices = ["stolen"]
    expected.requiresDeviceAttestation = true
    expected.quota = 3
    expected.challengeLifetime = .seconds(30)
    expected.sessionLifetime = .seconds(90)
    expected.maximumUsers = 5
    #expect(settings == expected)
  }

  @Test(arguments: [
    ("[]", ""), ("null", ""), ("{}", "version"), (#"{"version": 2}"#, "version"), (#"{"version": "1"}"#, "version"),
    (#"{"version": 1, "extra": 1}"#, "extra"), (#"{"version": 1, "signUp": 1}"#, "signUp"),
    (#"{"version": 1, "signUp": null}"#, "signUp"), (#"{"version": 1, "quota": 0}"#, "quota"),
    (#"{"version": 1, "quota": 1001}"#, "quota"), (#"{"version": 1, "quota": 1.5}"#, "quota"),
    (#"{"version": 1, "quota": "3"}"#, "quota"), (#"{"version": 1, "challengeLifetime": 0}"#, "challengeLifetime"),
    (#"{"version": 1, "challengeLifetime": 3601}"#, "challengeLifetime"),
    (#"{"version": 1, "sessionLifetime": -1}"#, "sessionLifetime"), (#"{"version": 1, "realm": "a b"}"#, "realm"),
    (#"{"version": 1, "strategy": "passkey"}"#, "strategy"), (#"{"version": 1, "urlFamilies": []}"#, "urlFamilies"),
    (#"{"version": 1, "urlFamilies": ["x"]}"#, "urlFamilies"),
    (#"{"version": 1, "urlFamilies": "trusted_devices"}"#, "urlFamilies"),
    (#"{"version": 1, "appIdentifiers": [1]}"#, "appIdentifiers"),
    (#"{"version": 1, "appIdentifiers": [""]}"#, "appIdentifiers"),
    (#"{"version": 1, "appIdentifiers": ["a", "a"]}"#, "appIdentifiers"),
    (#"{"version": 1, "enrolledAgain": true}"#, "enrolledAgain"),
    (#"{"version": 1, "replaceScope": "world"}"#, "replaceScope"),
    (#"{"version": 1, "pendingTasks": {}}"#, "pendingTasks"),
  ]) func whatIsNotUnderstoodIsRefused(_ text: String, _ member: String) throws {
    #expect(try refusal(text) == member)
  }

  @Test func aRealmThatIsNotServedIsRefused() async throws {
    await #expect(throws: AuthenticatorError.self) {
      try await FrontendHarness { $0.realm = Realm("/beta") }
    }
  }

  @Test func thePublishableKeyHoldsTheHost() throws {
    #expect(PublishableKey.test(host: "127.0.0.1:8080") == "pk_test_MTI3LjAuMC4xOjgwODAk")
    #expect(PublishableKey.test(url: "http://127.0.0.1:8080/am") == "pk_test_MTI3LjAuMC4xOjgwODAk")
    #expect(PublishableKey.test(url: "https://id.example.com") == PublishableKey.test(host: "id.example.com"))
    for url in ["", "/am", "http://", "http:///am", "127.0.0.1:8080"] { #expect(PublishableKey.test(url: url) == nil) }
  }
}
