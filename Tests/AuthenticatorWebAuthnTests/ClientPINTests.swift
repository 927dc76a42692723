import AuthenticatorCBOR
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import Testing

@testable import AuthenticatorWebAuthn

@Suite("CTAP2 client PIN") struct ClientPINTests {
  private func client(_ platform: Platform) async throws -> CTAP2Client {
    try CTAP2Client(try CTAP2Authenticator(try await platform.authenticator(.none)))
  }

  private func retries(_ client: CTAP2Client) async -> CBORValue? { await client.send(6, [2: 1]).value?[3] }

  @Test(arguments: PINUVAuthProtocol.allCases)
  func aPINVerifiesThePersonForKeysWithoutAGate(_ version: PINUVAuthProtocol) async throws {
    let platform = try Platform(.approve, .approve)
    let client = try await client(platform)
    #expect(try await client.setPIN("1234", version) == .ok)
    #expect(await client.send(4).value?[4]?["clientPin"] == true)
    let token = try #require(try await client.token("1234", version).token)
    #expect(token.count == 32)
    let code = version.authenticate(CTAP2Client.hash, key: token)
    var creation = CTAP2Client.creation()
    creation[8] = .bytes(code)
    creation[9] = .integer(version.rawValue)
    let made = await client.send(1, .map(creation))
    #expect(made.status == .ok)
    let data = try AuthenticatorData(rawBytes: try #require(made.value?[2]?.bytesValue))
    #expect(data.flags == [.userPresent, .userVerified, .attestedCredentialData])
    // The token was used; the next ceremony needs another.
    #expect(await client.status(1, .map(creation)) == .pinAuthInvalid)
    let next = try #require(try await client.token("1234", version, permissions: 2).token)
    var assertion = CTAP2Client.assertion()
    assertion[6] = .bytes(version.authenticate(CTAP2Client.hash, key: next))
    assertion[7] = .integer(version.rawValue)
    let answer = await client.send(2, .map(assertion))
    #expect(
      try AuthenticatorData(rawBytes: try #require(answer.value?[2]?.bytesValue)).flags
        == [.userPresent, .userVerified])
    #expect(answer.value?[4]?["name"] == "alice")
  }

  /// A client first looks for the credential in silence, then asks for it with the same token.
  @Test func aSilentQuestionLeavesTheTokenAsItIs() async throws {
    let platform = try Platform(.approve, .approve)
    let client = try await client(platform)
    _ = await client.send(1, .map(CTAP2Client.creation()))
    #expect(try await client.setPIN("1234") == .ok)
    let token = try #require(try await client.token("1234", .two, permissions: 2).token)
    var assertion = CTAP2Client.assertion()
    assertion[6] = .bytes(PINUVAuthProtocol.two.authenticate(CTAP2Client.hash, key: token))
    assertion[7] = 2
    let silent = await client.send(2, assertion.with(5, ["up": false]))
    #expect(
      try AuthenticatorData(rawBytes: try #require(silent.value?[2]?.bytesValue)).flags == [],
      "what was verified is stated once")
    let answer = await client.send(2, .map(assertion))
    #expect(
      try AuthenticatorData(rawBytes: try #require(answer.value?[2]?.bytesValue)).flags
        == [.userPresent, .userVerified])
    #expect(await client.status(2, .map(assertion)) == .pinAuthInvalid)
  }

  @Test func theConfiguredLengthIsDemandedAndTold() async throws {
    let platform = try Platform(configuration: WebAuthnPlatformConfiguration(minimumPINLength: 6))
    let client = try await client(platform)
    #expect(await client.send(4).value?[13] == 6)
    #expect(try await client.setPIN("12345") == .pinPolicyViolation)
    #expect(try await client.setPIN("123456") == .ok)
    #expect(try await client.changePIN(from: "123456", to: "54321") == .pinPolicyViolation)
    for (asked, held) in [(0, 4), (100, 63)] {
      #expect(WebAuthnPlatformConfiguration(minimumPINLength: asked).minimumPINLength == held)
    }
  }

  @Test func aProtectedDeviceMakesDiscoverableCredentialsWithAPINOnly() async throws {
    let platform = try Platform(.approve)
    let client = try await client(platform)
    #expect(try await client.setPIN("1234") == .ok)
    #expect(await client.status(1, .map(CTAP2Client.creation())) == .pinUvAuthTokenRequired)
    #expect(await client.status(1, .map(CTAP2Client.creation(resident: false))) == .ok)
  }

  @Test func aCodeOfNoLengthTellsWhetherAPINIsSet() async throws {
    let platform = try Platform(.approve, .approve)
    let client = try await client(platform)
    let probe = CTAP2Client.creation().with(8, .bytes([]))
    #expect(await client.status(1, probe) == .pinNotSet)
    #expect(try await client.setPIN("1234") == .ok)
    #expect(await client.status(1, probe) == .pinInvalid)
  }

  @Test(arguments: ["123", String(repeating: "1", count: 64), "äöü"])
  func refusesAPINOfTheWrongLength(_ pin: String) async throws {
    let client = try await client(try Platform())
    #expect(try await client.setPIN(pin) == .pinPolicyViolation)
    #expect(await client.send(4).value?[4]?["clientPin"] == false)
  }

  @Test func aPINIsSetOnceAndChangedWithTheOldOne() async throws {
    let client = try await client(try Platform())
    #expect(try await client.changePIN(from: "1234", to: "5678") == .pinNotSet)
    #expect(try await client.token("1234").status == .pinNotSet)
    #expect(try await client.setPIN("1234") == .ok)
    #expect(try await client.setPIN("5678") == .pinAuthInvalid)
    #expect(try await client.changePIN(from: "9999", to: "5678") == .pinInvalid)
    #expect(try await client.changePIN(from: "1234", to: "567") == .pinPolicyViolation)
    #expect(try await client.changePIN(from: "1234", to: "5678") == .ok)
    #expect(try await client.token("1234").status == .pinInvalid)
    #expect(try await client.token("5678").status == .ok)
  }

  @Test func aChangedPINVoidsItsTokens() async throws {
    let platform = try Platform(.approve)
    let client = try await client(platform)
    #expect(try await client.setPIN("1234") == .ok)
    let token = try #require(try await client.token("1234").token)
    #expect(try await client.changePIN(from: "1234", to: "5678") == .ok)
    var creation = CTAP2Client.creation()
    creation[8] = .bytes(PINUVAuthProtocol.two.authenticate(CTAP2Client.hash, key: token))
    creation[9] = 2
    #expect(await client.status(1, .map(creation)) == .pinAuthInvalid)
  }

  @Test func attemptsArePaidAndSurviveARestart() async throws {
    let platform = try Platform()
    let client = try await client(platform)
    #expect(try await client.setPIN("1234") == .ok)
    #expect(await retries(client) == 8)
    #expect(try await client.token("0000").status == .pinInvalid)
    #expect(try await client.token("0000").status == .pinInvalid)
    #expect(try await client.token("0000").status == .pinAuthBlocked)
    // Blocked until it is switched off: the right PIN does not help, and costs nothing.
    #expect(try await client.token("1234").status == .pinAuthBlocked)
    #expect(await retries(client) == 5)
    let restarted = try await self.client(platform)
    #expect(await retries(restarted) == 5)
    // The store's own pause runs on.
    #expect(try await restarted.token("1234").status == .pinAuthBlocked)
    platform.device.environment.clock.advance(by: .seconds(10))
    #expect(try await restarted.token("1234").status == .ok)
    #expect(await retries(restarted) == 8)
  }

  @Test func eightFailuresBlockThePINForGood() async throws {
    let platform = try Platform(.approve)
    var client = try await client(platform)
    #expect(try await client.setPIN("1234") == .ok)
    var last = CTAP2Status.ok
    for _ in 0..<8 {
      platform.device.environment.clock.advance(by: .seconds(4000))
      client = try await self.client(platform)
      last = try await client.token("0000").status
    }
    #expect(last == .pinBlocked)
    platform.device.environment.clock.advance(by: .seconds(4000))
    client = try await self.client(platform)
    #expect(await retries(client) == 0)
    #expect(try await client.token("1234").status == .pinBlocked)
    #expect(await client.status(7) == .ok)
    #expect(try await client.setPIN("1234") == .ok)
  }

  @Test func anAttemptThatCannotBePaidIsNotCompared() async throws {
    let platform = try Platform()
    let client = try await client(platform)
    #expect(try await client.setPIN("1234") == .ok)
    platform.device.store.fail(.unlock)
    #expect(try await client.token("1234").status == .other)
  }

  @Test func refusesBentSubcommands() async throws {
    let client = try await client(try Platform())
    #expect(try await client.setPIN("1234") == .ok)
    let bent: [(CBORMap, CTAP2Status)] = [
      ([:], .missingParameter), ([2: 99], .invalidSubcommand), ([2: 2], .missingParameter),
      ([1: 3, 2: 2], .invalidParameter), ([1: 2, 2: 3], .missingParameter), ([1: 2, 2: 5], .missingParameter),
      ([1: 2, 2: 9, 9: 0, 10: "a"], .invalidParameter), ([1: 2, 2: 9, 9: 4, 10: "a"], .unauthorizedPermission),
      ([1: 2, 2: 9, 9: 1], .missingParameter), ([1: 2, 2: 5, 9: 1], .invalidParameter),
      ([1: 2, 2: 5, 3: [1: 2], 6: .bytes([1])], .invalidParameter),
    ]
    for (parameters, status) in bent {
      #expect(await client.status(6, .map(parameters)) == status)
    }
    // A point that is not on the curve.
    let off: CBORValue = [
      1: 2, 3: -25, -1: 1, -2: .bytes([UInt8](repeating: 1, count: 32)), -3: .bytes([UInt8](repeating: 1, count: 32)),
    ]
    #expect(
      await client.status(6, [1: 2, 2: 5, 3: off, 6: .bytes([UInt8](repeating: 0, count: 32))]) == .invalidParameter)
  }

