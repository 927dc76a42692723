import AuthenticatorCrypto

/// Attestation by a TPM 2.0 (WebAuthn Level 3 section 8.3).
enum TPMAttestation {
  /// The purpose of attestation identity keys.
  private static let aikPurpose = "2.23.133.8.3"

  static func verify(
    _ members: StatementMembers, about subject: AttestationSubject
  ) throws(WebAuthnVerificationError) -> AttestationProof {
    try members.expect(["ver", "alg", "x5c", "sig", "certInfo", "pubArea"], optional: [])
    guard try members.text("ver") == "2.0" else { throw StatementMembers.malformed("not version 2.0") }
    let (algorithm, publicAreaBytes) = (try members.algorithm(), try members.bytes("pubArea"))
    let certInfo = try members.bytes("certInfo")

    let publicArea = try TPMPublicArea(publicAreaBytes)
    guard publicArea.publicKey == subject.publicKey.publicKey else {
      throw WebAuthnVerificationError(.attestationKeyMismatch, "the public area is of another key")
    }
    let certification = try TPMCertification(certInfo)
    guard let hash = AttestationSignature.hash(of: algorithm) else {
      throw WebAuthnVerificationError(.attestationAlgorithmMismatch, "the algorithm has no hash")
    }
    guard certification.extraData == LegacyAttestation.digest(of: subject.signedBytes, hash) else {
      throw WebAuthnVerificationError(.attestationChallengeMismatch, "the TPM certified another registration")
    }
    guard certification.name == name(of: publicAreaBytes, publicArea.nameAlgorithm) else {
      throw WebAuthnVerificationError(.attestationKeyMismatch, "the TPM certified another key")
    }

    let certificates = try members.certificates()
    let leaf = certificates[0]
    try AttestationSignature.verify(
      try members.bytes("sig"), for: certInfo, key: try AttestationCertificate.publicKey(leaf), algorithm: algorithm)
    try checkCertificate(leaf, aaguid: subject.aaguid)
    return AttestationProof(.attCA, certificates)
  }

  /// A key's name: its name algorithm before that hash of its public area; nil for an unknown algorithm.
  private static func name(of publicArea: [UInt8], _ algorithm: UInt16) -> [UInt8]? {
    let hash: LegacyAttestation.Hash
    switch algorithm {
    case 0x0004: hash = .sha1
    case 0x000B: hash = .sha256
    case 0x000C: hash = .sha384
    case 0x000D: hash = .sha512
    default: return nil
    }
    return [UInt8(algorithm >> 8), UInt8(truncatingIfNeeded: algorithm)]
      + LegacyAttestation.digest(of: publicArea, hash)
  }

  /// Section 8.3.1.
  private static func checkCertificate(
    _ leaf: X509Certificate, aaguid: [UInt8]
  ) throws(WebAuthnVerificationError) {
    typealias Kind = DistinguishedName.AttributeType
    guard leaf.subject.isEmpty else { throw AttestationCertificate.invalid("the subject is not empty") }
    guard leaf.extension(X509Certificate.ExtensionType.subjectAlternativeName)?.isCritical == true else {
      throw AttestationCertificate.invalid("there is no critical alternative name")
    }
    let names = try AttestationCertificate.read(leaf) { (it) throws(CryptoError) in
      try it.alternativeDirectoryNames()
    }
    let hasParts = (names ?? []).contains { name in
      name.texts(ofType: Kind.tpmManufacturer).contains(where: isManufacturer)
        && [Kind.tpmModel, Kind.tpmVersion].allSatisfy { !name.texts(ofType: $0).isEmpty }
    }
    guard hasParts else { throw AttestationCertificate.invalid("the alternative name does not tell the TPM") }
    let purposes = try AttestationCertificate.read(leaf) { (it) throws(CryptoError) in try it.extendedKeyUsage() }
    guard purposes?.contains(aikPurpose) == true else {
      throw AttestationCertificate.invalid("the key is not for attestation identity")
    }
    try AttestationCertificate.checkEndEntity(leaf)
    try AttestationCertificate.checkModel(leaf, aaguid: aaguid)
  }

  /// `id:` and eight hexadecimal digits. Whether a vendor has that number is the trust anchors' business.
  private static func isManufacturer(_ text: String) -> Bool {
    text.utf8.count == 11 && text.hasPrefix("id:") && text.dropFirst(3).allSatisfy(\.isHexDigit)
  }
}
