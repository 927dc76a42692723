import AuthenticatorCrypto

/// Apple's anonymous attestation (WebAuthn Level 3 section 8.8).
enum AppleAttestation {
  static func verify(
    _ members: StatementMembers, about subject: AttestationSubject
  ) throws(WebAuthnVerificationError) -> AttestationProof {
    // An `alg` was once part of the format and still occurs.
    try members.expect(["x5c"], optional: ["alg"])
    let certificates = try members.certificates()
    let leaf = certificates[0]
    let nonce = try AttestationCertificate.read(leaf) { (it) throws(CryptoError) in try it.appleNonce() }
    guard let nonce else { throw AttestationCertificate.invalid("the certificate has no nonce") }
    guard nonce == SHA256.hash(subject.signedBytes) else {
      throw WebAuthnVerificationError(.attestationChallengeMismatch, "the nonce is of another registration")
    }
    guard try AttestationCertificate.publicKey(leaf) == subject.publicKey.publicKey else {
      throw WebAuthnVerificationError(.attestationKeyMismatch, "the certificate is for another key")
    }
    return AttestationProof(.anonCA, certificates)
  }
}
