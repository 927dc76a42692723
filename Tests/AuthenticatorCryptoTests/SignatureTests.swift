import AuthenticatorCoding
import AuthenticatorCrypto
import TestVectors
import Testing

@Suite struct SignatureTests {
  /// What Wycheproof says of DER and of raw signatures; a malformed one is refused before it reaches the key.
  @Test(arguments: [0, 1]) func followsWycheproof(_ index: Int) throws {
    let file = try JSONValue.parse(try Vectors.bytes("ecdsa-p256-wycheproof-sample.json"))
    let suite = try #require(file["suites"]?[index])
    let isDER = try #require(suite["signature_encoding"]?.stringValue).contains("DER")
    let keys = try #require(suite["keys"]?.arrayValue).map { key in
      try PublicKey(x963Representation: try Hex.decode(try #require(key.stringValue)))
    }
    let cases = try #require(suite["tests"]?.arrayValue)
    #expect(cases.count == (isDER ? 140 : 60))
    for entry in cases {
      let message = try Hex.decode(try #require(entry["msg"]?.stringValue))
      let bytes = try Hex.decode(try #require(entry["sig"]?.stringValue))
      let isExpected = entry["valid"] == true
      #expect(isExpected || entry["valid"] == false)
      let key = keys[try #require(entry["key"]?.intValue)]
      let signature =
        isDER ? try? Signature(der: bytes, algorithm: .es256) : try? Signature(raw: bytes, algorithm: .es256)
      let isValid = try signature.map { try key.isValidSignature($0, for: message) } ?? false
      #expect(isValid == isExpected, "case \(entry.serializedString())")
    }
  }

  /// Random numbers with many leading zeros and set high bits, in both forms and back.
  @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512]) func formsConvertBothWays(
    _ algorithm: SignatureAlgorithm
  ) throws {
    let size = try #require(algorithm.curve).coordinateSize
    var generator = SystemRandomNumberGenerator()
    for round in 0..<1500 {
      var raw = [UInt8](repeating: 0, count: 2 * size)
      for half in 0..<2 {
        // The top byte is below the order's for all three curves.
        let start = Int.random(in: round.isMultiple(of: 3) ? 0..<size : 0..<2, using: &generator)
        for index in max(start, algorithm == .es512 ? 1 : 0)..<size {
          raw[half * size + index] = UInt8.random(in: 0...(index == 0 ? 0xFE : 0xFF), using: &generator)
        }
        raw[half * size + size - 1] |= 1
      }
      let signature = try Signature(raw: raw, algorithm: algorithm)
      let der = signature.derRepresentation
      #expect(try Signature(der: der, algorithm: algorithm).rawRepresentation == raw)
      #expect(der[0] == 0x30)
    }
  }

  @Test func highBitsGetASignOctetAndZerosGo() throws {
    var raw = [UInt8](repeating: 0, count: 64)
    raw[31] = 0x80
    raw[63] = 0x7F
    let signature = try Signature(raw: raw, algorithm: .es256)
    #expect(signature.derRepresentation == [0x30, 7, 2, 2, 0, 0x80, 2, 1, 0x7F])
  }

  struct Malformed: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    init(_ why: String, _ bytes: [UInt8]) { (testDescription, self.bytes) = (why, bytes) }
  }

  @Test(arguments: [
    Malformed("empty", []), Malformed("no content", [0x30, 0]), Malformed("one number", [0x30, 3, 2, 1, 1]),
    Malformed("r is zero", [0x30, 6, 2, 1, 0, 2, 1, 1]), Malformed("s is zero", [0x30, 6, 2, 1, 1, 2, 1, 0]),
    Malformed("r is negative", [0x30, 6, 2, 1, 0x80, 2, 1, 1]),
    Malformed("r has a needless zero", [0x30, 7, 2, 2, 0, 1, 2, 1, 1]),
    Malformed("r is empty", [0x30, 5, 2, 0, 2, 1, 1]), Malformed("long length", [0x30, 0x81, 6, 2, 1, 1, 2, 1, 1]),
    Malformed("indefinite length", [0x30, 0x80, 2, 1, 1, 2, 1, 1, 0, 0]),
    Malformed("bytes after the sequence", [0x30, 6, 2, 1, 1, 2, 1, 1, 0]),
    Malformed("bytes after s", [0x30, 7, 2, 1, 1, 2, 1, 1, 0]), Malformed("a set", [0x31, 6, 2, 1, 1, 2, 1, 1]),
    Malformed("third number", [0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1]),
    Malformed("length beyond the end", [0x30, 0x7F, 2, 1, 1, 2, 1, 1]),
    Malformed("huge length", [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 2, 1, 1]),
    Malformed("r of 33 bytes", [0x30, 38, 2, 33] + [UInt8](repeating: 1, count: 33) + [2, 1, 1]),
  ]) func refusesMalformedDER(_ malformed: Malformed) {
    let error = #expect(throws: CryptoError.self) { try Signature(der: malformed.bytes, algorithm: .es256) }
    #expect(error?.code == .invalidSignature)
  }

  @Test(arguments: EllipticCurve.allCases) func numbersMustBeBelowTheOrder(_ curve: EllipticCurve) throws {
    let orders: [EllipticCurve: String] = [
      .p256: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
      .p384: "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
      .p521: "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa"
        + "51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
    ]
    let order = try Hex.decode(try #require(orders[curve]))
    var below = order
    below[below.count - 1] -= 1
    #expect(try Signature(raw: below + below, algorithm: curve.algorithm).algorithm == curve.algorithm)
    for raw in [order + below, below + order, [UInt8](repeating: 0, count: order.count) + below] {
      let error = #expect(throws: CryptoError.self) { try Signature(raw: raw, algorithm: curve.algorithm) }
      #expect(error?.code == .invalidSignature)
    }
  }

  @Test func lengthsAreChecked() {
    for (algorithm, count) in [
      (SignatureAlgorithm.es256, 63), (.es256, 65), (.es384, 64), (.es512, 128), (.edDSA, 63), (.rs256, 255),
      (.ps256, 1025),
    ] {
      let error = #expect(throws: CryptoError.self) {
        try Signature(raw: [UInt8](repeating: 1, count: count), algorithm: algorithm)
      }
      #expect(error?.code == .invalidSignature)
    }
    let error = #expect(throws: CryptoError.self) { try Signature(raw: [1], algorithm: .init(rawValue: "HS256")) }
    #expect(error?.code == .unsupportedAlgorithm)
  }

  /// Every cut and every flipped bit of a DER signature is refused or is another signature in its own strict form.
  @Test func damagedDERNeverVerifies() throws {
    let key = try PrivateKey.generate(.es256)
    let message: [UInt8] = [1, 2, 3]
    let der = try key.sign(message).derRepresentation
    for length in der.indices {
      #expect(throws: CryptoError.self) { try Signature(der: Array(der.prefix(length)), algorithm: .es256) }
    }
    let verifier = try Verifier(key.publicKey, algorithm: .es256)
    for index in der.indices {
      for bit in 0..<8 {
        var flipped = der
        flipped[index] ^= 1 << bit
        guard let signature = try? Signature(der: flipped, algorithm: .es256) else { continue }
        #expect(signature.derRepresentation == flipped)
        #expect(try !verifier.isValidSignature(signature, for: message))
      }
    }
    #expect(try verifier.isValidSignature(try Signature(der: der, algorithm: .es256), for: message))
  }
}
