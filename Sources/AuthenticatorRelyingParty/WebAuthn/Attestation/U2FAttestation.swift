import AuthenticatorCrypto

/// The format of the first generation of security keys (WebAuthn Level 3 section 8.6).
enum U2FAttestation {
  static func verify(
    _ members: StatementMembers, about subject: AttestationSubject
  ) throws(WebAuthnVerificationError) -> AttestationProof {
    try members.expect(["sig", "x5c"], optional: [])
    let certificates = try members.certificates()
    guard certificates.count == 1 else { throw StatementMembers.malformed("x5c has more than one certificate") }
    let attestationKey = try AttestationCertificate.publicKey(certificates[0])
    guard attestationKey.curve == .p256 else {
      throw AttestationCertificate.invalid("the certificate's key is not on P-256")
    }
    guard subject.publicKey.signatureAlgorithm == .es256,
      let point = subject.publicKey.publicKey.x963Representation
    else {
      throw WebAuthnVerificationError(.attestationKeyMismatch, "the credential's key is not one of U2F")
    }
    let message =
      [0x00] + subject.authenticatorData.relyingPartyIDHash + subject.clientDataHash + subject.credentialID + point
    try AttestationSignature.verify(try members.bytes("sig"), for: message, key: attestationKey, algorithm: -7)
    return AttestationProof(.basic, certificates)
  }
}
