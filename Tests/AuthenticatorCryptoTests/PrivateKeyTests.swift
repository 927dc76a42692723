import AuthenticatorCoding
import AuthenticatorCrypto
import Testing

/// Keys that are dear to make, made once.
enum TestKeys {
  static var rsa: PrivateKey { get throws { try result.get() } }
  private static let result = Result { try PrivateKey.generate(.rs256) }
}

@Suite struct PrivateKeyTests {
  static let all: [SignatureAlgorithm] = [.es256, .es384, .es512, .edDSA, .rs256, .ps256]

  private func key(_ algorithm: SignatureAlgorithm) throws -> PrivateKey {
    guard algorithm == .rs256 || algorithm == .ps256 else { return try PrivateKey.generate(algorithm) }
    return try PrivateKey(material: try TestKeys.rsa.exportMaterial(), algorithm: algorithm)
  }

  @Test(arguments: all) func signsAndVerifies(_ algorithm: SignatureAlgorithm) throws {
    let key = try key(algorithm)
    let verifier = try Verifier(key.publicKey, algorithm: algorithm)
    for length in [0, 1, 63, 64, 1000] {
      let message = [UInt8](repeating: 7, count: length)
      let signature = try key.sign(message)
      #expect(signature.algorithm == algorithm)
      #expect(try verifier.isValidSignature(signature, for: message))
      #expect(try key.publicKey.isValidSignature(signature, for: message))
      #expect(try !verifier.isValidSignature(signature, for: message + [0]))
      let again = try Signature(der: signature.derRepresentation, algorithm: algorithm)
      #expect(again == signature)
    }
  }

  @Test(arguments: all) func everyFlippedBitOfASignatureFails(_ algorithm: SignatureAlgorithm) throws {
    let key = try key(algorithm)
    let verifier = try Verifier(key.publicKey, algorithm: algorithm)
    let raw = try key.sign([1, 2, 3]).rawRepresentation
    for index in raw.indices {
      var flipped = raw
      flipped[index] ^= 1 << (index % 8)
      guard let signature = try? Signature(raw: flipped, algorithm: algorithm) else { continue }
      #expect(try !verifier.isValidSignature(signature, for: [1, 2, 3]))
    }
  }

  @Test(arguments: all) func materialRestoresTheKey(_ algorithm: SignatureAlgorithm) throws {
    let key = try key(algorithm)
    let restored = try PrivateKey(material: try key.exportMaterial(), algorithm: algorithm)
    #expect(restored.publicKey == key.publicKey)
    #expect(try restored.exportMaterial().matches(try key.exportMaterial()))
    #expect(try key.publicKey.isValidSignature(try restored.sign([9]), for: [9]))
    if algorithm != .edDSA { try restored.checkConsistency() }
  }

  @Test(arguments: all) func cutOrForeignMaterialIsRefused(_ algorithm: SignatureAlgorithm) throws {
    let material = try key(algorithm).exportMaterial().withUnsafeBytes { Array($0) }
    let step = material.count > 200 ? 37 : 1
    for length in stride(from: 0, to: material.count, by: step) {
      let error = #expect(throws: CryptoError.self) {
        try PrivateKey(material: SecretBytes(Array(material.prefix(length))), algorithm: algorithm)
      }
      #expect(error?.code == .invalidKey)
    }
    let error = #expect(throws: CryptoError.self) {
      try PrivateKey(material: SecretBytes(material + [0]), algorithm: algorithm)
    }
    #expect(error?.code == .invalidKey)
  }

  @Test func aScalarOutOfRangeOrAPointOffTheCurveIsRefused() throws {
    let material = try PrivateKey.generate(.es256).exportMaterial().withUnsafeBytes { Array($0) }
    var (zero, large, off) = (material, material, material)
    zero.replaceSubrange(0..<32, with: repeatElement(0, count: 32))
    large.replaceSubrange(0..<32, with: repeatElement(0xFF, count: 32))
    off[material.count - 1] ^= 1
    for bytes in [zero, large, off] {
      let error = #expect(throws: CryptoError.self) { try PrivateKey(material: SecretBytes(bytes), algorithm: .es256) }
      #expect(error?.code == .invalidKey)
    }
  }

  @Test func consistencyIsCheckedOnRequest() throws {
    let first = try PrivateKey.generate(.es256).exportMaterial().withUnsafeBytes { Array($0) }
    let second = try PrivateKey.generate(.es256).exportMaterial().withUnsafeBytes { Array($0) }
    let mixed = try PrivateKey(material: SecretBytes(Array(first[..<32] + second[32...])), algorithm: .es256)
    let error = #expect(throws: CryptoError.self) { try mixed.checkConsistency() }
    #expect(error?.code == .invalidKey)
  }

  @Test func keysAndAlgorithmsDoNotMix() throws {
    let error = #expect(throws: CryptoError.self) { try PrivateKey.generate(.init(rawValue: "HS256")) }
    #expect(error?.code == .unsupportedAlgorithm)
    let key = try PrivateKey.generate(.es256)
    let signature = try PrivateKey.generate(.es384).sign([1])
    let mismatch = #expect(throws: CryptoError.self) { try key.publicKey.isValidSignature(signature, for: [1]) }
    #expect(mismatch?.code == .unsupportedAlgorithm)
    #expect(try !Verifier(key.publicKey, algorithm: .es256).isValidSignature(signature, for: [1]))
    #expect(throws: CryptoError.self) { try Verifier(key.publicKey, algorithm: .rs256) }
  }

  @Test func anotherKeysSignatureIsInvalid() throws {
    let signature = try PrivateKey.generate(.es256).sign([1])
    #expect(try !PrivateKey.generate(.es256).publicKey.isValidSignature(signature, for: [1]))
  }

  @Test func manyTasksMayUseOneKey() async throws {
    let key = try PrivateKey.generate(.es256)
    let verifier = try Verifier(key.publicKey, algorithm: .es256)
    let valid = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<200 {
        group.addTask {
          let message = [UInt8](repeating: UInt8(index), count: index)
          return try verifier.isValidSignature(try key.sign(message), for: message)
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(valid == 200)
  }

  /// RFC 8032 section 7.1, test 2.
  @Test func matchesTheEd25519Vector() throws {
    let seed = try Hex.decode("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    let key = try PrivateKey(material: SecretBytes(seed), algorithm: .edDSA)
    #expect(
      key.publicKey.kind
        == .ed25519(try Hex.decode("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")))
    #expect(
      Hex.encode(try key.sign([0x72]).rawRepresentation)
        == "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")
  }

  @Test func doesNotDescribeItself() throws {
    let key = try PrivateKey.generate(.es256)
    var dumped = ""
    dump(key, to: &dumped)
    #expect("\(key)" == "PrivateKey(ES256)")
    #expect(dumped.count < 40)
  }
}
