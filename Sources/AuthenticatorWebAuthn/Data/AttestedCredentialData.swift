/// What authenticator data tells about a new credential (WebAuthn Level 3 section 6.5.1).
public struct AttestedCredentialData: Hashable, Sendable {
  /// The authenticator's model.
  public let aaguid: AAGUID
  /// The name of the new credential.
  public let credentialID: CredentialID
  /// Its public key.
  public let credentialPublicKey: COSEKey
  /// The structure as it stands in authenticator data.
  public let rawBytes: [UInt8]

  /// Builds the structure from its parts; the key is written in canonical form.
  public init(aaguid: AAGUID, credentialID: CredentialID, credentialPublicKey: COSEKey) {
    self.aaguid = aaguid
    self.credentialID = credentialID
    self.credentialPublicKey = credentialPublicKey
    let size = UInt16(truncatingIfNeeded: credentialID.bytes.count)
    rawBytes =
      aaguid.bytes + [UInt8(size >> 8), UInt8(truncatingIfNeeded: size)] + credentialID.bytes
      + credentialPublicKey.encoded()
  }

  /// For the parser: the parts and the bytes they were read from.
  init(aaguid: AAGUID, credentialID: CredentialID, credentialPublicKey: COSEKey, rawBytes: [UInt8]) {
    self.aaguid = aaguid
    self.credentialID = credentialID
    self.credentialPublicKey = credentialPublicKey
    self.rawBytes = rawBytes
  }
}
