extension CryptoError.Code {
  /// The bytes are no certificate in strict DER, or an extension has not the form its name promises.
  public static let invalidCertificate = CryptoError.Code(rawValue: "invalidCertificate")
  /// No path leads from the certificate to a trust anchor, or one on the way may not sign certificates.
  public static let certificateUntrusted = CryptoError.Code(rawValue: "certificateUntrusted")
  /// A certificate on the path is past its validity.
  public static let certificateExpired = CryptoError.Code(rawValue: "certificateExpired")
  /// A certificate on the path is before its validity.
  public static let certificateNotYetValid = CryptoError.Code(rawValue: "certificateNotYetValid")
}
