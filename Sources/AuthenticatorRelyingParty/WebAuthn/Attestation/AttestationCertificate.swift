import AuthenticatorCrypto

/// Rules that certificates of several formats share. All failures are `attestationCertificateInvalid` unless said.
enum AttestationCertificate {
  static func invalid(_ reason: StaticString) -> WebAuthnVerificationError {
    WebAuthnVerificationError(.attestationCertificateInvalid, reason)
  }

  static func publicKey(_ certificate: X509Certificate) throws(WebAuthnVerificationError) -> PublicKey {
    do throws(CryptoError) { return try certificate.publicKey() } catch {
      throw invalid("the certificate's key is of an unknown kind")
    }
  }

  /// Version 3, and basic constraints that say it signs no certificates.
  static func checkEndEntity(_ certificate: X509Certificate) throws(WebAuthnVerificationError) {
    guard certificate.version == 3 else { throw invalid("the certificate is not of version 3") }
    guard try read(certificate, { (it) throws(CryptoError) in try it.isCertificateAuthority() }) == false else {
      throw invalid("the basic constraints do not rule out signing certificates")
    }
  }

  /// The model in the certificate, when it is there, is not critical and is the credential's: otherwise
  /// `attestationAAGUIDMismatch`.
  static func checkModel(_ certificate: X509Certificate, aaguid: [UInt8]) throws(WebAuthnVerificationError) {
    guard let entry = certificate.extension(X509Certificate.ExtensionType.fidoAAGUID) else { return }
    guard !entry.isCritical else { throw invalid("the model's extension is critical") }
    guard try read(certificate, { (it) throws(CryptoError) in try it.fidoAAGUID() }) == aaguid else {
      throw WebAuthnVerificationError(.attestationAAGUIDMismatch, "the certificate is for another model")
    }
  }

  /// Reads an extension; one that has not its form is invalid.
  static func read<Value>(
    _ certificate: X509Certificate, _ body: (X509Certificate) throws(CryptoError) -> Value
  ) throws(WebAuthnVerificationError) -> Value {
    do throws(CryptoError) { return try body(certificate) } catch { throw invalid("an extension is malformed") }
  }
}
