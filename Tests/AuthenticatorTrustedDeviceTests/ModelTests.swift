import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

@Suite struct ModelTests {
  static let deviceText = """
    {"id":"tdc_B2","object":"trusted_device","platform":"ios","app_identifier":"org.example.app","name":"Desk phone",
    "algorithm":"ES256","status":"active","created_at":1790000001000,"updated_at":1790000002000,"last_used_at":null,
    "revoked_at":null}
    """

  static func object(_ text: String) throws -> JSONObject {
    try #require(try JSONValue.parse(text).objectValue)
  }

  @Test func readsADevice() throws {
    let device = try TrustedDevice(try Self.object(Self.deviceText))
    #expect(device.id == "tdc_B2")
    #expect(device.platform == .ios)
    #expect(device.appIdentifier == "org.example.app")
    #expect(device.name == "Desk phone")
    #expect(device.algorithm == .es256)
    #expect(device.status == .active)
    #expect(device.createdAt == UnixTime(milliseconds: 1_790_000_001_000))
    #expect(device.updatedAt == UnixTime(milliseconds: 1_790_000_002_000))
    #expect(device.lastUsedAt == nil)
    #expect(device.revokedAt == nil)
    #expect(try TrustedDevice(device.json) == device)
  }

  @Test func readsSecondsAndMilliseconds() throws {
    var object = try Self.object(Self.deviceText)
    object["created_at"] = 1_790_000_001
    #expect(try TrustedDevice(object).createdAt == UnixTime(milliseconds: 1_790_000_001_000))
    object["created_at"] = 10_000_000_000
    #expect(try TrustedDevice(object).createdAt == UnixTime(milliseconds: 10_000_000_000_000))
    object["created_at"] = 10_000_000_001
    #expect(try TrustedDevice(object).createdAt == UnixTime(milliseconds: 10_000_000_001))
    object["created_at"] = 1_790_000_001.5
    #expect(try TrustedDevice(object).createdAt == UnixTime(milliseconds: 1_790_000_001_500))
  }

  @Test(arguments: ["-1", "1e300", "\"1790000001000\"", "true", "[]", "9223372036854775807"])
  func refusesATimeThatIsNone(_ text: String) throws {
    var object = try Self.object(Self.deviceText)
    object["created_at"] = try JSONValue.parse(text)
    #expect(throws: AuthenticatorError(.invalidMessage)) { try TrustedDevice(object) }
  }

  @Test(arguments: ["id", "platform", "app_identifier", "algorithm", "status", "created_at"])
  func refusesADeviceWithout(_ member: String) throws {
    var object = try Self.object(Self.deviceText)
    object[member] = nil
    #expect(throws: AuthenticatorError(.invalidMessage)) { try TrustedDevice(object) }
    object[member] = []
    #expect(throws: AuthenticatorError(.invalidMessage)) { try TrustedDevice(object) }
  }

  @Test(arguments: ["", ".", "..", "a b", "a\u{7F}", String(repeating: "x", count: 2049)])
  func refusesAnIdentifierThatWouldBendAnAddress(_ id: String) throws {
    var object = try Self.object(Self.deviceText)
    object["id"] = .string(id)
    #expect(throws: AuthenticatorError(.invalidMessage)) { try TrustedDevice(object) }
  }

  @Test func keepsWordsItDoesNotKnow() throws {
    var object = try Self.object(Self.deviceText)
    object["platform"] = "visionos"
    object["algorithm"] = "ES512"
    object["status"] = "suspended"
    let device = try TrustedDevice(object)
    #expect(device.platform.rawValue == "visionos")
    #expect(device.algorithm.rawValue == "ES512")
    #expect(device.status.rawValue == "suspended")
    #expect(device.json["platform"] == "visionos")
    #expect(device.json["algorithm"] == "ES512")
    #expect(device.json["status"] == "suspended")
    let reason = TrustedDeviceAvailability.UnavailableReason(rawValue: "later")
    #expect(TrustedDeviceAvailability.unavailable(reason).unavailableReason?.rawValue == "later")
    #expect(TrustedDevicePolicy(rawValue: "later").rawValue == "later")
  }

