import AuthenticatorCrypto

/// Which of an Android key's properties count as proof that it was generated on the device and is for signing.
public enum AndroidKeyRule: String, Sendable {
  /// Those that Android enforces and those that the trusted environment enforces.
  case softwareOrTrustedEnvironment
  /// Those that the trusted environment enforces.
  case trustedEnvironment
}

/// Android's key attestation (WebAuthn Level 3 section 8.4).
enum AndroidKeyAttestation {
  static func verify(
    _ members: StatementMembers, about subject: AttestationSubject, rule: AndroidKeyRule
  ) throws(WebAuthnVerificationError) -> AttestationProof {
    try members.expect(["alg", "sig", "x5c"], optional: [])
    let certificates = try members.certificates()
    let leaf = certificates[0]
    let key = try AttestationCertificate.publicKey(leaf)
    try AttestationSignature.verify(
      try members.bytes("sig"), for: subject.signedBytes, key: key, algorithm: try members.algorithm())
    guard key == subject.publicKey.publicKey else {
      throw WebAuthnVerificationError(.attestationKeyMismatch, "the certificate is for another key")
    }
    let description = try AttestationCertificate.read(leaf) { (it) throws(CryptoError) in
      try it.androidKeyDescription()
    }
    guard let description else { throw AttestationCertificate.invalid("the certificate does not describe the key") }
    guard description.attestationChallenge == subject.clientDataHash else {
      throw WebAuthnVerificationError(.attestationChallengeMismatch, "the key was made for another registration")
    }
    try check(description, rule)
    return AttestationProof(.basic, certificates)
  }

  private static func check(
    _ description: AndroidKeyDescription, _ rule: AndroidKeyRule
  ) throws(WebAuthnVerificationError) {
    let (software, trusted) = (description.softwareEnforced, description.teeEnforced)
    guard !software.allApplications, !trusted.allApplications else {
      throw WebAuthnVerificationError(.attestationKeyUseNotAllowed, "every app may use the key")
    }
    let lists = rule == .trustedEnvironment ? [trusted] : [software, trusted]
    let origins = Set(lists.compactMap(\.origin))
    guard origins == [AndroidKeyDescription.generatedOrigin] else {
      throw WebAuthnVerificationError(.attestationKeyUseNotAllowed, "the key was not generated on the device")
    }
    guard lists.contains(where: { $0.purposes.contains(AndroidKeyDescription.signPurpose) }) else {
      throw WebAuthnVerificationError(.attestationKeyUseNotAllowed, "the key is not for signing")
    }
  }
}
