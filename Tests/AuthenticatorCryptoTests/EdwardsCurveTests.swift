import AuthenticatorCoding
import AuthenticatorCrypto
import Testing

@Suite struct EdwardsCurveTests {
  /// 32 bytes from their beginning, the rest zero, and the last one.
  private func encoding(_ first: UInt8, last: UInt8 = 0, filler: UInt8 = 0) -> [UInt8] {
    [first] + [UInt8](repeating: filler, count: 30) + [last]
  }

  @Test func acceptsPoints() throws {
    for bytes in [encoding(0), encoding(1), encoding(3), encoding(5), encoding(0xEC, last: 0x7F, filler: 0xFF)] {
      #expect(try PublicKey(ed25519: bytes).kind == .ed25519(bytes))
    }
    for _ in 0..<50 { #expect(throws: Never.self) { try PrivateKey.generate(.edDSA) } }
  }

  /// No square for x, x zero with a sign, and y at or above the prime.
  @Test func refusesWhatIsNoPoint() {
    for bytes in [
      encoding(2), encoding(1, last: 0x80), encoding(7, last: 7, filler: 7), encoding(0xED, last: 0x7F, filler: 0xFF),
      encoding(0xFF, last: 0xFF, filler: 0xFF), encoding(0xEE, last: 0x7F, filler: 0xFF),
    ] {
      #expect(throws: CryptoError(.invalidKey, "")) { try PublicKey(ed25519: bytes) }
    }
  }
}