  @Test func storesPoliciesByTheirWords() {
    #expect(
      TrustedDevicePolicy.known.map(\.rawValue)
        == ["biometry_current_set", "biometry_any", "biometry_or_device_passcode"])
  }

  @Test func spellsTheNineReasonsLikeTheVendor() {
    #expect(
      TrustedDeviceAvailability.UnavailableReason.known.prefix(9).map(\.rawValue) == [
        "environmentUnavailable", "nativeAPIDisabled", "featureDisabled", "unsupportedPlatform",
        "biometricAuthenticationUnavailable", "noLocalCredential", "localKeyMissing", "serverCredentialMissing",
        "serverCredentialRevoked",
      ])
  }

  @Test func readsAChallenge() throws {
    let object = try #require(
      Wire.challenge(for: "tdc_1", expires: UnixTime(milliseconds: 1_790_000_600_000)).objectValue)
    let challenge = try TrustedDeviceChallenge(object)
    #expect(challenge.challenge == "Zm9v")
    #expect(challenge.challengeID == "ch_1")
    #expect(challenge.trustedDeviceID == "tdc_1")
    #expect(challenge.clientData == #"{"challenge_id":"ch_1"}"#)
    #expect(challenge.expiresAt == UnixTime(milliseconds: 1_790_000_600_000))
    #expect(challenge.algorithm == .es256)
  }

  @Test func checksAChallengeBeforeItIsShown() throws {
    let end = UnixTime(milliseconds: 1_790_000_600_000)
    let before = UnixTime(milliseconds: end.milliseconds - 1)
    var object = try #require(Wire.challenge(for: "tdc_1", expires: end).objectValue)
    try TrustedDeviceChallenge(object).check(signer: "tdc_1", at: before)
    #expect(throws: AuthenticatorError(.challengeExpired)) {
      try TrustedDeviceChallenge(object).check(signer: "tdc_1", at: end)
    }
    #expect(throws: AuthenticatorError(.challengeMismatch)) {
      try TrustedDeviceChallenge(object).check(signer: "tdc_2", at: before)
    }
    #expect(throws: AuthenticatorError(.challengeMismatch)) {
      try TrustedDeviceChallenge(object).check(signer: nil, at: before)
    }
    object["trusted_device_id"] = nil
    try TrustedDeviceChallenge(object).check(signer: "tdc_2", at: before)
    object["algorithm"] = "RS256"
    #expect(throws: AuthenticatorError(.challengeMismatch)) {
      try TrustedDeviceChallenge(object).check(signer: "tdc_1", at: before)
    }
    object["algorithm"] = "ES256"
    object["client_data"] = ""
    #expect(throws: AuthenticatorError(.challengeMismatch)) {
      try TrustedDeviceChallenge(object).check(signer: "tdc_1", at: before)
    }
  }

  @Test func switchesOffWhatIsAbsent() throws {
    let absent = FrontendEnvironment()
    #expect(try FrontendEnvironment(JSONObject()) == absent)
    #expect(try FrontendEnvironment(["auth_config": [:]]) == absent)
    #expect(try FrontendEnvironment(["auth_config": ["native_settings": .null]]) == absent)
    #expect(try FrontendEnvironment(["auth_config": ["native_settings": ["api_enabled": true]]]).isNativeAPIEnabled)
    let object = try #require(Wire.environment(afterSignIn: true, afterSignUp: true).objectValue)
    let settings = try FrontendEnvironment(object)
    #expect(settings.isTrustedDeviceSignInEnabled)
    #expect(settings.offersEnrollmentAfterSignIn)
    #expect(settings.offersEnrollmentAfterSignUp)
    let later = try FrontendEnvironment(["auth_config": ["native_settings": ["biometric_sign_in_enabled": true]]])
    #expect(later.isTrustedDeviceSignInEnabled)
    #expect(throws: AuthenticatorError(.invalidMessage)) {
      try FrontendEnvironment(["auth_config": ["native_settings": ["api_enabled": "true"]]])
    }
  }

  @Test func readsASignInWithItsFactorAndChallenge() throws {
    var object = try #require(
      Wire.signIn(challenge: Wire.challenge(for: "tdc_1", expires: UnixTime(milliseconds: 1_790_000_600_000)))
        .objectValue)
    object["supported_first_factors"] = [
      ["strategy": "trusted_device", "trusted_device_id": "tdc_1"], ["strategy": "biometric_credential"],
      ["strategy": "smoke_signal"],
    ]
    let signIn = try SignIn(object)
    #expect(signIn.status == .needsFirstFactor)
    #expect(signIn.createdSessionID == nil)
    #expect(signIn.supportedFirstFactors.map(\.strategy.isTrustedDevice) == [true, true, false])
    #expect(signIn.supportedFirstFactors[0].trustedDeviceID == "tdc_1")
    #expect(signIn.supportedFirstFactors[2].strategy.rawValue == "smoke_signal")
    #expect(signIn.firstFactorVerification?.trustedDeviceChallenge?.trustedDeviceID == "tdc_1")
    object["status"] = "needs_a_drink"
    #expect(try SignIn(object).status.rawValue == "needs_a_drink")
  }

  @Test func readsASessionWithItsUser() throws {
    let object = try #require(Wire.session("sess_A", user: "user_A", status: "pending").objectValue)
    let session = try FrontendSession(object)
    #expect(session.status == .pending)
    #expect(session.isSignedIn)
    #expect(session.tasks == ["choose-organization"])
    #expect(session.user?.id == "user_A")
    #expect(session.user?.identifierHint == "user_A@example.com")
    #expect(try FrontendSession(["id": "s", "status": "active", "user_id": "u"]).user?.id == "u")
  }

  /// Whatever is done to a text, a reader answers or throws its own error.
  @Test func survivesDamage() throws {
    let texts = [
      Self.deviceText, Wire.challenge(for: "x", expires: UnixTime(milliseconds: 1)).serializedString(),
      Wire.session("s", user: "u").serializedString(), Wire.environment().serializedString(),
      Wire.signIn(challenge: Wire.challenge(expires: UnixTime(milliseconds: 1))).serializedString(),
    ]
    let readers: [(JSONObject) throws -> Void] = [
      { _ = try TrustedDevice($0) }, { _ = try TrustedDeviceChallenge($0) }, { _ = try FrontendSession($0) },
      { _ = try FrontendEnvironment($0) }, { _ = try SignIn($0) }, { _ = try SignUp($0) },
    ]
    func read(_ bytes: [UInt8]) {
      let error = FrontendAPIError(status: 422, body: bytes)
      #expect(error.errors.count <= 32)
      guard let object = try? JSONValue.parse(bytes).objectValue else { return }
      for reader in readers {
        do { try reader(object) } catch { #expect((error as? AuthenticatorError)?.code == .invalidMessage) }
      }
    }
    for text in texts {
      let bytes = Array(text.utf8)
      for end in bytes.indices { read(Array(bytes[..<end])) }
      for place in bytes.indices {
        for bit in 0..<8 {
          var damaged = bytes
          damaged[place] ^= 1 << bit
          read(damaged)
        }
      }
    }
  }
}
