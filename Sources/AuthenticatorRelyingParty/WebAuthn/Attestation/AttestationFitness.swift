import AuthenticatorCrypto

/// Whether certificates could vouch for credentials at all, looked at before any credential is made with them.
package enum AttestationFitness {
  /// What every verification would find wrong with the certificates of a packed statement, the attestation key's own
  /// first; nil: nothing that can be told without a credential, and without the root, which does not go with them.
  /// - Parameter time: In seconds since 1970-01-01T00:00:00Z.
  package static func complaint(about chain: [X509Certificate], at time: Int64) -> String? {
    guard let leaf = chain.first, chain.count <= TrustAnchors.maximumPathLength else {
      return "there are none, or more than \(TrustAnchors.maximumPathLength) certificates"
    }
    do throws(WebAuthnVerificationError) {
      try PackedAttestation.check(leaf)
    } catch { return error.reason }
    for (index, certificate) in chain.enumerated() {
      guard certificate.notBefore <= time else { return "certificate \(index + 1) is not valid yet" }
      guard time <= certificate.notAfter else { return "certificate \(index + 1) has expired" }
    }
    for (index, (certificate, issuer)) in zip(chain, chain.dropFirst()).enumerated() {
      do throws(CryptoError) { try TrustAnchors([issuer]).verify([certificate], at: time) } catch {
        return "certificate \(index + 2) does not vouch for the one before it"
      }
    }
    return nil
  }
}
