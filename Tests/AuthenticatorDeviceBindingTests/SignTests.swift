import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorJOSE
import AuthenticatorJourney
import AuthenticatorKeyStore
import AuthenticatorRelyingParty
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

@Suite struct SignTests {
  // MARK: The proof

  @Test(arguments: BindTests.types)
  func signsWithWhatWasBound(
    _ word: String, _ steps: [ScriptedStep], _ type: AuthenticatorType, _ prompts: [PromptRecord.Kind]
  ) async throws {
    let kit = try BindingKit(steps: steps)
    let (node, binding) = try await kit.bindPage(word)
    let key = try await binding.bind(kit.configuration)
    try await kit.accept(node)
    kit.verifier.script(steps)
    let (signNode, callback) = try await kit.signPage()
    #expect(try await callback.sign(kit.configuration).tag == key.tag)
    #expect(kit.verifier.prompts.map(\.kind) == prompts + prompts)
    #expect(callback.clientError == nil)

    let text = try #require(callback.jws)
    let jws = try CompactJWS.parse(text)
    #expect(jws.header == ["alg": "ES256", "kid": .string(key.keyID), "typ": "JWS"])
    let now = kit.clock.now.seconds
    #expect(
      try jws.claims() == [
        "iss": "com.example.app", "sub": .string(BindingKit.mira), "challenge": "8Z1nC5aLh7Rw4U+/=",
        "iat": .integer(now), "nbf": .integer(now - 5), "exp": .integer(now + 60),
      ])
    try DeviceBindingVerifier(applicationIDs: ["com.example.app"]).verifySigning(
      DeviceProof(text), key: BoundKey(keyID: key.keyID, publicKey: key.record.publicKey), userID: BindingKit.mira,
      challenge: "8Z1nC5aLh7Rw4U+/=", now: now)

    try await kit.accept(signNode)
    let inputs = try #require(kit.transport.requests.last?.json?["callbacks"]?[0]?["input"]?.arrayValue)
    #expect(inputs.map { $0["value"] } == [.string(text), ""])
  }

  @Test func showsServersTextsUnlessAppHasItsOwn() async throws {
    var kit = try BindingKit()
    try await kit.bind(.match())
    try await kit.sign(.match())
    #expect(kit.verifier.prompts.last?.title == "Confirm")
    #expect(kit.verifier.prompts.last?.reason == "Approve 20 EUR")
    kit.configuration.prompt = Prompt(reason: "Ours")
    try await kit.sign(.match())
    #expect(kit.verifier.prompts.last?.reason == "Ours")
  }

  @Test func usesTheServersClock() async throws {
    let kit = try BindingKit()
    try await kit.bind("NONE")
    let (_, callback) = try await kit.signPage(fields: [HTTPField("Date", "Tue, 14 Nov 2023 23:13:20 GMT")])
    try await callback.sign(kit.configuration)
    #expect(try CompactJWS.parse(try #require(callback.jws)).claims()["iat"] == 1_700_003_600)
  }

  // MARK: Claims of the app

  private func claims(_ claims: JSONObject) async throws -> (BindingKit, DeviceSigningVerifierCallback) {
    var kit = try BindingKit()
    try await kit.bind("NONE")
    kit.store.repair()
    kit.configuration.customClaims = claims
    return (kit, try await kit.signPage().callback)
  }

  @Test func signsClaimsOfTheApp() async throws {
    let (kit, callback) = try await claims([
      "amount": "20", "lines": [1, 2.50, nil], "platform": "mine", "Sub": "free", "EXP": 1,
    ])
    try await callback.sign(kit.configuration)
    let claims = try CompactJWS.parse(try #require(callback.jws)).claims()
    #expect(claims["amount"] == "20")
    #expect(claims["lines"]?.serializedString() == "[1,2.5,null]")
    #expect(claims["platform"] == "mine")
    #expect(claims["Sub"] == "free")
    #expect(claims["sub"] == .string(BindingKit.mira))
  }

  @Test(arguments: ["sub", "exp", "iat", "nbf", "iss", "challenge"])
  func refusesReservedClaim(_ name: String) async throws {
    let (kit, callback) = try await claims(["amount": 1, "\(name)": "x"])
    let error = await thrown { try await callback.sign(kit.configuration) }
    #expect(error?.code == .invalidCustomClaims)
    #expect(error?.reason == "the claim \(name) is reserved")
    #expect(callback.clientError == "Abort")
    #expect(callback.jws == nil)
    #expect(!kit.store.calls.contains(.sign))
  }

  @Test func refusesReservedClaimBeforeAnythingElse() async throws {
    var kit = try BindingKit()
    kit.configuration.customClaims = ["sub": "x"]
    kit.configuration.context.environment.appIdentifier = nil
    // No key, no app identifier, no time: the claim comes first.
    let (_, callback) = try await kit.signPage(timeout: 0)
    #expect(await thrown { try await callback.sign(kit.configuration) }?.code == .invalidCustomClaims)
  }

  @Test func honorsAuthenticatorThatAdmitsEverything() async throws {
    var (kit, callback) = try await claims(["sub": "mallory", "exp": 1, "amount": 1])
    kit.configuration.factories.register(.none) { AdmitsEverything(context: $0) }
    try await callback.sign(kit.configuration)
    let claims = try CompactJWS.parse(try #require(callback.jws)).claims()
    // Admitted, and yet the proof's own claims win.
    #expect(claims["sub"] == .string(BindingKit.mira))
    #expect(claims["exp"] == .integer(kit.clock.now.seconds + 60))
    #expect(claims["amount"] == 1)
  }

  @Test(arguments: [true, false])
  func honorsAuthenticatorThatAdmitsNothing(_ isLive: Bool) async throws {
    var (kit, callback) = try await claims(["amount": 1])
    kit.configuration.factories.register(.none) { AdmitsNothing(context: $0) }
    let error = await thrown {
      try await callback.sign(kit.configuration, with: isLive ? AdmitsNothing(context: kit.device.context) : nil)
    }
    #expect(error?.code == .invalidCustomClaims)
    #expect(!kit.store.calls.contains(.sign))
  }

  @Test func honorsOwnTimesAndProof() async throws {
    var kit = try BindingKit()
    try await kit.bind("NONE")
    kit.configuration.factories.register(.none) { OwnProof(context: $0) }
    let (_, callback) = try await kit.signPage()
    try await callback.sign(kit.configuration)
    #expect(callback.jws == "own:1000:900:1060:/alpha")
  }
}

private final class AdmitsEverything: NoneAuthenticator, JWSSigningAuthenticator {
  func validateCustomClaims(_ claims: JSONObject) async -> Bool { true }
}

private final class AdmitsNothing: NoneAuthenticator, JWSSigningAuthenticator {
  func validateCustomClaims(_ claims: JSONObject) async -> Bool { false }
}

/// Shows what it was given.
private final class OwnProof: NoneAuthenticator, JWSSigningAuthenticator {
  func issueTime() -> UnixTime { UnixTime(milliseconds: 1_000_000) }
  func notBeforeTime() -> UnixTime { UnixTime(milliseconds: 900_000) }
  func sign(params: UserKeySigningParameters, journey: JourneyContext?) async throws -> String {
    let times = [params.issueTime, params.notBeforeTime, params.expirationTime].map { String($0.seconds) }
    return "own:\(times.joined(separator: ":")):\(journey?.realm ?? "")"
  }
}
