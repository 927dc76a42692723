import AuthenticatorCrypto

/// The format of most security keys and of this package's own authenticator (WebAuthn Level 3 section 8.2).
enum PackedAttestation {
  static func verify(
    _ members: StatementMembers, about subject: AttestationSubject
  ) throws(WebAuthnVerificationError) -> AttestationProof {
    try members.expect(["alg", "sig"], optional: ["x5c"])
    let (algorithm, signature) = (try members.algorithm(), try members.bytes("sig"))
    guard members.has("x5c") else {
      guard algorithm == subject.publicKey.algorithm else {
        throw WebAuthnVerificationError(
          .attestationAlgorithmMismatch, "self attestation uses the credential's algorithm")
      }
      try AttestationSignature.verify(
        signature, for: subject.signedBytes, key: subject.publicKey.publicKey, algorithm: algorithm)
      return AttestationProof(.self)
    }
    let certificates = try members.certificates()
    let leaf = certificates[0]
    try AttestationSignature.verify(
      signature, for: subject.signedBytes, key: try AttestationCertificate.publicKey(leaf), algorithm: algorithm)
    try check(leaf)
    try AttestationCertificate.checkModel(leaf, aaguid: subject.aaguid)
    return AttestationProof(.basic, certificates)
  }

  /// What can be told without a credential.
  static func check(_ leaf: X509Certificate) throws(WebAuthnVerificationError) {
    try checkSubject(leaf.subject)
    try AttestationCertificate.checkEndEntity(leaf)
    if leaf.extension(X509Certificate.ExtensionType.fidoAAGUID)?.isCritical == true {
      throw AttestationCertificate.invalid("the model's extension is critical")
    }
  }

  /// Section 8.2.1.
  private static func checkSubject(_ name: DistinguishedName) throws(WebAuthnVerificationError) {
    typealias Kind = DistinguishedName.AttributeType
    let country = name.texts(ofType: Kind.country)
    let isCountry =
      country.count == 1 && country[0].utf8.count == 2
      && country[0].utf8.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
    guard isCountry else { throw AttestationCertificate.invalid("the subject's country is not two letters") }
    guard name.texts(ofType: Kind.organization).contains(where: { !$0.isEmpty }) else {
      throw AttestationCertificate.invalid("the subject has no organization")
    }
    guard name.texts(ofType: Kind.organizationalUnit) == ["Authenticator Attestation"] else {
      throw AttestationCertificate.invalid("the subject's unit is not Authenticator Attestation")
    }
    guard name.texts(ofType: Kind.commonName).contains(where: { !$0.isEmpty }) else {
      throw AttestationCertificate.invalid("the subject has no common name")
    }
  }
}
