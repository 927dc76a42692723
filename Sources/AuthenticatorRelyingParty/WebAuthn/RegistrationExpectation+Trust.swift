import AuthenticatorCrypto

/// Whom a statement has to be vouched for by.
extension RegistrationExpectation {
  /// Whether a certificate that is trusted vouches for the statement; throws when the requirement is not met.
  ///
  /// Anybody can write a model's AAGUID into a registration. What metadata says about a model therefore counts only for
  /// a statement that proves to be of that model.
  func isTrusted(
    _ proof: AttestationProof, ofModel aaguid: [UInt8], at time: Int64
  ) throws(WebAuthnVerificationError) -> Bool {
    if let entry = try modelPolicy?.check(proof, aaguid: aaguid, at: time) {
      return try isTrusted(proof, by: entry, at: time)
    }
    switch proof.kind {
    case .none:
      guard attestation == .none || attestation == .indirect else {
        throw WebAuthnVerificationError(.attestationMissing, "attestation was asked for")
      }
      return false
    case .self: return false
    case .basic, .attCA, .anonCA: break
    }
    do throws(CryptoError) {
      if let trustAnchors, !trustAnchors.isEmpty {
        try verify(proof.certificates, by: trustAnchors, at: time)
        return true
      }
    } catch {
      guard attestation == .none else { throw Self.refusal(error, "no trust anchor vouches for the statement") }
    }
    guard attestation == .none else {
      throw WebAuthnVerificationError(.attestationUntrusted, "no trust anchor vouches for the statement")
    }
    return false
  }

  /// A statement of a model that the metadata knows: by its own roots, whatever else the caller trusts or asks for;
  /// without certificates only where the model makes no others.
  private func isTrusted(
    _ proof: AttestationProof, by entry: MetadataEntry, at time: Int64
  ) throws(WebAuthnVerificationError) -> Bool {
    switch proof.kind {
    case .none:
      throw WebAuthnVerificationError(.attestationMissing, "nothing proves the model that is claimed")
    case .self:
      guard entry.attestsItself else {
        throw WebAuthnVerificationError(.attestationUntrusted, "the model does not attest itself")
      }
      return false
    case .basic, .attCA, .anonCA: break
    }
    let reason: StaticString = "no root of the model that is claimed vouches for the statement"
    guard !entry.attestationRoots.isEmpty else { throw WebAuthnVerificationError(.attestationUntrusted, reason) }
    do throws(CryptoError) {
      let anchors = try TrustAnchors(entry.attestationRoots, revocationLists: trustAnchors?.revocationLists ?? [])
      try verify(proof.certificates, by: anchors, at: time)
    } catch { throw Self.refusal(error, reason) }
    return true
  }

  private func verify(
    _ chain: [X509Certificate], by anchors: TrustAnchors, at time: Int64
  ) throws(CryptoError) {
    try anchors.verify(chain, at: time, requiresRevocationLists: requiresRevocationLists)
  }

  private static func refusal(_ error: CryptoError, _ reason: StaticString) -> WebAuthnVerificationError {
    switch error.code {
    case .certificateExpired, .certificateNotYetValid:
      WebAuthnVerificationError(.attestationCertificateExpired, "a certificate is outside its validity")
    case .certificateRevoked:
      WebAuthnVerificationError(.attestationCertificateRevoked, "a certificate is revoked")
    case .revocationUnknown:
      WebAuthnVerificationError(
        .attestationRevocationUnknown, "a revocation list is missing, not of this time, or not its issuer's")
    default: WebAuthnVerificationError(.attestationUntrusted, reason)
    }
  }
}
