/// Which models a relying party accepts, by what FIDO's metadata says about them.
public struct ModelPolicy: Sendable {
  /// The list to look models up in.
  public var metadata: MetadataBLOB
  /// Statuses that rule a model out from the day they hold.
  public var refusedStatuses: Set<MetadataEntry.Status>
  /// Statuses of which a model must have had one; empty: none is asked for. `FIDO_CERTIFIED` includes its levels.
  public var requiredStatuses: Set<MetadataEntry.Status>
  /// Whether a model without an entry is accepted.
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

  /// The model's entry; nil for an unknown model that is accepted. Throws `modelUnknown` or `modelNotAllowed`.
  func check(aaguid: [UInt8], at time: Int64) throws(WebAuthnVerificationError) -> MetadataEntry? {
    guard let entry = metadata.entry(aaguid: aaguid) else {
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

  private func fulfills(_ status: MetadataEntry.Status) -> Bool {
    requiredStatuses.contains(status)
      || requiredStatuses.contains(.certified) && status.rawValue.hasPrefix("FIDO_CERTIFIED")
  }
}
