import AuthenticatorCoding
import AuthenticatorJourneyServer
import Testing

@Suite struct TrustedDeviceSwitchTests {
  @Test func nothingButTheEnvironmentIsThereWithoutTheNativeAPI() async throws {
    let app = try await FrontendHarness { $0.nativeAPI = false }.app()
    for (method, path) in [
      ("GET", "client"), ("POST", "client/sign_ins"), ("POST", "client/sign_ups"), ("GET", "me/trusted_devices"),
      ("POST", "me/trusted_devices/prepare"), ("POST", "client/trusted_devices/validate"),
      ("DELETE", "client/sessions"),
    ] {
      let answer = try await app.send(method, path)
      #expect(answer.status == 400)
      #expect(answer.code == "native_api_disabled")
    }
    #expect(try await app.send("GET", "environment").status == 200)
  }

  @Test func devicesCanBeRevokedWhereTheyNoLongerSignIn() async throws {
    let clock = ManualClock()
    let registry = InMemoryRegistry()
    let (app, _, id) = try await FrontendHarness(registry: registry, clock: clock).enrolled()
    let off = try await FrontendHarness(registry: registry, clock: clock) { $0.trustedDevices = false }
    let later = off.app()
    later.token = app.token
    for answer in [
      try await later.begin(id),
      try await later.send("POST", "client/trusted_devices/validate", [("trusted_device_id", id)]),
    ] {
      #expect(answer.status == 403)
      #expect(answer.code == "feature_not_enabled")
    }
    #expect(try await later.signIn().response["status"] == "complete")
    #expect(try await later.prepare(try DeviceKey()).code == "feature_not_enabled")
    #expect(try await later.send("GET", "me/trusted_devices").response.arrayValue?.count == 1)
    #expect(try await later.send("DELETE", "me/trusted_devices/\(id)").response["status"] == "revoked")
  }

  @Test func theOtherSpellingsAreServedWhereTheyAreChosen() async throws {
    let harness = try await FrontendHarness { settings in
      settings.urlFamilies = [.biometricCredentials]
      settings.strategy = .biometricCredential
    }
    let app = try await harness.signedIn()
    let key = try DeviceKey()
    #expect(try await app.prepare(key).code == "resource_not_found")
    let challenge = try await app.prepare(key, family: "biometric_credentials").response
    let device = try await app.attempt(key, challenge, family: "biometric_credentials").response
    #expect(device["object"] == "trusted_device")
    let id = try #require(device["id"]?.stringValue)
    #expect(try await app.send("GET", "me/biometric_credentials").response == [device])
    _ = try await app.send("DELETE", "client/sessions")
    // Both words are understood; answers have the configured one.
    for word in ["trusted_device", "biometric_credential"] {
      let begun = try await app.begin(id, strategy: word)
      #expect(begun.response["first_factor_verification"]?["strategy"] == "biometric_credential")
      let done = try await app.finish(begun, key, id) { $0["strategy"] = word }
      #expect(done.client["last_authentication_strategy"] == "biometric_credential")
      _ = try await app.send("DELETE", "client/sessions")
    }
    _ = try await app.signIn()
    #expect(try await app.send("DELETE", "me/biometric_credentials/\(id)").response["status"] == "revoked")
  }

  @Test func devicesAreBlockedOrMustAttest() async throws {
    let blocked = try await FrontendHarness { $0.blockedDevices = ["stolen"] }
    let answer = try await blocked.app(installation: "stolen").signIn()
    #expect(answer.status == 401)
    #expect(answer.code == "device_blocked")
    #expect(try await blocked.app(installation: "mine").signIn().status == 200)
    let attested = try await FrontendHarness { $0.requiresDeviceAttestation = true }
    #expect(try await attested.app().signIn().code == "requires_device_attestation")
    #expect(try await attested.app().send("GET", "environment").status == 200)
  }
}
