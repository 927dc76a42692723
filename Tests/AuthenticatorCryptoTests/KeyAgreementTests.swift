import AuthenticatorCoding
import AuthenticatorCrypto
import Testing

@Suite("Key agreement") struct KeyAgreementTests {
  @Test func agreesAsTheStandardsExampleDoes() throws {
    // RFC 5903 section 8.1: i and g^i, g^r, and the x coordinate of g^ir.
    let scalar = try Hex.decode("c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433")
    let own = try Hex.decode(
      "04dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c37725811805271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3"
    )
    let peer = try PublicKey(
      x963Representation: try Hex.decode(
        "04d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf6356fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab"
      ))
    let key = try PrivateKey(material: SecretBytes(scalar + own), algorithm: .es256)
    try key.checkConsistency()
    let secret = try key.sharedSecret(with: peer)
    #expect(secret.matches(try Hex.decode("d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de")))
  }

  @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512])
  func bothSidesAgree(_ algorithm: SignatureAlgorithm) throws {
    let (left, right) = (try PrivateKey.generate(algorithm), try PrivateKey.generate(algorithm))
    #expect(try left.sharedSecret(with: right.publicKey).matches(try right.sharedSecret(with: left.publicKey)))
  }

  @Test func keysOfOtherKindsAgreeOnNothing() throws {
    let key = try PrivateKey.generate(.es256)
    let other = try PrivateKey.generate(.es384)
    let edwards = try PrivateKey.generate(.edDSA)
    for (left, right) in [(key, other), (key, edwards), (edwards, key), (edwards, edwards)] {
      #expect(throws: CryptoError(.unsupportedAlgorithm, "")) { try left.sharedSecret(with: right.publicKey) }
    }
  }
}

