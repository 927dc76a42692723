import AuthenticatorCoding
import AuthenticatorCrypto
import Testing

@Suite struct SecretBytesTests {
  @Test(arguments: [0, 1, 32, 4096, 4097, 100_000]) func holdsItsBytes(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let secret = SecretBytes(bytes)
    #expect(secret.count == count)
    #expect(secret.withUnsafeBytes { Array($0) } == bytes)
    #expect(secret.matches(bytes))
    #expect(secret.matches(SecretBytes(bytes)))
    #expect(!secret.matches(bytes + [0]))
    if count > 0 { #expect(!secret.matches(SecretBytes(bytes.dropLast() + [bytes[count - 1] ^ 1]))) }
  }

  /// More secrets than there are slots of any size: each keeps its own bytes.
  @Test(arguments: [32, 200, 2000]) func manyLiveAtOnce(_ count: Int) {
    let secrets = (0..<1500).map { index in
      SecretBytes([UInt8](repeating: UInt8(truncatingIfNeeded: index), count: count))
    }
    for (index, secret) in secrets.enumerated() {
      #expect(secret.matches([UInt8](repeating: UInt8(truncatingIfNeeded: index), count: count)))
    }
  }

  @Test(arguments: [1, 64, 65, 2048, 5000]) func memoryIsZeroWhenHandedOutAgain(_ count: Int) {
    for _ in 0..<50 {
      var isZero = false
      let secret = SecretBytes(count: count) { buffer in
        isZero = buffer.allSatisfy { $0 == 0 }
        buffer.copyBytes(from: repeatElement(0xA5, count: count))
      }
      #expect(isZero && secret.matches([UInt8](repeating: 0xA5, count: count)))
    }
  }

  @Test func hasNoTextualForm() {
    let secret = SecretBytes(Array("correct horse".utf8))
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped, "\([secret])", "\(Optional(secret) as Any)"] {
      #expect(!text.contains("horse") && !text.contains("99"))
      #expect(text.contains("redacted"))
    }
  }

  @Test func aFailedFillThrows() {
    let error = #expect(throws: CryptoError.self) {
      try SecretBytes(count: 4) { (_) throws(CryptoError) in throw CryptoError(.invalidParameter, "refused") }
    }
    #expect(error?.code == .invalidParameter)
  }
}
