import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJOSE
import Testing

@Suite struct CompactJWSTests {
  /// RFC 7515 appendix A.3.
  private let example =
    "eyJhbGciOiJFUzI1NiJ9"
    + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

  private func exampleKey() throws -> PublicKey {
    try PublicKey(
      ec: .p256, x: try Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
      y: try Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
  }

  private func expect(_ code: JOSEError.Code, _ body: () throws -> Void) {
    let error = #expect(throws: JOSEError.self) { try body() }
    #expect(error?.code == code)
  }

  @Test func verifiesTheExampleOfTheRFC() throws {
    let token = try CompactJWS.parse(example)
    try token.verify(with: try exampleKey(), algorithm: .es256)
    let claims = try token.claims()
    #expect(claims["iss"] == "joe")
    #expect(claims["exp"] == 1_300_819_380)
    #expect(token.algorithm == .es256 && token.keyID == nil)
    #expect(try token.headerKey() == nil)
  }

  @Test func everyPrefixOfTheExampleIsRefused() throws {
    let key = try exampleKey()
    for length in 0..<example.utf8.count {
      #expect(throws: JOSEError.self) {
        try CompactJWS.parse(String(example.prefix(length))).verify(with: key, algorithm: .es256)
      }
    }
  }

  @Test func everyFlippedBitOfTheExampleIsRefused() throws {
    let verifier = try Verifier(try exampleKey(), algorithm: .es256)
    let bytes = Array(example.utf8)
    for index in bytes.indices {
      for bit in 0..<7 {
        var flipped = bytes
        flipped[index] ^= 1 << bit
        #expect(throws: JOSEError.self) {
          try CompactJWS.parse(String(decoding: flipped, as: UTF8.self)).verify(with: verifier)
        }
      }
    }
  }

  @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512, .edDSA]) func signsAndVerifies(
    _ algorithm: SignatureAlgorithm
  ) async throws {
    let key = try PrivateKey.generate(algorithm)
    let header: JSONObject = [
      "alg": .string(algorithm.rawValue), "kid": "k", "typ": "JWS", "jwk": .object(JWK(key.publicKey).json),
    ]
    let text = try await CompactJWS.sign(header: header, payload: Array("{\"a\":1}".utf8)) { try key.sign($0) }
    let token = try CompactJWS.parse(text)
    #expect(token.header == header)
    #expect(token.keyID == "k")
    #expect(token.payload == Array("{\"a\":1}".utf8))
    #expect(try token.headerKey()?.key == key.publicKey)
    #expect(text.hasPrefix(String(decoding: token.signingInput, as: UTF8.self) + "."))
    try token.verify(with: key.publicKey, algorithm: algorithm)
    expect(.invalidSignature) {
      try token.verify(with: try PrivateKey.generate(algorithm).publicKey, algorithm: algorithm)
    }
    expect(.unsupportedAlgorithm) { try token.verify(with: key.publicKey, algorithm: .rs256) }
  }

  @Test func refusesToSignWhatItWouldNotRead() throws {
    let key = try PrivateKey.generate(.es256)
    let sign = { (header: JSONObject) in _ = try CompactJWS.sign(header: header, payload: [], with: key) }
    expect(.invalidHeader) { try sign([:]) }
    expect(.unsupportedAlgorithm) { try sign(["alg": "none"]) }
    expect(.unsupportedAlgorithm) { try sign(["alg": "ES384"]) }
    expect(.criticalHeader) { try sign(["alg": "ES256", "crit": ["exp"]]) }
    expect(.criticalHeader) { try sign(["alg": "ES256", "b64": true]) }
    expect(.tooLarge) { try sign(["alg": "ES256", "kid": .string(String(repeating: "k", count: 2049))]) }
    try sign(["alg": "ES256", "kid": .string(String(repeating: "k", count: 2048))])
  }

  @Test func boundsTheToken() throws {
    let text = try CompactJWS.sign(
      header: ["alg": "ES256"], payload: [UInt8](repeating: 1, count: 60), with: try PrivateKey.generate(.es256))
    #expect(try CompactJWS.parse(text, limit: text.utf8.count).payload.count == 60)
    expect(.tooLarge) { _ = try CompactJWS.parse(text, limit: text.utf8.count - 1) }
    let deep = String(repeating: "{\"a\":", count: 9) + "1" + String(repeating: "}", count: 9)
    let header = Base64URL.encode(Array("{\"alg\":\"ES256\",\"x\":\(deep)}".utf8))
    expect(.tooLarge) { _ = try CompactJWS.parse("\(header).e30.AAAA") }
  }

  @Test func aMalformedHeaderKeyIsAnErrorOnlyWhenAskedFor() throws {
    for value: JSONValue in ["text", ["kty": "oct", "k": "AA"], ["kty": "EC"], nil] {
      let header = JSONObject([("alg", "ES256"), ("jwk", value)])
      let token = try CompactJWS.parse("\(Base64URL.encode(header.serialized())).e30.AAAA")
      expect(.invalidKey) { _ = try token.headerKey() }
    }
  }
}
