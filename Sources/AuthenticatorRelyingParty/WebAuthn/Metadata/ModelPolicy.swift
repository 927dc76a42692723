/// Which models a relying party accepts, by what FIDO's metadata says about them.
public struct ModelPolicy: Sendable {
  /// The list to look models up in.
  public var metadata: MetadataBLOB
  /// Statuses that rule a model out from the day they hold.
  public var refusedStatuses: Set<MetadataEntry.Status>
  /// Statuses of which a model must have had one; empty: none is asked for. `FIDO_CERTIFIED` includes its levels.
  public var requiredStatuses: Set<MetadataEntry.Status>
  /// Whether a model without an entry is accepted. An authenticator whose own model is ruled out can claim to be of an
  /// unknown one, unless trust anchors are demanded.
  public var acceptsUnknownModels: Bool

  /// By default a model must be listed, and not be known to be broken.
  public init(
    metadata: MetadataBLOB,
    refusedStatuses: Set<MetadataEntry.Status> = [
      .revoked, .userVerificationBypass, .attestationKeyCompromise, .userKeyRemoteCompromise,
      .userKeyPhysicalCompromise,
    ],
    requiredStatuses: Set<MetadataEntry.Status> = [], acceptsUnknownModels: Bool = false
  ) {
    self.metadata = metadata
    self.refusedStatuses = refusedStatuses
    self.requiredStatuses = requiredStatuses
    self.acceptsUnknownModels = acceptsUnknownModels
  }

  /// The entry of the model that a statement claims to be of; nil for an unknown model that is accepted. Throws
  /// `modelUnknown` or `modelNotAllowed`.
  func check(
    _ proof: AttestationProof, aaguid: [UInt8], at time: Int64
  ) throws(WebAuthnVerificationError) -> MetadataEntry? {
    guard let entry = entry(proof, aaguid: aaguid) else {
      guard acceptsUnknownModels else {
        throw WebAuthnVerificationError(.modelUnknown, "the metadata has no entry for the model")
      }
      return nil
    }
    let effective = entry.statusReports.filter { report in
      // A date that cannot be read holds at once, for better or worse.
      report.effectiveDate.flatMap(MetadataBLOB.day).map { $0 * 86_400 <= time } ?? true
    }
    guard !effective.contains(where: { refusedStatuses.contains($0.status) }) else {
      throw WebAuthnVerificationError(.modelNotAllowed, "the metadata reports a status that is not accepted")
    }
    let isCertified = requiredStatuses.isEmpty || effective.contains { fulfills($0.status) }
    guard isCertified else {
      throw WebAuthnVerificationError(.modelNotAllowed, "the metadata does not report a status that is required")
    }
    return entry
  }

  /// Models of U2F have no AAGUID; the list names them by the keys of their certificates.
  private func entry(_ proof: AttestationProof, aaguid: [UInt8]) -> MetadataEntry? {
    guard aaguid.allSatisfy({ $0 == 0 }), let certificate = proof.certificates.first else {
      return metadata.entry(aaguid: aaguid)
    }
    return metadata.entry(aaguid: aaguid) ?? metadata.entry(attestationCertificate: certificate)
  }

  private func fulfills(_ status: MetadataEntry.Status) -> Bool {
    requiredStatuses.contains(status)
      || requiredStatuses.contains(.certified) && status.rawValue.hasPrefix("FIDO_CERTIFIED")
  }
}