  @Test func aTokenServesWhatItWasGivenFor() async throws {
    let platform = try Platform(.approve, .approve)
    let client = try await client(platform)
    #expect(try await client.setPIN("1234") == .ok)
    func creation(_ token: SecretBytes, over hash: [UInt8] = CTAP2Client.hash) -> CBORValue {
      var creation = CTAP2Client.creation()
      creation[8] = .bytes(PINUVAuthProtocol.two.authenticate(hash, key: token))
      creation[9] = 2
      return .map(creation)
    }
    // For assertions, for another relying party, over another hash, after its time.
    var token = try #require(try await client.token("1234", permissions: 2).token)
    #expect(await client.status(1, creation(token)) == .pinAuthInvalid)
    token = try #require(try await client.token("1234", permissions: 1, relyingPartyID: "example.net").token)
    #expect(await client.status(1, creation(token)) == .pinAuthInvalid)
    token = try #require(try await client.token("1234", permissions: 1).token)
    #expect(await client.status(1, creation(token, over: [1])) == .pinAuthInvalid)
    platform.device.environment.clock.advance(by: .seconds(31))
    #expect(await client.status(1, creation(token)) == .pinAuthInvalid)
    token = try #require(try await client.token("1234", permissions: 3).token)
    #expect(await client.status(1, creation(token)) == .ok)
  }

