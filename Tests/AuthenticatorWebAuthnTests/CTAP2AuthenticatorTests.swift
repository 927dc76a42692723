import AuthenticatorCBOR
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import Foundation
import TestCertificates
import Testing

@testable import AuthenticatorWebAuthn

@Suite("CTAP2Authenticator") struct CTAP2AuthenticatorTests {
  func client(
    _ platform: Platform, _ type: AuthenticatorType = .biometricOnly, chooses: Bool = false
  ) async throws -> CTAP2Client {
    let authenticator = try await platform.authenticator(type)
    if !chooses { authenticator.selectionDelegate = nil }
    return try CTAP2Client(try CTAP2Authenticator(authenticator))
  }

  // MARK: makeCredential

  /// No transport carries more than 7,609 bytes: half an answer is worse than none, and a credential that nobody learns
  /// of is nobody's.
  @Test func anAnswerThatIsTooLongIsAnErrorAndLeavesNothing() async throws {
    let authority = try TestCertificate.authority()
    let key = try PrivateKey.generate(.es256)
    let leaf = try TestCertificate(subject: [("2.5.4.3", "Leaf")], key: key).encoded(issuer: authority)
    let chain = [leaf] + [[UInt8]](repeating: try authority.encoded(), count: 30)
    #expect(chain.joined().count > CTAP2Authenticator.maximumMessageBytes)
    let platform = try Platform(
      .match(),
      configuration: WebAuthnPlatformConfiguration(
        attestation: .certified(try AttestationKey(certificates: chain, key: key))))
    let authenticator = try CTAP2Authenticator(try await platform.authenticator())
    let message = [1] + CBORValue.map(CTAP2Client.creation()).encoded()
    #expect(await authenticator.respond(to: message) == [CTAP2Status.other.rawValue])
    #expect(try await platform.records().isEmpty)
  }

  @Test func makesACredentialThatVerifies() async throws {
    let platform = try Platform(.match(), .match())
    let client = try await client(platform)
    let made = await client.send(1, CTAP2Client.creation().with(7, ["rk": true, "uv": true]))
    #expect(made.status == .ok)
    let data = try AuthenticatorData(rawBytes: try #require(made.value?[2]?.bytesValue))
    #expect(made.value?[1] == "packed" && data.flags.contains(.userVerified))
    let answer = await client.send(2, CTAP2Client.assertion().with(5, ["uv": true]))
    #expect(answer.status == .ok)
    let credential = try #require(data.attestedCredentialData)
    #expect(answer.value?[1]?["id"] == .bytes(credential.credentialID.bytes))
    #expect(answer.value?[4]?["id"] == .bytes(Array("alice".utf8)) && answer.value?[5] == nil)
    let signature = try Signature(der: try #require(answer.value?[3]?.bytesValue), algorithm: .es256)
    let signed = try #require(answer.value?[2]?.bytesValue) + CTAP2Client.hash
    #expect(
      try Verifier(credential.credentialPublicKey.publicKey, algorithm: .es256)
        .isValidSignature(signature, for: signed))
  }

  @Test func refusesBentParameters() async throws {
    let platform = try Platform(.match())
    let client = try await client(platform)
    let valid = CTAP2Client.creation()
    for (parameters, status) in [
      (valid.with(1, nil), CTAP2Status.missingParameter), (valid.with(1, .bytes([1])), .invalidParameter),
      (valid.with(1, "x"), .cborUnexpectedType), (valid.with(2, ["name": "x"]), .missingParameter),
      (valid.with(2, ["id": ""]), .invalidParameter), (valid.with(3, ["id": .bytes([])]), .invalidLength),
      (valid.with(3, ["id": .bytes([UInt8](repeating: 0, count: 65))]), .invalidLength),
      (valid.with(4, nil), .missingParameter), (valid.with(4, [["alg": -7]]), .missingParameter),
      (valid.with(4, [["alg": "x", "type": "public-key"]]), .cborUnexpectedType),
      (valid.with(4, [["alg": -999, "type": "public-key"]]), .unsupportedAlgorithm),
      (valid.with(4, [["alg": -7, "type": "other"]]), .unsupportedAlgorithm),
      (valid.with(5, [["id": .bytes([1])]]), .missingParameter),
      (
        valid.with(5, .array([CBORValue](repeating: ["id": .bytes([1]), "type": "public-key"], count: 65))),
        .limitExceeded
      ),
      (valid.with(6, ["credProtect": 4]), .invalidOption), (valid.with(6, ["hmac-secret": 1]), .cborUnexpectedType),
      (valid.with(7, ["up": false]), .invalidOption), (valid.with(7, ["rk": 1]), .cborUnexpectedType),
      (valid.with(8, .bytes([1])), .missingParameter), (valid.with(10, 1), .invalidParameter),
    ] as [(CBORValue, CTAP2Status)] {
      #expect(await client.status(1, parameters) == status)
    }
    #expect(platform.promptKinds.isEmpty)
    #expect(try await platform.records().isEmpty)
  }

  @Test func anExcludedCredentialIsToldAfterATouch() async throws {
    let platform = try Platform(.match(), .approve, .refuse)
    let client = try await client(platform)
    let made = await client.send(1, .map(CTAP2Client.creation()))
    let data = try AuthenticatorData(rawBytes: try #require(made.value?[2]?.bytesValue))
    let id = try #require(data.attestedCredentialData).credentialID
    let excluded = CTAP2Client.creation(user: "bob").with(5, [["id": .bytes(id.bytes), "type": "public-key"]])
    #expect(await client.status(1, excluded) == .credentialExcluded)
    #expect(await client.status(1, excluded) == .operationDenied)
  }

  // MARK: The rest

  @Test func selectionIsATouch() async throws {
    let platform = try Platform(.approve, .refuse)
    let client = try await client(platform)
    #expect(await client.status(0x0B) == .ok)
    #expect(await client.status(0x0B) == .operationDenied)
  }

  @Test func resetForgetsEverythingAfterATouch() async throws {
    let platform = try Platform(.approve, .refuse, .approve)
    let client = try await client(platform, .none)
    _ = await client.send(1, .map(CTAP2Client.creation(resident: false)))
    #expect(try await client.setPIN("1234") == .ok)
    #expect(await client.status(7) == .operationDenied)
    #expect(try await platform.records().count == 1)
    #expect(await client.status(7) == .ok)
    #expect(try await platform.records().isEmpty)
    #expect(await client.send(4).value?[4]?["clientPin"] == false)
  }

  @Test func aCancelledOperationSaysSo() async throws {
    let platform = try Platform(.noAnswer)
    let task = Task { try await client(platform).status(1, .map(CTAP2Client.creation())) }
    await platform.device.environment.clock.waitForSleepers()
    task.cancel()
    #expect(try await task.value == .keepaliveCancel)
  }

  @Test func aSilentPersonEndsTheOperation() async throws {
    let platform = try Platform(.noAnswer)
    let task = Task { try await client(platform).status(1, .map(CTAP2Client.creation())) }
    let clock = platform.device.environment.clock
    await clock.waitForSleepers()
    clock.advance(by: .seconds(31))
    #expect(try await task.value == .userActionTimeout)
  }
}
