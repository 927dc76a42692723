internal import AuthenticatorCoding
internal import AuthenticatorCrypto

/// What a device answers to a challenge: a signature over the bytes of `client_data`, exactly as they were sent.
public struct TrustedDeviceProof: Sendable {
  /// The UTF-8 bytes that were signed.
  public let clientData: [UInt8]
  private let signature: Signature

  /// Takes what came over the wire: `client_data` as text, `signature` as 86 characters of base64url for r and s of 32
  /// bytes each, `algorithm` as `ES256`.
  ///
  /// Throws `TrustedDeviceVerificationError`: `algorithm`, or `signatureForm` for another length or alphabet, padding,
  /// a DER signature, or a number outside the group.
  public init(
    clientData: String, signature: String, algorithm: String
  ) throws(TrustedDeviceVerificationError) {
    guard algorithm == "ES256" else { throw TrustedDeviceVerificationError(.algorithm) }
    guard signature.utf8.count == 86, let bytes = try? Base64URL.decode(signature),
      let signature = try? Signature(raw: bytes, algorithm: .es256)
    else { throw TrustedDeviceVerificationError(.signatureForm) }
    self.clientData = Array(clientData.utf8)
    self.signature = signature
  }

  /// Checks that the signature is by this key.
  ///
  /// Throws `TrustedDeviceVerificationError` (`signature`). What `client_data` says is for the caller to compare.
  public func verify(by key: TrustedDeviceKey) throws(TrustedDeviceVerificationError) {
    guard (try? key.publicKey.isValidSignature(signature, for: clientData)) == true else {
      throw TrustedDeviceVerificationError(.signature)
    }
  }
}
