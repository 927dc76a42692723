import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJOSE

/// Makes the proof of a device; starts valid, and a test bends one field.
struct ProofBuilder {
  static let challenge = "q3PzJ0mYtS2m0QfVb9kX8Z1nC5aLh7Rw4UeYg6dTtPo="
  static let userID = "id=7b0f4c1e-6d4a-4f6e-9d53-2f4a0f1c9e11,ou=user,o=alpha,ou=services,ou=am-config"
  static let application = "com.example.app"
  static let now: Int64 = 1_767_225_600

  let key: PrivateKey
  var keyID = "3F0C"
  var header: JSONObject
  var claims: JSONObject

  init(binding: Bool) throws {
    key = try PrivateKey.generate(.es256)
    header = ["alg": "ES256", "kid": "3F0C", "typ": "JWS"]
    claims = [
      "iss": .string(Self.application), "sub": .string(Self.userID), "challenge": .string(Self.challenge),
      "iat": .integer(Self.now), "nbf": .integer(Self.now), "exp": .integer(Self.now + 60),
    ]
    if binding {
      header["jwk"] = .object(jwk)
      claims["platform"] = "ios"
    }
  }

  /// The public key, written out by hand and not by the code under test.
  var jwk: JSONObject {
    guard let point = key.publicKey.x963Representation else { return [:] }
    return [
      "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[1..<33])),
      "y": .string(Base64URL.encode(point[33...])), "use": "sig", "alg": "ES256", "kid": .string(keyID),
    ]
  }

  /// Signs whatever header and claims are there, valid or not.
  func text(signedBy other: PrivateKey? = nil) throws -> String {
    try sign("\(Base64URL.encode(header.serialized())).\(Base64URL.encode(claims.serialized()))", by: other)
  }

  func sign(_ input: String, by other: PrivateKey? = nil) throws -> String {
    let signature = try (other ?? key).sign(Array(input.utf8))
    return "\(input).\(Base64URL.encode(signature.rawRepresentation))"
  }
}
