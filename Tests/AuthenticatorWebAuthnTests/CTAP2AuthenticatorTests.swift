import AuthenticatorCBOR
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import Foundation
import TestCertificates
import Testing

@testable import AuthenticatorWebAuthn

@Suite("CTAP2Authenticator") struct CTAP2AuthenticatorTests {
  private func client(
    _ platform: Platform, _ type: AuthenticatorType = .biometricOnly, chooses: Bool = false
  ) async throws -> CTAP2Client {
    let authenticator = try await platform.authenticator(type)
    if !chooses { authenticator.selectionDelegate = nil }
    return try CTAP2Client(try CTAP2Authenticator(authenticator))
  }

  // MARK: Messages

  @Test func refusesWhatIsNoMessage() async throws {
    let client = try await client(try Platform())
    for (message, status) in [
      ([], CTAP2Status.invalidCommand), ([0x40], .invalidCommand), ([0x04, 0xA0], .invalidLength),
      ([0x01], .invalidCBOR), ([0x01, 0xA1, 0x01], .invalidCBOR), ([0x01, 0x80], .cborUnexpectedType),
      ([0x01, 0xA0], .missingParameter), ([0x02, 0xA0, 0x00], .invalidCBOR),
      ([UInt8](repeating: 1, count: 7610), .requestTooLarge),
      // Keys out of order, a key twice, and five levels.
      ([0x02, 0xA2, 0x02, 0x41, 0x00, 0x01, 0x61, 0x61], .invalidCBOR),
      ([0x02, 0xA2, 0x01, 0x61, 0x61, 0x01, 0x61, 0x61], .invalidCBOR),
      ([0x02, 0xA1, 0x04, 0xA1, 0x01, 0x81, 0x81, 0x80], .invalidCBOR),
    ] as [([UInt8], CTAP2Status)] {
      #expect(await client.authenticator.respond(to: message) == [status.rawValue], "\(message.prefix(8))")
    }
  }

  @Test func everyPrefixAndFlipOfAMessageIsAnsweredByAStatus() async throws {
    let platform = try Platform()
    let client = try await client(platform)
    let message = [0x01] + CBORValue.map(CTAP2Client.creation()).encoded()
    for length in 1..<message.count {
      #expect(await client.authenticator.respond(to: Array(message[..<length])).count == 1)
    }
    for index in message.indices.dropFirst() {
      for bit in 0..<8 {
        var bent = message
        bent[index] ^= 1 << bit
        // The person never agrees, so nothing can come of it.
        let answer = await client.authenticator.respond(to: bent)
        #expect(answer.count == 1 && answer != [0])
      }
    }
    #expect(try await platform.records().isEmpty)
  }

  /// Whatever a message, a report or the client's own readers are told to expect. In a process of its own, so that its
  /// memory can be looked at.
  @Test func sizeBombsStayWithinSixteenMebibytes() async {
    await #expect(processExitsWith: .success) {
      func peak() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? .max
      }
      guard let platform = try? Platform(), let platformAuthenticator = try? await platform.authenticator(),
        let authenticator = try? CTAP2Authenticator(platformAuthenticator)
      else { exit(2) }
      // What is needed once is not counted.
      _ = await authenticator.respond(to: [1] + CBORValue.map(CTAP2Client.creation()).encoded())
      let device = CTAPHIDDevice(authenticator)
      let before = peak()
      for head in [0x5A, 0x5B, 0x7A, 0x7B, 0x9A, 0x9B, 0xBA, 0xBB] as [UInt8] {
        let bomb = [head, 0x7F] + [UInt8](repeating: 0xFF, count: head & 1 == 0 ? 3 : 7)
        for command in [1, 2, 6] as [UInt8] {
          for message in [[command] + bomb, [command, 0xA1, 1] + bomb, [command, 0xA1] + bomb] {
            if await authenticator.respond(to: message).count != 1 { exit(3) }
          }
        }
        let data = [UInt8](repeating: 0, count: 32) + [0xC1] + [UInt8](repeating: 0, count: 20)
        for bytes in [bomb, data + [0, 1, 1] + bomb, data + [0xFF, 0xFF] + bomb] {
          if (try? AuthenticatorData(rawBytes: bytes)) != nil || (try? AttestationObject(rawBytes: bytes)) != nil
            || (try? COSEKey(encoded: bytes)) != nil
          {
            exit(4)
          }
        }
      }
      // As much as a message may hold, and more.
      for count in [7_600, 1 << 20] {
        let message = [1, 0x99, 0x1D, 0xB0] + [UInt8](repeating: 0x80, count: count)
        if await authenticator.respond(to: message).count != 1 { exit(3) }
      }
      // Messages that are begun on every channel there can be.
      for number in 0..<500 as Range<UInt32> {
        let report = CTAPHIDMessage(channel: number, command: .cbor, payload: [UInt8](repeating: 1, count: 7_609))
          .reports[0]
        _ = await device.receive(report)
        _ = await device.receive(
          CTAPHIDMessage(channel: 0xFFFF_FFFF, command: .initialize, payload: Array(1...8)).reports[0])
      }
      exit(peak() - before > 16 * 1024 ? 1 : 0)
    }
  }

  @Test func tellsWhatItCanDo() async throws {
    let answer = await (try await client(try Platform())).send(4)
    #expect(answer.status == .ok)
    let info = try #require(answer.value)
    #expect(info[1] == ["FIDO_2_0", "FIDO_2_1"])
    #expect(info[4]?["rk"] == true && info[4]?["uv"] == true && info[4]?["clientPin"] == false)
    #expect(info[6] == [2, 1] && info[9] == ["internal"])
    #expect(info[10]?.arrayValue?.first == ["alg": -7, "type": "public-key"])
    let plain = await (try await client(try Platform(), .none)).send(4)
    #expect(plain.value?[4]?["uv"] == nil)
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

  // MARK: getAssertion

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
