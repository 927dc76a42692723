public import AuthenticatorCore

/// A credential that this authenticator holds (WebAuthn Level 3 section 4, "public key credential source"), as it may
/// be shown. Holds no key.
public struct PublicKeyCredentialSource: Hashable, Sendable {
  /// The key's record in its store.
  public let record: KeyRecord
  /// Its name.
  public let id: CredentialID
  /// Whether it is found without being named.
  public let isDiscoverable: Bool
  /// Whether its server disowned it: it is not offered any more, and used only if the server names it.
  public let isHidden: Bool
  /// When it shows itself.
  public let protection: CredentialProtectionPolicy
  /// Whether it may be backed up; fixed when it was made.
  public let isBackupEligible: Bool
  /// As the relying party gave it, cut to 64 bytes; may be empty. Not to be trusted.
  public let relyingPartyName: String
  /// As the relying party gave it, cut to 64 bytes; may be empty.
  public let userName: String
  /// As the relying party gave it, cut to 64 bytes; may be empty.
  public let userDisplayName: String

  /// The relying party ID it belongs to.
  public var relyingPartyID: String { record.owner.party }
  /// The user handle; nil for a credential that is not discoverable.
  public var userHandle: [UInt8]? { isDiscoverable ? record.owner.account : nil }
  /// When it was made.
  public var createdAt: UnixTime { record.createdAt }
  /// The algorithm it signs with; nil for one that COSE has no number for here.
  public var algorithm: COSEAlgorithmIdentifier? { COSEAlgorithmIdentifier(record.algorithm) }

  /// Reads what a key's record says.
  ///
  /// - Throws: `integrityFailed` for a record that no platform authenticator has written.
  public init(_ record: KeyRecord) throws {
    guard record.owner.family == .webAuthn else {
      throw AuthenticatorError(.integrityFailed, stage: "credential", reason: "the key is of another protocol")
    }
    let attributes = try CredentialAttributes(record)
    let details = try CredentialDetails(record)
    guard let name = record.externalID, let id = CredentialID(name) else {
      throw AuthenticatorError(.integrityFailed, stage: "credential", reason: "the key has no credential ID")
    }
    self.record = record
    self.id = id
    isDiscoverable = attributes.flags.contains(.discoverable)
    isHidden = details.isHidden
    protection = attributes.protection
    isBackupEligible = attributes.flags.contains(.backupEligible)
    relyingPartyName = details.relyingPartyName
    userName = details.userName
    userDisplayName = details.userDisplayName
  }
}
