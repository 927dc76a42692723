import AuthenticatorCoding
import AuthenticatorCrypto
import Testing

@Suite struct HashingTests {
  /// FIPS 180-4 examples.
  @Test func matchesTheStandard() {
    let abc = Array("abc".utf8)
    #expect(Hex.encode(SHA256.hash([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(Hex.encode(SHA256.hash(abc)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      Hex.encode(SHA384.hash(abc))
        == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7")
    #expect(
      Hex.encode(SHA512.hash(abc))
        == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
  }

  @Test func piecesGiveTheSameDigest() {
    let message = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    for cut in 0...message.count {
      var hash = SHA256()
      hash.update(message[..<cut])
      let branch = hash
      hash.update(message[cut...])
      #expect(hash.finalized() == SHA256.hash(message))
      #expect(hash.finalized() == SHA256.hash(message))
      #expect(branch.finalized() == SHA256.hash(message[..<cut]))
    }
  }
}

@Suite struct HMACSHA256Tests {
  struct Vector: Sendable {
    let key: [UInt8]
    let message: [UInt8]
    let code: String
  }

  /// RFC 4231 test cases 1, 2, 3, 6 and 7.
  @Test(arguments: [
    Vector(
      key: Array(repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Vector(
      key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Vector(
      key: Array(repeating: 0xAA, count: 20), message: Array(repeating: 0xDD, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Vector(
      key: Array(repeating: 0xAA, count: 131),
      message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Vector(
      key: Array(repeating: 0xAA, count: 131),
      message: Array(
        ("This is a test using a larger than block-size key and a larger than block-size data. "
          + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
      code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]) func matchesTheRFC(_ vector: Vector) throws {
    let key = SecretBytes(vector.key)
    #expect(Hex.encode(HMACSHA256.authenticationCode(for: vector.message, key: key)) == vector.code)
    #expect(HMACSHA256.isValid(try Hex.decode(vector.code), for: vector.message, key: key))
    #expect(!HMACSHA256.isValid(Array(try Hex.decode(vector.code).dropLast()), for: vector.message, key: key))
    #expect(!HMACSHA256.isValid(try Hex.decode(vector.code), for: vector.message + [0], key: key))
  }
}

@Suite struct HKDFSHA256Tests {
  /// RFC 5869 appendix A.1, A.2 and A.3.
  @Test func matchesTheRFC() throws {
    let first = try HKDFSHA256.derive(
      from: SecretBytes(Array(repeating: 0x0B, count: 22)), salt: Array(0x00...0x0C), info: Array(0xF0...0xF9),
      outputCount: 42)
    #expect(
      first.matches(
        try Hex.decode("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")))
    let second = try HKDFSHA256.derive(
      from: SecretBytes(Array(0x00...0x4F)), salt: Array(0x60...0xAF), info: Array(0xB0...0xFF), outputCount: 82)
    #expect(
      second.matches(
        try Hex.decode(
          "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
            + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87")))
    let third = try HKDFSHA256.derive(
      from: SecretBytes(Array(repeating: 0x0B, count: 22)), info: [], outputCount: 42)
    #expect(
      third.matches(
        try Hex.decode("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")))
  }

  @Test(arguments: [0, -1, 8161]) func boundsTheOutput(_ count: Int) {
    let error = #expect(throws: CryptoError.self) {
      try HKDFSHA256.derive(from: SecretBytes([1]), info: [], outputCount: count)
    }
    #expect(error?.code == .invalidParameter)
  }
}

@Suite struct AESGCMTests {
  private let key = SecretBytes(Array(repeating: 7, count: 32))
  private let nonce = [UInt8](repeating: 9, count: 12)

  /// NIST GCM test cases 13, 14 and 16 (AES-256).
  @Test func matchesTheKnownVectors() throws {
    let zeroKey = SecretBytes(Array(repeating: 0, count: 32))
    let zeroNonce = [UInt8](repeating: 0, count: 12)
    #expect(
      Hex.encode(try AESGCM.seal([UInt8](), with: zeroKey, nonce: zeroNonce)) == "530f8afbc74536b9a963b4f1c4cb738b")
    #expect(
      Hex.encode(try AESGCM.seal([UInt8](repeating: 0, count: 16), with: zeroKey, nonce: zeroNonce))
        == "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
    let sealed = try AESGCM.seal(
      try Hex.decode(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
          + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"),
      with: SecretBytes(try Hex.decode("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")),
      nonce: try Hex.decode("cafebabefacedbaddecaf888"),
      additionalData: try Hex.decode("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
    #expect(
      Hex.encode(sealed)
        == "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b")
  }

  @Test(arguments: [0, 1, 15, 16, 17, 1000]) func opensWhatItSealed(_ count: Int) throws {
    let message = [UInt8](repeating: 5, count: count)
    let sealed = try AESGCM.seal(message, with: key, nonce: nonce, additionalData: [1, 2])
    #expect(sealed.count == count + AESGCM.tagCount)
    #expect(try AESGCM.open(sealed, with: key, nonce: nonce, additionalData: [1, 2]).matches(message))
    #expect(try AESGCM.seal(SecretBytes(message), with: key, nonce: nonce, additionalData: [1, 2]) == sealed)
  }

  @Test func oneOpenerReadsManyMessagesAndRefusalsLeaveItUsable() throws {
    let opener = try AESGCMOpener(key: key)
    for count in [0, 1, 16, 300, 5] {
      let message = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
      let nonce = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: 12)
      let sealed = try AESGCM.seal(message, with: key, nonce: nonce, additionalData: [1])
      #expect(try opener.openMessage(sealed, nonce: nonce, additionalData: [1]) == message)
      let framed = [9] + sealed
      #expect(try opener.openMessage(framed[1...], nonce: nonce, additionalData: [1]) == message)
      let altered = sealed.dropLast() + [sealed[sealed.count - 1] ^ 1]
      let refused: [(sealed: [UInt8], data: [UInt8])] = [(Array(altered), [1]), (sealed, [2]), ([0], [1])]
      for (sealed, data) in refused {
        let error = #expect(throws: CryptoError.self) {
          try opener.openMessage(sealed, nonce: nonce, additionalData: data)
        }
        #expect(error?.code == .authenticationFailed)
      }
      let error = #expect(throws: CryptoError.self) { try opener.openMessage(sealed, nonce: [1]) }
      #expect(error?.code == .invalidParameter)
    }
    let error = #expect(throws: CryptoError.self) { try AESGCMOpener(key: SecretBytes([1])) }
    #expect(error?.code == .invalidParameter)
  }

  private func expectRefusal(
    _ code: CryptoError.Code, _ sealed: [UInt8], _ key: SecretBytes, _ nonce: [UInt8], _ data: [UInt8]
  ) {
    let error = #expect(throws: CryptoError.self) {
      try AESGCM.open(sealed, with: key, nonce: nonce, additionalData: data)
    }
    #expect(error?.code == code)
  }

  @Test func refusesEveryChange() throws {
    let sealed = try AESGCM.seal([1, 2, 3, 4, 5], with: key, nonce: nonce, additionalData: [6])
    for index in sealed.indices {
      for bit in 0..<8 {
        var changed = sealed
        changed[index] ^= 1 << bit
        expectRefusal(.authenticationFailed, changed, key, nonce, [6])
      }
    }
    for length in sealed.indices { expectRefusal(.authenticationFailed, Array(sealed.prefix(length)), key, nonce, [6]) }
    expectRefusal(.authenticationFailed, sealed + [0], key, nonce, [6])
    expectRefusal(.authenticationFailed, sealed, key, nonce, [7])
    expectRefusal(.authenticationFailed, sealed, key, nonce, [])
    expectRefusal(.authenticationFailed, sealed, key, [8] + nonce.dropFirst(), [6])
    expectRefusal(.authenticationFailed, sealed, SecretBytes(Array(repeating: 8, count: 32)), nonce, [6])
    expectRefusal(.invalidParameter, sealed, key, Array(nonce.dropLast()), [6])
    expectRefusal(.invalidParameter, sealed, SecretBytes(Array(repeating: 7, count: 16)), nonce, [6])
  }
}

@Suite struct ScryptTests {
  /// RFC 7914 section 12, the second vector; its costs are below the floor this module sets.
  @Test func matchesTheRFC() throws {
    let derived = try Scrypt.derive(
      password: SecretBytes(Array("password".utf8)), salt: Array("NaCl".utf8),
      parameters: ScryptParameters(logN: 10, r: 8, p: 16), outputCount: 64,
      bounds: ScryptBounds(minimumLogN: 1, minimumSaltCount: 4))
    #expect(
      derived.matches(
        try Hex.decode(
          "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830da"
            + "c727afb94a83ee6d8360cbdfa2cc0640")))
  }

  @Test(arguments: [
    ScryptParameters(logN: 14, r: 8, p: 1), ScryptParameters(logN: 15, r: 7, p: 1),
    ScryptParameters(logN: 24, r: 8, p: 1), ScryptParameters(logN: 15, r: 8, p: 17),
    ScryptParameters(logN: 63, r: 8, p: 1), ScryptParameters(logN: 64, r: .max, p: .max),
    ScryptParameters(logN: -1, r: 8, p: 1), ScryptParameters(logN: 15, r: 0, p: 1),
    ScryptParameters(logN: 15, r: 8, p: 0), ScryptParameters(logN: 40, r: 1 << 15, p: 1 << 20),
  ]) func refusesParametersOutOfBounds(_ parameters: ScryptParameters) {
    let error = #expect(throws: CryptoError.self) {
      try Scrypt.derive(
        password: SecretBytes([1]), salt: Array(repeating: 1, count: 16), parameters: parameters)
    }
    #expect(error?.code == .invalidParameter)
  }

  @Test func admitsTheRecommendedParametersAndOneGibibyte() throws {
    try ScryptBounds.standard.check(.recommended)
    #expect(ScryptParameters.recommended.memory == 128 * 8 * (131_072 + 3))
    try ScryptBounds.standard.check(ScryptParameters(logN: 19, r: 8, p: 1))
  }

  @Test func refusesLengthsOutOfBounds() {
    let cheap = ScryptParameters(logN: 2, r: 1, p: 1)
    let bounds = ScryptBounds(minimumLogN: 1)
    for (password, salt, output) in [(1025, 16, 32), (4, 7, 32), (4, 1025, 32), (4, 16, 15), (4, 16, 1025)] {
      let error = #expect(throws: CryptoError.self) {
        try Scrypt.derive(
          password: SecretBytes(Array(repeating: 1, count: password)), salt: Array(repeating: 1, count: salt),
          parameters: cheap, outputCount: output, bounds: bounds)
      }
      #expect(error?.code == .invalidParameter)
    }
  }

  @Test func passwordAndSaltBothCount() throws {
    func derive(_ password: String, _ salt: UInt8) throws -> SecretBytes {
      try Scrypt.derive(
        password: SecretBytes(Array(password.utf8)), salt: Array(repeating: salt, count: 16),
        parameters: ScryptParameters(logN: 4, r: 8, p: 1), bounds: ScryptBounds(minimumLogN: 1))
    }
    let first = try derive("1234", 1)
    #expect(first.matches(try derive("1234", 1)))
    #expect(!first.matches(try derive("1235", 1)))
    #expect(!first.matches(try derive("1234", 2)))
    #expect(try derive("", 1).count == 32)
  }
}

@Suite struct SystemRandomTests {
  @Test func yieldsDifferentBytesOfTheAskedLength() throws {
    #expect(try SystemRandom.bytes(0).isEmpty)
    #expect(try Set((0..<100).map { _ in try SystemRandom.bytes(16) }).count == 100)
    #expect(try Set(SystemRandom.bytes(1000)).count > 100)
    #expect(try SystemRandom.secret(32).count == 32)
    #expect(try !SystemRandom.secret(32).matches(try SystemRandom.secret(32)))
  }

  @Test(arguments: [-1, 1 << 20 + 1]) func boundsTheLength(_ count: Int) {
    let error = #expect(throws: CryptoError.self) { try SystemRandom.bytes(count) }
    #expect(error?.code == .invalidParameter)
  }
}

@Suite struct ConstantTimeTests {
  @Test func comparesAndWipes() {
    #expect(ConstantTime.equals([], []))
    #expect(ConstantTime.equals([1, 2], [1, 2]))
    #expect(!ConstantTime.equals([1, 2], [1, 3]))
    #expect(!ConstantTime.equals([1], [1, 2]))
    var bytes: [UInt8] = [1, 2, 3]
    ConstantTime.wipe(&bytes)
    #expect(bytes == [0, 0, 0])
  }
}
