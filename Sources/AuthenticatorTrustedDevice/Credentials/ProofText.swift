import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// The key and the proof as they go over the wire.
package enum ProofText {
  /// The public key as text: members in this order, no spaces, coordinates of 43 characters.
  /// - Throws: `credentialRefused` for a key that is not on P-256.
  package static func jwk(_ key: PublicKey) throws -> String {
    guard let point = key.x963Representation else { throw invalidPublicKey }
    return try jwk(x963: point)
  }

  /// The same from an uncompressed point of 65 bytes.
  /// - Throws: `credentialRefused` for bytes of another length or form.
  package static func jwk(x963 point: [UInt8]) throws -> String {
    guard point.count == 65, point[0] == 0x04 else { throw invalidPublicKey }
    let (x, y) = (Base64URL.encode(point[1..<33]), Base64URL.encode(point[33...]))
    return #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","alg":"ES256"}"#
  }

  /// The key's thumbprint (RFC 7638, SHA-256), by which a server's list shows whose key a credential is of.
  /// - Throws: `credentialRefused` for a key that is not on P-256.
  package static func thumbprint(_ key: PublicKey) throws -> String {
    guard let point = key.x963Representation, point.count == 65, point[0] == 0x04 else { throw invalidPublicKey }
    return thumbprint(x963: point)
  }

  /// The same from an uncompressed point of 65 bytes.
  package static func thumbprint(x963 point: [UInt8]) -> String {
    let (x, y) = (Base64URL.encode(point[1..<33]), Base64URL.encode(point[33...]))
    return Base64URL.encode(SHA256.hash(Array(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#.utf8)))
  }

  private static var invalidPublicKey: AuthenticatorError {
    AuthenticatorError(
      .credentialRefused, stage: "trustedDevice.key", reason: "the public key is no uncompressed point of P-256")
  }

  /// The signature as text: r and s of 32 bytes each, 86 characters.
  /// - Throws: `credentialRefused` for a signature of another algorithm.
  package static func text(_ signature: Signature) throws -> String {
    guard signature.algorithm == .es256, signature.rawRepresentation.count == 64 else {
      throw AuthenticatorError(
        .credentialRefused, stage: "trustedDevice.signature", reason: "the signature is not ES256")
    }
    return Base64URL.encode(signature.rawRepresentation)
  }
}
