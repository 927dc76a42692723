import AuthenticatorCrypto

/// What an attestation statement must be about.
struct AttestationSubject {
  let authenticatorData: ReceivedAuthenticatorData
  let aaguid: [UInt8]
  let credentialID: [UInt8]
  let publicKey: WebAuthnPublicKey
  let clientDataHash: [UInt8]

  /// Authenticator data and client data hash, which most formats sign.
  var signedBytes: [UInt8] { authenticatorData.bytes + clientDataHash }
}

/// A statement that was verified: what kind it is, and the certificates that still have to lead to a trust anchor.
struct AttestationProof {
  let kind: AttestationSummary.Kind
  let certificates: [X509Certificate]

  init(_ kind: AttestationSummary.Kind, _ certificates: [X509Certificate] = []) {
    self.kind = kind
    self.certificates = certificates
  }
}
