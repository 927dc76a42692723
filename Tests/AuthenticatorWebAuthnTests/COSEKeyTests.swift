import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorWebAuthn
import Testing

@Suite struct COSEKeyTests {
  private static let algorithms: [SignatureAlgorithm] = [.es256, .es384, .es512, .edDSA, .rs256, .ps256]

  @Test(arguments: algorithms)
  func readsWhatItWrites(algorithm: SignatureAlgorithm) throws {
    let publicKey = try PrivateKey.generate(algorithm).publicKey
    let key = try COSEKey(publicKey, signatureAlgorithm: algorithm)
    let read = try COSEKey(encoded: key.encoded())
    #expect(read == key)
    #expect(read.publicKey == publicKey)
    #expect(read.signatureAlgorithm == algorithm)
  }

  /// The heads of the encodings, byte for byte.
  @Test(arguments: [
    (SignatureAlgorithm.es256, "a5010203262001215820", 77), (.es384, "a501020338222002215830", 110),
    (.es512, "a501020338232003215842", 146), (.edDSA, "a401010327200621" + "5820", 42),
    (.rs256, "a401030339010020590100", 272), (.ps256, "a40103033824" + "20590100", 271),
  ])
  func writesTheExactForm(algorithm: SignatureAlgorithm, head: String, size: Int) throws {
    let bytes = try COSEKey(try PrivateKey.generate(algorithm).publicKey, signatureAlgorithm: algorithm).encoded()
    #expect(Hex.encode(bytes).hasPrefix(head))
    #expect(bytes.count == size)
  }

  @Test func keepsLeadingZerosOfCoordinates() throws {
    // One key in 256 has a short x; look for one.
    for _ in 0..<4000 {
      let key = try COSEKey(try PrivateKey.generate(.es256).publicKey, algorithm: .es256)
      guard case .ec(_, let x, _) = key.publicKey.kind, x[0] == 0 else { continue }
      #expect(key.encoded().count == 77)
      #expect(try COSEKey(encoded: key.encoded()) == key)
      return
    }
    Issue.record("no key with a short coordinate came up")
  }

  @Test func acceptsFullySpecifiedNames() throws {
    for (identifier, algorithm) in [
      (COSEAlgorithmIdentifier.esp256, SignatureAlgorithm.es256), (.esp384, .es384), (.esp512, .es512),
      (.ed25519, .edDSA),
    ] {
      let key = try COSEKey(try PrivateKey.generate(algorithm).publicKey, algorithm: identifier)
      #expect(try COSEKey(encoded: key.encoded()).algorithm == identifier)
      #expect(key.signatureAlgorithm == algorithm)
    }
  }

