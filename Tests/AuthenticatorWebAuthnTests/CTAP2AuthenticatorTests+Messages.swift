import AuthenticatorCBOR
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import Foundation
import TestMachine
import Testing
@testable import AuthenticatorWebAuthn

/// The messages themselves, whatever they ask for.
extension CTAP2AuthenticatorTests {
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
      guard let platform = try? Platform(), let platformAuthenticator = try? await platform.authenticator(),
        let authenticator = try? CTAP2Authenticator(platformAuthenticator)
      else { exit(2) }
      // What is needed once is not counted.
      _ = await authenticator.respond(to: [1] + CBORValue.map(CTAP2Client.creation()).encoded())
      let device = CTAPHIDDevice(authenticator)
      let before = try peakMemory()
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
      #expect(try peakMemory() - before <= 16 << 20)
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
}
