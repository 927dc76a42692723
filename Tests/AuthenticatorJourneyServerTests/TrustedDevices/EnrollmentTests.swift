import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJOSE
import AuthenticatorJourneyServer
import Testing

@Suite struct EnrollmentTests {
  @Test func aDeviceIsEnrolled() async throws {
    let harness = try await FrontendHarness()
    let app = try await harness.signedIn()
    let session = try #require(try await app.sessionID())
    let key = try DeviceKey()
    let prepared = try await app.prepare(key, session: session)
    let challenge = prepared.response
    #expect(challenge["object"] == "trusted_device_challenge")
    #expect(challenge["challenge_id"]?.stringValue?.hasPrefix("tdch_") == true)
    #expect(challenge["algorithm"] == "ES256")
    #expect(challenge["trusted_device_id"] == nil)
    #expect(challenge["expires_at"] == .integer(1_767_225_600_000 + 300_000))
    let signed = try JSONValue.parse(try #require(challenge["client_data"]?.stringValue))
    #expect(signed["challenge_id"] == challenge["challenge_id"])
    #expect(signed["challenge"] == challenge["challenge"])
    #expect(signed["purpose"] == "enroll")
    #expect(signed["app_identifier"] == .string(FrontendHarness.application))
    #expect(signed["expires_at"] == challenge["expires_at"])

    harness.clock.advance(by: 2)
    let enrolled = try await app.attempt(key, challenge, session: session)
    let device = enrolled.response
    #expect(enrolled.status == 200)
    #expect(
      device.objectValue?.names == [
        "id", "object", "platform", "app_identifier", "name", "algorithm", "status", "created_at", "updated_at",
        "last_used_at", "revoked_at", "public_key_thumbprint",
      ])
    #expect(device["public_key_thumbprint"] == .string(Base64URL.encode(JWK(key.key.publicKey).thumbprint)))
    #expect(device["id"]?.stringValue?.hasPrefix("tdc_") == true)
    #expect(device["object"] == "trusted_device")
    #expect(device["platform"] == "linux")
    #expect(device["name"] == "Desk")
    #expect(device["status"] == "active")
    #expect(device["created_at"] == .integer(1_767_225_602_000))
    #expect(device["last_used_at"] == .null)
    #expect(enrolled.client["sessions"]?.arrayValue?.count == 1)
    #expect(try await app.send("GET", "me/trusted_devices").response == [device])
  }

  @Test func aDeviceNeedsNoName() async throws {
    let app = try await FrontendHarness().signedIn()
    var key = try DeviceKey()
    key.name = nil
    #expect(try await app.enroll(key).response["name"] == .null)
    key = try DeviceKey()
    key.name = "a\u{202E}b\u{0}"
    #expect(try await app.prepare(key).status == 400)
    key.name = "a\u{202E}b"
    #expect(try await app.enroll(key).response["name"] == "ab")
  }

  @Test func enrollingNeedsASession() async throws {
    let harness = try await FrontendHarness { $0.sessionLifetime = .seconds(60) }
    let key = try DeviceKey()
    let stranger = try await harness.app().prepare(key)
    #expect(stranger.status == 401)
    #expect(stranger.code == "signed_out")
    let app = try await harness.signedIn()
    let prepared = try await app.prepare(key)
    harness.clock.advance(by: 60)
    #expect(try await app.attempt(key, prepared.response).code == "signed_out")
    #expect(try await app.prepare(key).code == "signed_out")
  }

