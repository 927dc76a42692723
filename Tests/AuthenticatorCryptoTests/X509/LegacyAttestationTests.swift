import AuthenticatorCoding
import AuthenticatorCrypto
import TestVectors
import Testing

@Suite struct LegacyAttestationTests {
  private static let hashes: [String: LegacyAttestation.Hash] = ["sha1": .sha1, "sha384": .sha384, "sha512": .sha512]

  @Test func verifiesSignaturesWithOtherHashes() throws {
    let json = try JSONValue.parse(try Vectors.bytes("rsa-legacy-signatures.json"))
    let key = try PublicKey(
      subjectPublicKeyInfo: try Hex.decode(try #require(json["subjectPublicKeyInfo"]?.stringValue)))
    let message = Array(try #require(json["message"]?.stringValue).utf8)
    for (name, hash) in Self.hashes {
      let signature = try Hex.decode(try #require(json["signatures"]?[name]?.stringValue))
      #expect(try LegacyAttestation.isValidRSASignature(signature, for: message, key: key, hash: hash))
      #expect(try !LegacyAttestation.isValidRSASignature(signature, for: message + [0], key: key, hash: hash))
      #expect(try !LegacyAttestation.isValidRSASignature(signature, for: message, key: key, hash: .sha256))
      #expect(try !LegacyAttestation.isValidRSASignature([], for: message, key: key, hash: hash))
      var bent = signature
      bent[0] ^= 1
      #expect(try !LegacyAttestation.isValidRSASignature(bent, for: message, key: key, hash: hash))
    }
  }

  @Test func anEllipticKeyHasNoSuchSignature() throws {
    let key = try PrivateKey.generate(.es256)
    let signature = try key.sign([1]).derRepresentation
    #expect(try !LegacyAttestation.isValidRSASignature(signature, for: [1], key: key.publicKey, hash: .sha256))
  }

  @Test func hashesAsNamed() {
    #expect(
      Hex.encode(LegacyAttestation.digest(of: Array("abc".utf8), .sha1)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(LegacyAttestation.digest(of: [], .sha384).count == 48)
    #expect(LegacyAttestation.digest(of: [], .sha512).count == 64)
    #expect(LegacyAttestation.digest(of: [1, 2], .sha256) == SHA256.hash([1, 2]))
  }
}
