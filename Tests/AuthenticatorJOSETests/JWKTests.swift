import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJOSE
import Testing

@Suite struct JWKTests {
  private static let valid: JSONObject = [
    "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", "use": "sig", "alg": "ES256", "kid": "k1",
  ]

  /// RFC 7638 section 3.1.
  @Test func thumbprintMatchesTheRFC() throws {
    let key = try JWK([
      "kty": "RSA",
      "n": .string(
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3okn"
          + "jhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6q"
          + "MQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awap"
          + "JzKnqDKgw"),
      "e": "AQAB", "alg": "RS256", "kid": "2011-04-29",
    ])
    #expect(Base64URL.encode(key.thumbprint) == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
  }

  /// RFC 8037 appendix A.3.
  @Test func thumbprintOfEd25519MatchesTheRFC() throws {
    let key = try JWK(["kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"])
    #expect(Base64URL.encode(key.thumbprint) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
  }

  @Test func readsWhatItWrites() throws {
    for algorithm in [SignatureAlgorithm.es256, .es384, .es512, .edDSA] {
      let key = JWK(
        try PrivateKey.generate(algorithm).publicKey, keyID: "k", use: "sig", algorithm: algorithm)
      #expect(try JWK(key.json) == key)
      #expect(try JWK(JWK(key.key).json) == JWK(key.key))
    }
    #expect(try JWK(Self.valid).json.names == ["kty", "crv", "x", "y", "use", "alg", "kid"])
    #expect(try JWK(Self.valid).json == Self.valid)
  }

  @Test func ignoresUnknownMembers() throws {
    var object = Self.valid
    object["x5c"] = ["MIIB"]
    object["key_ops"] = ["verify"]
    #expect(try JWK(object) == JWK(Self.valid))
  }

  struct Change: Sendable, CustomTestStringConvertible {
    let name: String
    let value: JSONValue?
    init(_ name: String, _ value: JSONValue?) { (self.name, self.value) = (name, value) }
    var testDescription: String { "\(name): \(value?.serializedString() ?? "removed")" }
  }

  @Test(arguments: [
    Change("kty", nil), Change("kty", "oct"), Change("kty", 1), Change("kty", "RSA"), Change("kty", "ec"),
    Change("crv", nil), Change("crv", "P-384"), Change("crv", "secp256k1"), Change("crv", "Ed25519"), Change("x", nil),
    Change("x", 1), Change("x", ""), Change("x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU="),
    Change("x", "APDN"), Change("y", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"), Change("d", "AA"),
    Change("k", "AA"),
    Change("alg", "ES384"), Change("alg", "HS256"), Change("alg", "none"), Change("alg", 1), Change("use", "enc"),
    Change("kid", 1), Change("use", nil as JSONValue? ?? .null),
  ]) func refuses(_ change: Change) {
    var object = Self.valid
    object[change.name] = change.value
    let error = #expect(throws: JOSEError.self) { try JWK(object) }
    #expect(error?.code == .invalidKey)
  }
}
