import AuthenticatorCoding
import AuthenticatorCore
import Testing

@testable import AuthenticatorUAF

/// The sealed form of key handles, which outlives the program that wrote it.
@Suite struct KeyHandleTests {
  private static let token = [UInt8](repeating: 0x11, count: 32)
  private static let keyID = [UInt8](repeating: 0x22, count: 32)

  /// As it was written down before handles told their algorithm, and as it is now.
  @Test(arguments: [(1, []), (2, [0, 1])] as [(UInt8, [UInt8])])
  func readsWhatWasWritten(version: UInt8, algorithm: [UInt8]) throws {
    let bytes =
      [version] + Array("FFFF#A002".utf8) + Self.token + [0, 32] + Self.keyID + algorithm + Array("mira".utf8)
    let handle = try KeyHandle(bytes)
    #expect(handle.aaid.rawValue == "FFFF#A002" && handle.accessToken == Self.token)
    #expect(handle.keyID.bytes == Self.keyID && handle.username == "mira")
    #expect(handle.algorithm?.rawValue == (algorithm.isEmpty ? nil : 1))
    #expect(handle.encoded == bytes)
    // What follows the fixed part is the name, which may be of any length.
    for count in 0..<(bytes.count - 4) {
      #expect(throws: AuthenticatorError(.integrityFailed)) { try KeyHandle(Array(bytes.prefix(count))) }
    }
    for other in [0, 3, 0xFF] as [UInt8] {
      #expect(throws: AuthenticatorError(.integrityFailed)) { try KeyHandle([other] + bytes.dropFirst()) }
    }
  }
}