  @Test func fieldsAreCheckedOneByOne() async throws {
    let app = try await FrontendHarness().signedIn()
    let key = try DeviceKey()
    func refusal(_ name: String, _ value: String?) async throws -> String {
      let answer = try await app.prepare(key) { $0[name] = value }
      return "\(answer.status) \(answer.code ?? "") \(answer.parameter ?? "")"
    }
    for name in ["platform", "app_identifier", "algorithm", "public_key_jwk"] {
      #expect(try await refusal(name, nil) == "422 form_param_missing \(name)")
      #expect(try await refusal(name, "") == "422 form_param_missing \(name)")
    }
    #expect(try await refusal("platform", "Linux OS") == "422 form_param_value_invalid platform")
    #expect(try await refusal("platform", String(repeating: "a", count: 33)) == "422 form_param_value_invalid platform")
    #expect(try await refusal("algorithm", "RS256") == "422 form_param_value_invalid algorithm")
    #expect(try await refusal("name", String(repeating: "n", count: 1025)) == "422 form_param_value_invalid name")
    #expect(
      try await refusal("app_identifier", "org.example.other")
        == "400 trusted_device_app_identifier_not_configured app_identifier")
    for jwk in ["{}", "[]", "no JSON", key.jwk + " x", key.jwk.replacing("P-256", with: "P-384")] {
      #expect(try await refusal("public_key_jwk", jwk) == "422 trusted_device_invalid_public_key public_key_jwk")
    }
    #expect(try await app.prepare(key).status == 200)
  }

  @Test func theSecondHalfMustBeTheFirstAgain() async throws {
    let harness = try await FrontendHarness { $0.appIdentifiers = [FrontendHarness.application, "org.example.two"] }
    let app = try await harness.signedIn()
    let key = try DeviceKey()
    let challenge = try await app.prepare(key).response
    for (name, value) in [
      ("platform", "ios"), ("app_identifier", "org.example.two"), ("name", "Other"), ("name", nil),
      ("public_key_jwk", try DeviceKey().jwk),
    ] as [(String, String?)] {
      let answer = try await app.attempt(key, challenge) { $0[name] = value }
      #expect(answer.status == 422)
      #expect(answer.code == "trusted_device_binding_mismatch")
      #expect(answer.parameter == name)
    }
    // None of that used the challenge up.
    #expect(try await app.attempt(key, challenge).status == 200)
  }

  @Test func aChallengeIsOfItsSession() async throws {
    let harness = try await FrontendHarness { $0.singleSession = false }
    let app = try await harness.signedIn()
    let mira = try #require(try await app.sessionID())
    _ = try await app.signIn("noor")
    let noor = try #require(try await app.sessionID())
    let key = try DeviceKey()
    let challenge = try await app.prepare(key, session: mira).response
    let other = try await app.attempt(key, challenge, session: noor)
    #expect(other.code == "trusted_device_binding_mismatch")
    #expect(other.parameter == "client_data")
    let stranger = try await harness.signedIn("noor").attempt(key, challenge)
    #expect(stranger.code == "trusted_device_binding_mismatch")
    #expect(try await app.attempt(key, challenge, session: mira).status == 200)
  }

  @Test func aChallengeIsUsedOnce() async throws {
    let app = try await FrontendHarness().signedIn()
    let key = try DeviceKey()
    let challenge = try await app.prepare(key).response
    #expect(try await app.attempt(key, challenge).status == 200)
    let again = try await app.attempt(key, challenge)
    #expect(again.status == 400)
    #expect(again.code == "trusted_device_challenge_not_found")
    #expect(try await app.send("GET", "me/trusted_devices").response.arrayValue?.count == 1)
  }

  @Test func aChallengeExpires() async throws {
    let harness = try await FrontendHarness { $0.challengeLifetime = .seconds(30) }
    let app = try await harness.signedIn()
    let key = try DeviceKey()
    let challenge = try await app.prepare(key).response
    harness.clock.advance(by: 30)
    let late = try await app.attempt(key, challenge)
    #expect(late.status == 400)
    #expect(late.code == "trusted_device_challenge_expired")
    harness.clock.advance(by: -1)
    #expect(try await app.attempt(key, challenge).status == 200)
  }

  @Test func clientDataMustComeBackByteForByte() async throws {
    let app = try await FrontendHarness().signedIn()
    let key = try DeviceKey()
    let challenge = try await app.prepare(key).response
    let text = try #require(challenge["client_data"]?.stringValue)
    let data = try #require(try JSONValue.parse(text).objectValue)
    var changed = data
    changed["expires_at"] = 9_999_999_999_999
    var foreign = data
    foreign["challenge"] = "AAAA"
    for (bent, code) in [
      ("{}", "trusted_device_invalid_client_data"), ("no JSON", "trusted_device_invalid_client_data"),
      (text + " ", "trusted_device_invalid_client_data"), (" " + text, "trusted_device_invalid_client_data"),
      (changed.serializedString(), "trusted_device_invalid_client_data"),
      (foreign.serializedString(), "trusted_device_challenge_not_found"),
      (String(text.dropLast()), "trusted_device_invalid_client_data"),
    ] {
      let answer = try await app.attempt(key, challenge) {
        $0["client_data"] = bent
        $0["signature"] = try? key.sign(bent)
      }
      #expect(answer.code == code)
      #expect(answer.parameter == "client_data")
    }
  }

  @Test func challengesOfAnotherServerAreNotFound() async throws {
    let key = try DeviceKey()
    let foreign = try await FrontendHarness().signedIn().prepare(key).response
    let answer = try await FrontendHarness().signedIn().attempt(key, foreign)
    #expect(answer.status == 400)
    #expect(answer.code == "trusted_device_challenge_not_found")
  }

  @Test func theSignatureMustBeByTheKeyThatIsEnrolled() async throws {
    let app = try await FrontendHarness().signedIn()
    let key = try DeviceKey()
    let challenge = try await app.prepare(key).response
    let text = try #require(challenge["client_data"]?.stringValue)
    let der = Base64URL.encode(try key.key.sign(Array(text.utf8)).derRepresentation)
    for signature in [
      try DeviceKey().sign(text), try key.sign(text + " "), try key.sign(text) + "=", der, "AAAA",
      Base64URL.encode([UInt8](repeating: 0, count: 64)),
    ] {
      let answer = try await app.attempt(key, challenge) { $0["signature"] = signature }
      #expect(answer.status == 400)
      #expect(answer.code == "trusted_device_signature_verification_failed")
      #expect(answer.parameter == "signature")
    }
    #expect(try await app.attempt(key, challenge) { $0["signature"] = nil }.parameter == "signature")
    #expect(try await app.attempt(key, challenge).status == 200)
  }
}