  @Test func theDevicesOwnVerificationYieldsATokenToo() async throws {
    let platform = try Platform(.match(), .match())
    let client = try CTAP2Client(try CTAP2Authenticator(try await platform.authenticator()))
    #expect(await client.send(6, [2: 7]).value?[5] == 8)
    let secret = try await client.secret(.two)
    let answer = await client.send(6, [1: 2, 2: 6, 3: client.coseKey, 9: 1, 10: "example.org"])
    #expect(answer.status == .ok)
    let token = try PINUVAuthProtocol.two.decrypt(try #require(answer.value?[2]?.bytesValue), with: secret)
    var creation = CTAP2Client.creation()
    creation[8] = .bytes(PINUVAuthProtocol.two.authenticate(CTAP2Client.hash, key: token))
    creation[9] = 2
    #expect(await client.status(1, .map(creation)) == .ok)
  }

  // MARK: hmac-secret

  @Test(arguments: PINUVAuthProtocol.allCases)
  func sealsSecretsForTheClientThatAsked(_ version: PINUVAuthProtocol) async throws {
    let platform = try Platform(.approve, .approve, .approve, .approve)
    let client = try await client(platform)
    let made = await client.send(1, CTAP2Client.creation().with(6, ["hmac-secret": true]))
    let data = try AuthenticatorData(rawBytes: try #require(made.value?[2]?.bytesValue))
    #expect(data.extensions == ["hmac-secret": true])

    func secrets(_ salts: [UInt8]) async throws -> [UInt8] {
      let secret = try await client.secret(version)
      let sealed = try version.encrypt(SecretBytes(salts), with: secret) { try SystemRandom.bytes($0) }
      let input: CBORValue = [
        1: client.coseKey, 2: .bytes(sealed),
        3: .bytes(version.authenticate(sealed, key: secret.authenticationKey)), 4: .integer(version.rawValue),
      ]
      let answer = await client.send(2, CTAP2Client.assertion().with(4, ["hmac-secret": input]))
      let data = try AuthenticatorData(rawBytes: try #require(answer.value?[2]?.bytesValue))
      let output = try #require(data.extensions?["hmac-secret"]?.bytesValue)
      return try version.decrypt(output, with: secret).withUnsafeBytes { Array($0) }
    }
    let (one, two) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
    let single = try await secrets(one)
    let pair = try await secrets(two + one)
    #expect(single.count == 32 && pair.count == 64)
    #expect(Array(pair[32...]) == single && Array(pair[..<32]) != single)
  }

  @Test func refusesSaltsThatWereTamperedWith() async throws {
    let platform = try Platform(.approve, .approve)
    let client = try await client(platform)
    _ = await client.send(1, CTAP2Client.creation().with(6, ["hmac-secret": true]))
    let secret = try await client.secret(.two)
    func status(_ salts: Int, tampers: Bool) async throws -> CTAP2Status {
      let sealed = try PINUVAuthProtocol.two.encrypt(
        SecretBytes([UInt8](repeating: 1, count: salts)), with: secret
      ) { try SystemRandom.bytes($0) }
      var code = PINUVAuthProtocol.two.authenticate(sealed, key: secret.authenticationKey)
      if tampers { code[0] ^= 1 }
      let input: CBORValue = [1: client.coseKey, 2: .bytes(sealed), 3: .bytes(code), 4: 2]
      return await client.status(2, CTAP2Client.assertion().with(4, ["hmac-secret": input]))
    }
    #expect(try await status(32, tampers: true) == .pinAuthInvalid)
    #expect(try await status(48, tampers: false) == .invalidParameter)
    #expect(try await status(16, tampers: false) == .invalidParameter)
  }
}
