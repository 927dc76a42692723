import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJOSE

/// Writes the two kinds of proof: compact JWS with `kid`, `typ` `JWS` and whole seconds.
enum ProofWriter {
  static func proof(_ params: SigningParameters) async throws -> String {
    let record = params.key.record
    let jwk = JWK(record.publicKey, keyID: params.keyID, use: "sig", algorithm: record.algorithm)
    var key = jwk.json
    if let chain = params.attestation { key["x5c"] = .array(chain.map { .string(Base64.encode($0)) }) }
    var header = self.header(record, keyID: params.keyID)
    header["jwk"] = .object(key)
    let claims = JSONObject([
      ("iss", .string(params.issuer)), ("sub", .string(params.userID)), ("challenge", .string(params.challenge)),
      ("iat", .integer(params.issueTime.seconds)), ("nbf", .integer(params.notBeforeTime.seconds)),
      ("exp", .integer(params.expirationTime.seconds)), ("platform", .string(params.platform)),
    ])
    return try await sign(header, claims, with: params.key)
  }

  static func proof(_ params: UserKeySigningParameters) async throws -> String {
    var claims = params.customClaims
    let own: [(String, JSONValue)] = [
      ("iss", .string(params.issuer)), ("sub", .string(params.userKey.userID)),
      ("challenge", .string(params.challenge)), ("iat", .integer(params.issueTime.seconds)),
      ("nbf", .integer(params.notBeforeTime.seconds)), ("exp", .integer(params.expirationTime.seconds)),
    ]
    // Written last: an override that admits a reserved name must not change what is proved.
    for (name, value) in own { claims[name] = value }
    return try await sign(header(params.key.record, keyID: params.userKey.keyID), claims, with: params.key)
  }

  private static func header(_ record: KeyRecord, keyID: String) -> JSONObject {
    [
      "alg": .string(record.algorithm.rawValue), "kid": .string(keyID), "typ": "JWS",
    ]
  }

  private static func sign(_ header: JSONObject, _ claims: JSONObject, with key: SigningKey) async throws -> String {
    try await CompactJWS.sign(header: header, payload: claims.serialized()) { try await key.sign($0) }
  }
}
