extension CryptoError.Code {
  /// The bytes are no certificate in strict DER, or an extension has not the form its name promises.
  public static let invalidCertificate = CryptoError.Code(rawValue: "invalidCertificate")
  /// No path leads from the certificate to a trust anchor, or one on the way may not sign certificates.
  public static let certificateUntrusted = CryptoError.Code(rawValue: "certificateUntrusted")
  /// A certificate on the path is past its validity.
  public static let certificateExpired = CryptoError.Code(rawValue: "certificateExpired")
  /// A certificate on the path is before its validity.
  public static let certificateNotYetValid = CryptoError.Code(rawValue: "certificateNotYetValid")
  /// The bytes are no revocation list.
  public static let invalidRevocationList = CryptoError.Code(rawValue: "invalidRevocationList")
  /// A certificate on the path is revoked.
  public static let certificateRevoked = CryptoError.Code(rawValue: "certificateRevoked")
  /// Whether a certificate on the path is revoked cannot be told: its issuer's list is missing, not of this time, or
  /// not signed by the issuer.
  public static let revocationUnknown = CryptoError.Code(rawValue: "revocationUnknown")
}