@Suite("AES-256-CBC") struct AESCBCTests {
  @Test func encryptsAsTheStandardsExampleDoes() throws {
    // NIST SP 800-38A, F.2.5, its first two blocks.
    let key = SecretBytes(
      try Hex.decode("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
    let vector = try Hex.decode("000102030405060708090a0b0c0d0e0f")
    let plaintext = try Hex.decode("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    let ciphertext = try Hex.decode("f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d")
    #expect(try AESCBC.encrypt(SecretBytes(plaintext), with: key, initializationVector: vector) == ciphertext)
    #expect(try AESCBC.decrypt(ciphertext, with: key, initializationVector: vector).matches(plaintext))
  }

  @Test func refusesOtherLengths() throws {
    let key = SecretBytes([UInt8](repeating: 1, count: 32))
    let vector = [UInt8](repeating: 0, count: 16)
    let invalid = CryptoError(.invalidParameter, "")
    #expect(throws: invalid) { try AESCBC.decrypt([1], with: key, initializationVector: vector) }
    #expect(throws: invalid) { try AESCBC.decrypt(vector, with: key, initializationVector: [1]) }
    #expect(throws: invalid) { try AESCBC.decrypt(vector, with: SecretBytes([1]), initializationVector: vector) }
    #expect(throws: invalid) {
      try AESCBC.decrypt([UInt8](repeating: 0, count: 65_552), with: key, initializationVector: vector)
    }
    #expect(try AESCBC.decrypt([], with: key, initializationVector: vector).count == 0)
  }
}

@Suite("Private keys in PEM") struct PrivateKeyPEMTests {
  static let texts: [(String, SignatureAlgorithm)] = [
    (
      """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7/2FEjropvG7+zSj
      se4wt9fjU49vn5R0rRIl2ZXFBLKhRANCAASmeVKQXtWI3fc7Brg5xxhw7cPL2QGv
      DmaFy37FdqK7STr6LSKK6kFgRR8bMDCE76kTJ1MfEEKr2WnbZaPBCq8b
      -----END PRIVATE KEY-----
      """, .es256
    ),
    (
      """
      -----BEGIN EC PRIVATE KEY-----
      MHcCAQEEIO/9hRI66Kbxu/s0o7HuMLfX41OPb5+UdK0SJdmVxQSyoAoGCCqGSM49
      AwEHoUQDQgAEpnlSkF7ViN33Owa4OccYcO3Dy9kBrw5mhct+xXaiu0k6+i0iiupB
      YEUfGzAwhO+pEydTHxBCq9lp22WjwQqvGw==
      -----END EC PRIVATE KEY-----
      """, .es256
    ),
    (
      """
      -----BEGIN PRIVATE KEY-----
      MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCW3w3ZURRin00NoVIz
      m+M7l2PXf2zK4bUem8mohAkILfpXeOsXhoBu8cBzlh2hhhuhZANiAAQk5apUGbbZ
      2v088+XORvyZfNC5xAQaDtK1F/zVPijQXVWupOAreIyYluRqpxgWAXbNJ5Wx/TuV
      oGHuB2pfiSmcuDIUas5o8jbTnFWrVvzBVXuzD4JvthvDgtyARiCgQKc=
      -----END PRIVATE KEY-----
      """, .es384
    ),
    (
      """
      -----BEGIN PRIVATE KEY-----
      MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIAbQnLlF+kD+TKAlj5
      NGqS9qiR7tcAkLw4WrUzAJOn/fUCQWlgpg68dhqBQ+niqnEI9W3ivz+S19/vuvPd
      XoWYddChgYkDgYYABAGbxPNyyNt75FkaBQRzlIM17lIvdDa5geLxBbOZFvtKg7N9
      p7nogX3BeFTGgkdfZe8hnLy5ULywXsYVTYxmiVRHsgCNmLFJWl2OlJ3Zv3Y24R/2
      tnnFmIt5YyxIZSXDkqTuXkzgIydB8a+6lQvu7n6Adgo5g5tbD+U5mdryQ7fFhM1r
      7g==
      -----END PRIVATE KEY-----
      """, .es512
    ),
    (
      """
      -----BEGIN PRIVATE KEY-----
      MC4CAQAwBQYDK2VwBCIEIAeWhks8xEjv+4o3ud+BopOqg/eTMIv+QgYA5y+12Oai
      -----END PRIVATE KEY-----
      """, .edDSA
    ),
    (
      """
      -----BEGIN PRIVATE KEY-----
      MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC1B3qiGWDmqO6Q
      c/ZqsfMyZ6Q8GITWuArz9qjQA4jE3tO+pXJCdzyDZ2eLSz6fegqe3Tc0TP73M8zo
      oKm4xY+fB75jQU1Lvygy0Pir99qZ65MEMQBTwczdHuLjIZO/XaGSffap/8Ro48VH
      H+9Dr2VPpb8JUEmogg1mLVoltRifenLKprYYSddOwI1YJhmnzykuu+NbrtSqrmT6
      366Ghn/AkPzGNJJLlx2l5ujw65jukoFFeiQH9iKm5TKmQxQLDPBivXRBZOj6Go9w
      QfJtYpoToctEAGzOpKVZH0kDEos9j7imCgeNZg44ASOzRtLpb+DHR6Rzfwpza8v8
      ki9e+8BbAgMBAAECggEAEZ6TZl48pYv2Vu5HzZqu+6Oawz6fr0ZlH9miFJzuHZCS
      i2ZkTekiZVJrLDjmn3RWvvTzqo4pQruH9hxXveQnVmh/31Pmcg4+Rgk7gCwKMBuo
      SNV8HVV/hbC75IogF0AbDxGzha2fMED7B9vT2IKkbwbIJoqUoLyyZn+DhqgEUtaD
      hkkXdeGBPkCQTfVEwvPp5yn+rTo8JZhQrTMq33dnP3yVi9/UhV8xuBlMlK0X2HhD
      GstyHKCM5kGswVL1eVR+NI6Ay/wx5n/nVBbAJ+GLQ8J2TwjyCY8TKQC7YfJZH/sn
      MocMTwJ1OeNtwDl8EmjAIhSpelRXT2aP/6q2kBpCAQKBgQDkL8uzQnP4ZEGhTPAI
      csgSHkRzyIiEsv95E/e0666EVA8PXkpj5O0hagk+XCUWhOqUvCuAF0WORCsJYqBf
      yjsz8w30CgRo+QbNzGtVIndA4XzbrrXIjqGq4Vq9HG0ETS70bthvrV4O7sNPq6kA
      Q1KfrTW1etB8b14JS3SDcKd0jQKBgQDLGDVt5mKkRuQ5X8AErTAZZv/DZ8TCRnzM
      AG//tN20udazs6+EPTQwYfO9SNQiS+Ys134RouJIxJqTT6I3nOMzFUad+dop2Wf2
      xwTkaT7qG1Ue09K7ews+bLH2Y4bm89hYNwzS7EgKkCv4RWZRvlJzLqPgq7Zonxvp
      ZfvQ9IDyhwKBgDjPHWuXk7+3Vg+OVAQGb4DzQB+DQVmoJqpCKl1Ef8I6GzW8R9Du
      4Yp8F6kKz8D3fl9hKYNOR+bPWdeQUlUGyA566HJlPAvWU7dQuTgMyJvCh485w9AW
      knE0gZ6rQQjdHl+EaSYEh3I4Ry/CkOSb3ioauVBhLx6Lq2GtA2jl1wrRAoGABryw
      2Qpxbz2iyHxypDUSiWUvSs4gaslnzmSdUoAvcpVPl/p38g0NtCUrrrXBw7l80zP6
      zJ74nq1W61gS64Fa0BD+nLLzF7xMhJUphmIvYhiyBCnGrc1xHAsDBEdc7EBeht6c
      oEqSQTdzHfM/Z6rGlWeQrB1GGcZdaKqnZdEWjfUCgYEA0QU8+NylULi49R/xbAKf
      P1kgJIGC4B09yzZPxcpKn+0/KGR3ufZhZ0vF9Q7Lz1cN5y/eJYmYFz5r9RQE0N3G
      Ym32SOrtlq3fbR4QX8leMBblk6P3wzsXVEi6BDyQZ2a/eAHZuyWcv1kl77ClMUMs
      XmF5MzMabeKCsVg7yV/tmF8=
      -----END PRIVATE KEY-----
      """, .rs256
    ),
  ]

  @Test(arguments: texts)
  func readsWhatOpenSSLWrites(_ text: String, _ algorithm: SignatureAlgorithm) throws {
    let key = try PrivateKey(pem: text)
    #expect(key.algorithm == algorithm)
    let signature = try key.sign([1, 2, 3])
    #expect(try Verifier(key.publicKey, algorithm: algorithm).isValidSignature(signature, for: [1, 2, 3]))
  }

  @Test func anRSAKeySignsWithEitherPadding() throws {
    let text = try #require(Self.texts.first { $0.1 == .rs256 }?.0)
    #expect(try PrivateKey(pem: text, algorithm: .ps256).algorithm == .ps256)
    #expect(throws: CryptoError(.invalidKey, "")) { try PrivateKey(pem: text, algorithm: .es256) }
  }

  @Test(arguments: [
    "", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----",
    "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----", "-----BEGIN PRIVATE KEY-----\n*\n",
  ])
  func refusesWhatIsNoKey(_ text: String) {
    #expect(throws: CryptoError(.invalidKey, "")) { try PrivateKey(pem: text) }
  }

  @Test func refusesACurveItDoesNotKnow() {
    #expect(throws: CryptoError(.invalidKey, "")) { try PrivateKey(pem: Self.secp256k1) }
  }

  private static let secp256k1 = """
    -----BEGIN EC PRIVATE KEY-----
    MHQCAQEEII1VYcMrkBFZ4b+IHYgyHicjjeAXoIsBUKxbRr1C2mMYoAcGBSuBBAAK
    oUQDQgAE2pPbzrY6TIsodGyHRuVhlaCa+vBPSDuGZvylHam4rvDf7171xSiGsnwm
    K7YbVyELMLNybkWTRQOu8LbQvn5wkA==
    -----END EC PRIVATE KEY-----
    """
}