  @Test func refusesKeysOfOtherAlgorithms() throws {
    let (p256, ed25519) = (try PrivateKey.generate(.es256).publicKey, try PrivateKey.generate(.edDSA).publicKey)
    #expect(throws: WebAuthnDataError(.keyCurveMismatch, member: "crv")) { try COSEKey(p256, algorithm: .es384) }
    #expect(throws: WebAuthnDataError(.keyTypeMismatch, member: "kty")) { try COSEKey(p256, algorithm: .rs256) }
    #expect(throws: WebAuthnDataError(.keyTypeMismatch, member: "kty")) { try COSEKey(ed25519, algorithm: .es256) }
    #expect(throws: WebAuthnDataError(.keyAlgorithmUnsupported, member: "alg")) {
      try COSEKey(p256, algorithm: COSEAlgorithmIdentifier(rawValue: -47))
    }
  }

  /// Changes to a valid ES256 key, each with what it must be refused for.
  private static let bends: [(WebAuthnDataError.Code, @Sendable (inout CBORMap) -> Void)] = [
    (.keyParameterMissing, { $0[1] = nil }), (.keyParameterMissing, { $0[3] = nil }),
    (.keyParameterMissing, { $0[-1] = nil }), (.keyParameterMissing, { $0[-2] = nil }),
    (.keyParameterMissing, { $0[-3] = nil }), (.keyParameterUnexpected, { $0[2] = .bytes([1]) }),
    (.keyParameterUnexpected, { $0[4] = [1] }), (.keyParameterUnexpected, { $0["x"] = 1 }),
    (.keyParameterType, { $0[1] = "EC2" }), (.keyParameterType, { $0[3] = "ES256" }),
    (.keyParameterType, { $0[-1] = .bytes([1]) }), (.keyParameterType, { $0[-2] = "x" }),
    (.keyParameterType, { $0[-3] = true }), (.keyAlgorithmUnsupported, { $0[3] = -47 }),
    (.keyAlgorithmUnsupported, { $0[3] = 0 }), (.keyTypeMismatch, { $0[1] = 1 }), (.keyTypeMismatch, { $0[1] = 3 }),
    (.keyTypeMismatch, { $0[3] = -257 }), (.keyTypeMismatch, { $0[3] = -8 }), (.keyCurveMismatch, { $0[-1] = 2 }),
    (.keyCurveMismatch, { $0[-1] = 8 }), (.keyCurveMismatch, { $0[3] = -35 }),
    (.keyInvalid, { $0[-2] = .bytes([]) }), (.keyInvalid, { $0[-2] = .bytes([UInt8](repeating: 0, count: 32)) }),
    (.keyInvalid, { $0[-2] = .bytes([0] + ($0[-2]?.bytesValue ?? [])) }),
    (.keyInvalid, { $0[-3] = .bytes(Array(($0[-3]?.bytesValue ?? []).dropFirst())) }),
    (.keyInvalid, { $0[-2] = .bytes([UInt8](repeating: 0xFF, count: 32)) }),
    (.keyInvalid, { map in map[-3] = .bytes((map[-3]?.bytesValue ?? []).map { $0 ^ 1 }) }),
  ]

  @Test func refusesEveryMalformedPoint() throws {
    let valid = try COSEKey(try PrivateKey.generate(.es256).publicKey, algorithm: .es256).cborValue
    for (number, (code, bend)) in Self.bends.enumerated() {
      var map = try #require(valid.mapValue)
      bend(&map)
      let bytes = CBORValue.map(map).encoded()
      let found = refusal { () throws(WebAuthnDataError) in try COSEKey(encoded: bytes) }
      #expect(found == code, "bend \(number)")
    }
  }

  @Test func refusesEveryMalformedRSAKey() throws {
    let valid = try COSEKey(try PrivateKey.generate(.rs256).publicKey, algorithm: .rs256).cborValue
    let modulus = try #require(valid[-1]?.bytesValue)
    let bends: [(WebAuthnDataError.Code, CBORMap)] = [
      (.keyInvalid, [-1: .bytes([0] + modulus)]), (.keyInvalid, [-1: .bytes(Array(modulus.dropLast()))]),
      (.keyInvalid, [-1: .bytes(Array(modulus.dropLast()) + [0])]), (.keyInvalid, [-2: .bytes([1])]),
      (.keyInvalid, [-2: .bytes([2])]), (.keyInvalid, [-2: .bytes([])]), (.keyInvalid, [-2: .bytes([0, 1, 0, 1])]),
      (.keyParameterType, [-2: 65_537]), (.keyParameterUnexpected, [-3: .bytes([1])]),
      (.keyInvalid, [-1: .bytes([UInt8](repeating: 0xFF, count: 1025))]), (.keyTypeMismatch, [1: 2]),
    ]
    for (number, (code, change)) in bends.enumerated() {
      var map = try #require(valid.mapValue)
      for entry in change { map[entry.key] = entry.value }
      let bytes = CBORValue.map(map).encoded()
      let found = refusal { () throws(WebAuthnDataError) in try COSEKey(encoded: bytes) }
      #expect(found == code, "bend \(number)")
    }
  }

  @Test func refusesEveryMalformedEdwardsKey() throws {
    let valid = try COSEKey(try PrivateKey.generate(.edDSA).publicKey, algorithm: .edDSA).cborValue
    let bends: [(WebAuthnDataError.Code, CBORMap)] = [
      (.keyCurveMismatch, [-1: 7]), (.keyCurveMismatch, [-1: 1]), (.keyInvalid, [-2: .bytes([1])]),
      (.keyInvalid, [-2: .bytes([UInt8](repeating: 1, count: 33))]),
      (.keyInvalid, [-2: .bytes([UInt8](repeating: 2, count: 32))]), (.keyParameterUnexpected, [-3: .bytes([1])]),
      (.keyTypeMismatch, [1: 2]),
    ]
    for (number, (code, change)) in bends.enumerated() {
      var map = try #require(valid.mapValue)
      for entry in change { map[entry.key] = entry.value }
      let bytes = CBORValue.map(map).encoded()
      let found = refusal { () throws(WebAuthnDataError) in try COSEKey(encoded: bytes) }
      #expect(found == code, "bend \(number)")
    }
  }

  @Test func everyPrefixAndEveryFlipIsRefusedOrAnotherKey() throws {
    let key = try COSEKey(try PrivateKey.generate(.es256).publicKey, algorithm: .es256)
    let bytes = key.encoded()
    for count in bytes.indices {
      #expect(throws: WebAuthnDataError(.keyNotAMap)) { try COSEKey(encoded: Array(bytes[..<count])) }
    }
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << UInt8(bit)
        if let other = try? COSEKey(encoded: flipped) { #expect(other != key && other.encoded() == flipped) }
      }
    }
  }
}
