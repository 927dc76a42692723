import AuthenticatorCrypto

/// Whether certificates could vouch for credentials at all, looked at before any credential is made with them.
package enum AttestationFitness {
  /// What every verification would find wrong with the certificates of a packed statement, the attestation key's own
  /// first; nil: nothing that can be told without a credential.
  package static func complaint(about chain: [X509Certificate]) -> String? {
    guard let leaf = chain.first, chain.count <= TrustAnchors.maximumPathLength else {
      return "there are none, or more than \(TrustAnchors.maximumPathLength) certificates"
    }
    do throws(WebAuthnVerificationError) {
      try PackedAttestation.check(leaf)
      return nil
    } catch { return error.reason }
  }
}
