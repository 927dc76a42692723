import AuthenticatorCBOR
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import Foundation
import Testing
@testable import AuthenticatorWebAuthn

/// `getAssertion` and `getNextAssertion`.
extension CTAP2AuthenticatorTests {
  @Test func refusesBentAssertionParameters() async throws {
    let platform = try Platform(.match())
    let client = try await client(platform)
    _ = await client.send(1, .map(CTAP2Client.creation()))
    let valid = CTAP2Client.assertion()
    for (parameters, status) in [
      (valid.with(1, nil), CTAP2Status.missingParameter), (valid.with(1, 5), .cborUnexpectedType),
      (valid.with(1, "other.example"), .noCredentials), (valid.with(2, .bytes([])), .invalidParameter),
      (valid.with(3, [["id": .bytes([1]), "type": "public-key"]]), .noCredentials),
      (valid.with(3, [["id": .bytes([1]), "type": "other"]]), .noCredentials),
      (valid.with(4, ["hmac-secret": ["x": 1]]), .missingParameter), (valid.with(5, ["rk": true]), .unsupportedOption),
      (valid.with(6, .bytes([1])), .missingParameter),
    ] as [(CBORValue, CTAP2Status)] {
      #expect(await client.status(2, parameters) == status)
    }
  }

  @Test func anOpenKeyAnswersAProbeInSilence() async throws {
    let platform = try Platform(.approve)
    let client = try await client(platform, .none)
    _ = await client.send(1, .map(CTAP2Client.creation()))
    let answer = await client.send(2, CTAP2Client.assertion().with(5, ["up": false]))
    #expect(answer.status == .ok)
    #expect(try AuthenticatorData(rawBytes: try #require(answer.value?[2]?.bytesValue)).flags == [])
    #expect(platform.promptKinds.count == 1)
  }

  /// Clients look for the credentials of a list in silence before they ask for a touch.
  @Test func aGuardedKeyIsNamedInSilenceAndSignsNothing() async throws {
    let platform = try Platform(.match())
    let client = try await client(platform)
    let made = await client.send(1, .map(CTAP2Client.creation()))
    let registered = try AuthenticatorData(rawBytes: try #require(made.value?[2]?.bytesValue))
    let id = try #require(registered.attestedCredentialData?.credentialID)
    let list: CBORValue = [["id": .bytes([9]), "type": "public-key"], ["id": .bytes(id.bytes), "type": "public-key"]]
    var assertion = CTAP2Client.assertion()
    assertion[3] = list
    let answer = await client.send(2, assertion.with(5, ["up": false]))
    #expect(answer.status == .ok)
    #expect(answer.value?[1]?["id"] == .bytes(id.bytes) && answer.value?[3] == .bytes([]))
    let data = try AuthenticatorData(rawBytes: try #require(answer.value?[2]?.bytesValue))
    #expect(data.flags == [] && data.signCount == 0)
    #expect(platform.promptKinds.count == 1, "the registration's")
  }

  @Test func aProtectedCredentialIsNotFoundInSilence() async throws {
    let platform = try Platform(.match(), .match())
    let client = try await client(platform)
    let made = await client.send(1, CTAP2Client.creation().with(6, ["credProtect": 3]))
    #expect(made.status == .ok)
    #expect(await client.status(2, CTAP2Client.assertion().with(5, ["up": false])) == .noCredentials)
    #expect(await client.status(2, .map(CTAP2Client.assertion())) == .ok)
  }

  @Test func oneVerificationServesEveryAssertionOnce() async throws {
    let platform = try Platform(.match(), .match(), .match(), .match())
    let client = try await client(platform)
    for user in ["alice", "bob", "carol"] {
      _ = await client.send(1, .map(CTAP2Client.creation(user: user)))
      platform.device.environment.clock.advance(by: .seconds(1))
    }
    let first = await client.send(2, CTAP2Client.assertion().with(5, ["uv": true]))
    #expect(first.value?[5] == 3 && first.value?[4]?["name"] == "carol")
    let second = await client.send(8)
    #expect(second.value?[4]?["name"] == "bob" && second.value?[5] == nil)
    #expect(await client.send(8).value?[4]?["name"] == "alice")
    #expect(await client.status(8) == .notAllowed)
    #expect(platform.promptKinds.count == 4)
  }

  @Test func furtherAssertionsEndWithTheirTimeAndWithAnyOtherCommand() async throws {
    let platform = try Platform(.match(), .match(), .match(), .match())
    let client = try await client(platform)
    for user in ["alice", "bob"] { _ = await client.send(1, .map(CTAP2Client.creation(user: user))) }
    #expect(await client.status(2, .map(CTAP2Client.assertion())) == .ok)
    #expect(await client.status(4) == .ok)
    #expect(await client.status(8) == .notAllowed)
    #expect(await client.status(2, .map(CTAP2Client.assertion())) == .ok)
    platform.device.environment.clock.advance(by: .seconds(31))
    #expect(await client.status(8) == .notAllowed)
  }

  @Test func aDeviceWithAChooserReturnsOneAssertion() async throws {
    let platform = try Platform(.match(), .match())
    let client = try await client(platform, chooses: true)
    client.authenticator.authenticator.selectionDelegate = UTCSelection(responder: platform.device.verifier)
    for user in ["alice", "bob"] { _ = await client.send(1, .map(CTAP2Client.creation(user: user))) }
    platform.device.verifier.perform(.choose("bob 20231114 22:13:20"), .match())
    let answer = await client.send(2, .map(CTAP2Client.assertion()))
    #expect(answer.value?[4]?["name"] == "bob" && answer.value?[6] == true && answer.value?[5] == nil)
  }
}
