import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorDeviceBinding
import AuthenticatorJOSE
import AuthenticatorJourney
import AuthenticatorKeyStore
import AuthenticatorRelyingParty
import AuthenticatorTestSupport
import DeviceAuthenticators
import Synchronization
import Testing

@Suite struct BindTests {
  // MARK: Success

  static let types: [(String, [ScriptedStep], AuthenticatorType, [PromptRecord.Kind])] = [
    ("BIOMETRIC_ONLY", [.match()], .biometricOnly, [.biometric]),
    ("BIOMETRIC_ALLOW_FALLBACK", [.match()], .biometricAllowFallback, [.biometric]),
    ("APPLICATION_PIN", [.pin("1234")], .applicationPIN, [.pin]),
    ("NONE", [], .none, []),
  ]

  @Test(arguments: types)
  func bindsWithOnePrompt(
    _ word: String, _ steps: [ScriptedStep], _ type: AuthenticatorType, _ prompts: [PromptRecord.Kind]
  ) async throws {
    let kit = try BindingKit(steps: steps)
    let (node, callback) = try await kit.bindPage(word)
    let key = try await callback.bind(kit.configuration)
    #expect(kit.verifier.prompts.map(\.kind) == prompts)
    #expect(key.record.authenticator == type)
    #expect(try await kit.states() == [.staged])
    #expect(callback.clientError == nil)
    #expect(callback.deviceName == "Test device")

    try await kit.accept(node)
    let record = try #require(try await kit.records().first)
    #expect(record.state == .active)
    #expect(record.owner == kit.device.owner(BindingKit.mira))
    #expect(record.externalID == Array(key.keyID.utf8))
    #expect(UserKey(record)?.userName == "mira")
    #expect(UserKey(record)?.authenticationType.rawValue == word)
    let sent = try #require(kit.transport.requests.last?.json?["callbacks"]?[0]?["input"]?.arrayValue)
    #expect(
      sent.map { $0["name"] } == ["IDToken1jws", "IDToken1deviceName", "IDToken1deviceId", "IDToken1clientError"])
    #expect(sent[0]["value"]?.stringValue?.isEmpty == false)
    #expect(sent[2]["value"]?.stringValue?.count == 64)
    #expect(sent[3]["value"] == "")
  }

  @Test func writesTheProof() async throws {
    let kit = try BindingKit(steps: [.match()])
    let (_, callback) = try await kit.bindPage(timeout: 90)
    let key = try await callback.bind(kit.configuration)
    let now = kit.clock.now.seconds
    let text = try #require(callback.jws)
    let jws = try CompactJWS.parse(text)
    #expect(jws.header.names == ["alg", "kid", "typ", "jwk"])
    #expect(jws.header["alg"] == "ES256")
    #expect(jws.header["typ"] == "JWS")
    #expect(jws.header["kid"] == .string(key.keyID))
    let jwk = try #require(jws.header["jwk"]?.objectValue)
    #expect(Set(jwk.names) == ["kty", "crv", "x", "y", "use", "alg", "kid"])
    #expect(jwk["use"] == "sig")
    let claims = try jws.claims()
    #expect(
      claims == [
        "iss": "com.example.app", "sub": .string(BindingKit.mira), "challenge": "q3PzJ0mYtS2m0Q+/=",
        "iat": .integer(now), "nbf": .integer(now - 5), "exp": .integer(now + 90),
        "platform": .string(DeviceBindingConfiguration.ownPlatform),
      ])
    let verifier = DeviceBindingVerifier(applicationIDs: ["com.example.app"])
    let (bound, _) = try verifier.verifyBinding(
      text, userID: BindingKit.mira, challenge: "q3PzJ0mYtS2m0Q+/=", now: now)
    #expect(bound.publicKey == key.record.publicKey)
    #expect(jws.signature.count == 64)
  }

  @Test func namesEachKeyAfresh() async throws {
    let kit = try BindingKit()
    let first = try await kit.bind(.match())
    let second = try await kit.bind(.match())
    #expect(first.keyID != second.keyID)
    let parts = first.keyID.split(separator: "-")
    #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
    #expect(parts[2].first == "4")
    #expect(first.keyID != first.tag.rawValue)
  }

  @Test func takesTimesAfterThePrompt() async throws {
    let kit = try BindingKit(steps: [.match()])
    let (_, callback) = try await kit.bindPage()
    let slow = SlowToVerify(context: kit.device.context)
    slow.clock = kit.clock
    _ = try await callback.bind(kit.configuration, with: slow)
    let claims = try CompactJWS.parse(try #require(callback.jws)).claims()
    #expect(claims["iat"] == .integer(kit.clock.now.seconds))
    #expect(claims["exp"] == .integer(kit.clock.now.seconds + 60))
  }

  @Test func showsServersTextsUnlessAppHasItsOwn() async throws {
    var kit = try BindingKit(steps: [.match(), .match()])
    _ = try await kit.bindPage().callback.bind(kit.configuration)
    #expect(kit.verifier.prompts[0].title == "Server title")
    #expect(kit.verifier.prompts[0].subtitle == "Server subtitle")
    #expect(kit.verifier.prompts[0].reason == "Server reason")
    kit.configuration.prompt = Prompt(title: "Ours", reason: "Because")
    _ = try await kit.bindPage().callback.bind(kit.configuration)
    #expect(kit.verifier.prompts[1].title == "Ours")
    #expect(kit.verifier.prompts[1].subtitle == "")
    #expect(kit.verifier.prompts[1].reason == "Because")
  }

  @Test func cleansServersTexts() async throws {
    let kit = try BindingKit(steps: [.match()])
    var json = try #require(BindingKit.binding().objectValue)
    json["output"] = .array(
      (json["output"]?.arrayValue ?? []).map { entry in
        entry["name"] == "description"
          ? ["name": "description", "value": .string("a\u{202E}b\u{0}" + String(repeating: "é", count: 5000))] : entry
      })
    let node = try await kit.page(.object(json))
    _ = try await node.callback(DeviceBindingCallback.self)?.bind(kit.configuration)
    let reason = try #require(kit.verifier.prompts.first?.reason)
    #expect(reason.hasPrefix("abé"))
    #expect(reason.utf8.count <= 1024)
  }

  @Test func tellsItsNameAndIdentifier() async throws {
    var kit = try BindingKit(steps: [.match(), .match()])
    let first = try await kit.bindPage().callback
    _ = try await first.bind(kit.configuration)
    kit.configuration.deviceName = "Mira's kiosk"
    let second = try await kit.bindPage().callback
    _ = try await second.bind(kit.configuration)
    #expect(second.deviceName == "Mira's kiosk")
    #expect(first.deviceID == second.deviceID)
    #expect(try await DeviceIdentity(kit.device.context).identifier() == first.deviceID)
    var elsewhere = kit.device.context
    elsewhere.instance = "https://other.example.com/am"
    #expect(try await DeviceIdentity(elsewhere).identifier() != first.deviceID)
  }

  @Test func twoFirstRunsAtOnceGetOneIdentifier() async throws {
    let device = try TestDevice()
    let identity = DeviceIdentity(device.context)
    let other = Mutex("")
    // Another process makes one after this one found none.
    device.store.interrupt(before: .exchangeItem) {
      let identifier = try await identity.identifier()
      other.withLock { $0 = identifier }
    }
    #expect(try await identity.identifier() == other.withLock { $0 })
    #expect(try await DeviceIdentity(device.context).identifier() == other.withLock { $0 })
  }

  @Test func attestsWhenItCan() async throws {
    var kit = try BindingKit(steps: [.match()])
    kit.configuration.attestor = Attestor()
    let (_, callback) = try await kit.bindPage(attestation: true)
    _ = try await callback.bind(kit.configuration)
    let jwk = try CompactJWS.parse(try #require(callback.jws)).header["jwk"]
    #expect(jwk?["x5c"] == ["AQID", .string(Base64.encode(Array("q3PzJ0mYtS2m0Q+/=".utf8)))])
  }

  @Test func mapsWordsAsTheAppSays() async throws {
    var kit = try BindingKit(steps: [.passcode("482913"), .passcode("482913")])
    kit.configuration.types[.biometricAllowFallback] = .devicePasscode
    let (node, callback) = try await kit.bindPage("BIOMETRIC_ALLOW_FALLBACK")
    let key = try await callback.bind(kit.configuration)
    #expect(key.record.authenticator == .devicePasscode)
    #expect(key.authenticationType == .biometricAllowFallback)
    try await kit.accept(node)
    let (signNode, signing) = try await kit.signPage()
    #expect(try await signing.sign(kit.configuration).tag == key.tag)
    try await kit.accept(signNode)
    #expect(kit.verifier.prompts.map(\.kind) == [.passcode, .passcode])
  }

  // MARK: The server's clock

  private func date(_ kit: BindingKit, ahead seconds: Int64) -> [HTTPField] {
    // The test's clock starts at 2023-11-14T22:13:20Z.
    return [HTTPField("Date", seconds == 3600 ? "Tue, 14 Nov 2023 23:13:20 GMT" : "Tue, 14 Nov 2023 22:13:23 GMT")]
  }

  @Test func usesTheServersClock() async throws {
    let kit = try BindingKit(steps: [.match()])
    let (_, callback) = try await kit.bindPage(fields: date(kit, ahead: 3600))
    _ = try await callback.bind(kit.configuration)
    let claims = try CompactJWS.parse(try #require(callback.jws)).claims()
    #expect(claims["iat"] == 1_700_003_600)
    #expect(claims["exp"] == 1_700_003_660)
  }

  @Test func ignoresSmallDifferences() async throws {
    let kit = try BindingKit(steps: [.match()])
    let (_, callback) = try await kit.bindPage(fields: date(kit, ahead: 3))
    _ = try await callback.bind(kit.configuration)
    #expect(try CompactJWS.parse(try #require(callback.jws)).claims()["iat"] == 1_700_000_000)
  }

  @Test func tellsSkewAsSkew() async throws {
    let kit = try BindingKit()
    let (_, callback) = try await kit.bindPage(fields: [HTTPField("Date", "Wed, 15 Nov 2028 22:13:23 GMT")])
    #expect(await thrown { try await callback.bind(kit.configuration) }?.code == .clockSkewed)
    #expect(callback.clientError == "Abort")
    #expect(kit.verifier.prompts.isEmpty)
  }
}

/// Attests with certificates that show what they were given.
private struct Attestor: BindingKeyAttestor {
  func canAttest(_ type: AuthenticatorType) async -> Bool { type == .biometricOnly }
  func certificates(for key: SigningKey, challenge: String) async throws -> [[UInt8]] {
    [[1, 2, 3], Array(challenge.utf8)]
  }
}

/// Takes 30 seconds to verify the person.
private final class SlowToVerify: BiometricOnlyAuthenticator {
  var clock: ManualClock?
  override func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    let ticket = try await super.verify(request, by: access)
    clock?.advance(by: .seconds(30))
    return ticket
  }
}
