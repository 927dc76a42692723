import AuthenticatorCoding
import AuthenticatorCrypto
import Testing

@Suite struct PublicKeyTests {
  /// The key of RFC 7515 appendix A.3.
  static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
  static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"

  private func valid() throws -> PublicKey {
    try PublicKey(ec: .p256, x: try Base64URL.decode(Self.x), y: try Base64URL.decode(Self.y))
  }

  private func expectInvalid(_ body: () throws -> PublicKey) {
    let error = #expect(throws: CryptoError.self) { try body() }
    #expect(error?.code == .invalidKey)
  }

  @Test(arguments: EllipticCurve.allCases) func pointsKeepTheirForms(_ curve: EllipticCurve) throws {
    let key = try PrivateKey.generate(curve.algorithm).publicKey
    let point = try #require(key.x963Representation)
    #expect(point.count == 1 + 2 * curve.coordinateSize)
    #expect(key.curve == curve)
    #expect(try PublicKey(x963Representation: point) == key)
    #expect(try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo) == key)
    guard case .ec(_, let x, let y) = key.kind else {
      Issue.record("not a point")
      return
    }
    #expect(try PublicKey(ec: curve, x: x, y: y) == key)
    #expect(key.supports(curve.algorithm) && !key.supports(.edDSA) && !key.supports(.rs256))
  }

  @Test func refusesPointsOffTheCurve() throws {
    let (x, y) = (try Base64URL.decode(Self.x), try Base64URL.decode(Self.y))
    #expect(try PublicKey(ec: .p256, x: x, y: y).curve == .p256)
    expectInvalid { try PublicKey(ec: .p256, x: y, y: x) }
    expectInvalid { try PublicKey(ec: .p256, x: Array(repeating: 0, count: 32), y: Array(repeating: 0, count: 32)) }
    expectInvalid { try PublicKey(ec: .p256, x: Array(repeating: 0xFF, count: 32), y: y) }
    expectInvalid { try PublicKey(ec: .p256, x: [0] + x, y: y) }
    expectInvalid { try PublicKey(ec: .p256, x: Array(x.dropLast()), y: y) }
    expectInvalid { try PublicKey(ec: .p384, x: x, y: y) }
    expectInvalid { try PublicKey(x963Representation: []) }
    expectInvalid { try PublicKey(x963Representation: [0]) }
    expectInvalid { try PublicKey(x963Representation: [0x06] + x + y) }
    expectInvalid { try PublicKey(x963Representation: [0x02] + x) }
  }

  @Test func everyFlippedBitOfAPointIsRefused() throws {
    let point = try #require(try valid().x963Representation)
    for index in point.indices {
      for bit in 0..<8 {
        var flipped = point
        flipped[index] ^= 1 << bit
        // One half of all x coordinates have a point, but not with this y.
        expectInvalid { try PublicKey(x963Representation: flipped) }
      }
    }
  }

  /// Written by `openssl pkey -pubin -outform DER` for the key of RFC 7515 A.3.
  @Test func writesTheKnownSubjectPublicKeyInfo() throws {
    let prefix = "3059301306072a8648ce3d020106082a8648ce3d03010703420004"
    let key = try valid()
    #expect(Hex.encode(key.subjectPublicKeyInfo).hasPrefix(prefix))
    #expect(key.subjectPublicKeyInfo.count == 91)
  }

  @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512, .edDSA, .rs256]) func damagedKeyInfoIsRefusedOrAnotherKey(
    _ algorithm: SignatureAlgorithm
  ) throws {
    let key = try algorithm == .rs256 ? TestKeys.rsa.publicKey : PrivateKey.generate(algorithm).publicKey
    let info = key.subjectPublicKeyInfo
    #expect(try PublicKey(subjectPublicKeyInfo: info) == key)
    for length in info.indices { expectInvalid { try PublicKey(subjectPublicKeyInfo: Array(info.prefix(length))) } }
    expectInvalid { try PublicKey(subjectPublicKeyInfo: info + [0]) }
    for index in info.indices {
      for bit in 0..<8 {
        var flipped = info
        flipped[index] ^= 1 << bit
        guard let other = try? PublicKey(subjectPublicKeyInfo: flipped) else { continue }
        #expect(other != key)
        #expect(other.subjectPublicKeyInfo == flipped)
      }
    }
  }

  @Test func boundsRSAKeys() throws {
    let modulus = [0x80] + [UInt8](repeating: 0, count: 254) + [1]
    #expect(try PublicKey(rsaModulus: modulus, exponent: [1, 0, 1]).supports(.ps256))
    #expect(try PublicKey(rsaModulus: modulus, exponent: [3]).supports(.rs256))
    expectInvalid { try PublicKey(rsaModulus: [0x7F] + modulus.dropFirst(), exponent: [1, 0, 1]) }
    expectInvalid { try PublicKey(rsaModulus: [0] + modulus, exponent: [1, 0, 1]) }
    expectInvalid { try PublicKey(rsaModulus: modulus.dropLast() + [2], exponent: [1, 0, 1]) }
    expectInvalid { try PublicKey(rsaModulus: [UInt8](repeating: 1, count: 1025), exponent: [1, 0, 1]) }
    expectInvalid { try PublicKey(rsaModulus: [], exponent: [3]) }
    for exponent: [UInt8] in [[], [0], [1], [2], [0, 3], [1, 0, 0], [1, 0, 0, 0, 1]] {
      expectInvalid { try PublicKey(rsaModulus: modulus, exponent: exponent) }
    }
  }

  @Test func boundsEd25519Keys() {
    expectInvalid { try PublicKey(ed25519: [UInt8](repeating: 1, count: 31)) }
    expectInvalid { try PublicKey(ed25519: [UInt8](repeating: 1, count: 33)) }
  }
}
