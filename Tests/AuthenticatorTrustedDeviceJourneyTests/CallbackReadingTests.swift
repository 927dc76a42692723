import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTrustedDevice
import AuthenticatorTrustedDeviceJourney
import Testing

@Suite struct CallbackReadingTests {
  static let challenge: JSONObject = [
    "object": "trusted_device_challenge", "challenge": "q83v", "challenge_id": "tdch_1", "client_data": "{}",
    "expires_at": 1_790_000_300_000, "algorithm": "ES256",
  ]
  static let enroll: JSONObject = [
    "_type": "TrustedDevice", "_action": "trusted_device_enroll", "challenge": .object(challenge),
    "trusted_device_id": "tdc_1", "user_id": "user_1", "username": "mira", "policy": "biometry_any",
    "reason": "Enroll", "timeout": 60,
  ]
  static let signIn: JSONObject = [
    "_type": "TrustedDevice", "_action": "trusted_device_sign_in", "challenge": .object(challenge),
    "user_id": "user_1", "reason": "Sign in", "timeout": 60,
  ]

  private func payload(_ data: JSONValue) throws -> CallbackPayload {
    try CallbackPayload(
      ["type": "MetadataCallback", "output": [["name": "data", "value": data]]],
      context: CallbackContext(journey: JourneyContext(instance: "https://am.example.com", realm: "/", journey: "J")))
  }

  private func read(_ data: JSONObject) throws -> Callback {
    try CallbackRegistry.standard.registeringTrustedDevices().make(try payload(.object(data)))
  }

  @Test func readsBothByTheirContent() throws {
    let enroll = try #require(try read(Self.enroll) as? TrustedDeviceEnrollCallback)
    #expect(enroll.trustedDeviceID == "tdc_1")
    #expect(enroll.userID == "user_1")
    #expect(enroll.username == "mira")
    #expect(enroll.policy == .biometryAny)
    #expect(enroll.reason == "Enroll")
    #expect(enroll.timeout == .seconds(60))
    #expect(enroll.challenge.challengeID == "tdch_1")
    let signIn = try #require(try read(Self.signIn) as? TrustedDeviceSignInCallback)
    #expect(signIn.userID == "user_1")
    var usernameless = Self.signIn
    usernameless["user_id"] = nil
    #expect(try (read(usernameless) as? TrustedDeviceSignInCallback)?.userID == nil)
    usernameless["user_id"] = .null
    #expect(try (read(usernameless) as? TrustedDeviceSignInCallback)?.userID == nil)
  }

  @Test func leavesOtherMetadataAlone() throws {
    for (name, value) in [
      ("_type", "WebAuthn"), ("_action", "trusted_device_dance"), ("_action", "webauthn_registration"),
    ] {
      var data = Self.enroll
      data[name] = .string(value)
      let callback = try read(data)
      #expect(callback is MetadataCallback)
      #expect(!(callback is TrustedDeviceCallback))
    }
    let stage = try CallbackRegistry.standard.registeringTrustedDevices().make(try payload(["stage": "Login"]))
    #expect((stage as? MetadataCallback)?.stage == "Login")
  }

  @Test(arguments: ["challenge", "trusted_device_id", "user_id", "username", "policy", "reason", "timeout"])
  func namesWhatAnEnrollmentLacks(_ member: String) throws {
    for value in [nil, JSONValue.array([])] {
      var data = Self.enroll
      data[member] = value
      do {
        _ = try read(data)
        Issue.record("\(member) was not missed")
      } catch let error as AuthenticatorError {
        #expect(error.code == .invalidMessage)
        #expect(error.reason.contains(member))
      }
    }
  }

  @Test(arguments: ["challenge", "reason", "timeout"]) func namesWhatASignInLacks(_ member: String) throws {
    var data = Self.signIn
    data[member] = nil
    #expect(throws: AuthenticatorError(.invalidMessage)) { try read(data) }
  }

  @Test func boundsTimeAndText() throws {
    var data = Self.enroll
    for (value, expected) in [(0, 1), (-5, 1), (90, 90), (1 << 40, 3600)] as [(Int64, Int)] {
      data["timeout"] = .integer(value)
      #expect(try (read(data) as? TrustedDeviceCallback)?.timeout == .seconds(expected))
    }
    data["reason"] = .string(String(repeating: "x", count: 5000))
    #expect(try (read(data) as? TrustedDeviceCallback)?.reason.count == 512)
    data["user_id"] = .string(String(repeating: "x", count: 5000))
    #expect(throws: AuthenticatorError(.invalidMessage)) { try read(data) }
  }

  @Test func showsNoChallenge() throws {
    let callback = try read(Self.enroll)
    var text = ""
    dump(callback, to: &text)
    #expect(!text.contains("q83v"))
  }

  // MARK: Words

  @Test func hasAWordForEveryCode() {
    let extra: [AuthenticatorError.Code] = [
      .signedOut, .sessionChanged, .policyUnsupported, .noLocalCredential, .credentialGone, .challengeExpired,
      .challengeMismatch, .challengeNotFound,
    ]
    for code in AuthenticatorError.Code.known + extra + [.init(rawValue: "an app's own")] {
      let word = TrustedDeviceClientError(code)
      #expect(TrustedDeviceClientError.known.contains(word))
      #expect((1...64).contains(word.rawValue.utf8.count))
      #expect(word.rawValue.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 })
    }
    #expect(TrustedDeviceClientError(.init(rawValue: "an app's own")) == .signingFailed)
    #expect(Set(TrustedDeviceClientError.known.map(\.rawValue)).count == TrustedDeviceClientError.known.count)
  }

  @Test func mapsTheCodesThatMatter() {
    let table: [(AuthenticatorError.Code, TrustedDeviceClientError)] = [
      (.unsupported, .unsupportedPlatform), (.verifierUnavailable, .biometricAuthenticationUnavailable),
      (.biometryNotEnrolled, .biometricAuthenticationUnavailable), (.passcodeNotSet, .passcodeNotSet),
      (.hardwareRequired, .secureKeyStorageUnavailable), (.policyUnsupported, .policyUnsupported),
      (.noLocalCredential, .noLocalCredential), (.keyNotFound, .keyNotFound), (.keyInvalidated, .keyInvalidated),
      (.userCanceled, .biometricAuthenticationCanceled), (.systemCanceled, .biometricAuthenticationCanceled),
      (.userVerificationFailed, .biometricAuthenticationFailed), (.lockedOut, .biometricLockout),
      (.timedOut, .timeout), (.challengeExpired, .challengeExpired), (.challengeMismatch, .challengeMismatch),
      (.keyGenerationFailed, .keyGenerationFailed), (.storageFailed, .signingFailed),
    ]
    for (code, word) in table { #expect(TrustedDeviceClientError(code) == word) }
  }
}
