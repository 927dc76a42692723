public import AuthenticatorCBOR
internal import AuthenticatorCoding

/// What an authenticator signs together with the hash of the client data (WebAuthn Level 3 section 6.1).
public struct AuthenticatorData: Hashable, Sendable {
  /// SHA-256 of the relying party ID.
  public let relyingPartyIDHash: [UInt8]
  /// The flags, reserved ones as received.
  public let flags: AuthenticatorDataFlags
  /// The signature counter; zero for credentials that do not count.
  public let signCount: UInt32
  /// There exactly when `flags` has `attestedCredentialData`.
  public let attestedCredentialData: AttestedCredentialData?
  /// The extension outputs; there, and not empty, exactly when `flags` has `extensionData`.
  public let extensions: CBORMap?
  /// The bytes the signature covers: as received, or as built.
  public let rawBytes: [UInt8]

  /// Builds authenticator data. The flags for attested data and extensions follow from the content, whatever `flags`
  /// says about them; an empty map of extensions counts as none.
  ///
  /// Throws `relyingPartyIDHashSize`, `backupStateWithoutEligibility`, or `invalidExtensions` for a key that is no
  /// text.
  public init(
    relyingPartyIDHash: [UInt8], flags: AuthenticatorDataFlags, signCount: UInt32,
    attestedCredentialData: AttestedCredentialData? = nil, extensions: CBORMap? = nil
  ) throws(WebAuthnDataError) {
    guard relyingPartyIDHash.count == 32 else { throw WebAuthnDataError(.relyingPartyIDHashSize) }
    let extensions = extensions.flatMap { $0.isEmpty ? nil : $0 }
    var flags = flags.subtracting([.attestedCredentialData, .extensionData])
    if attestedCredentialData != nil { flags.insert(.attestedCredentialData) }
    if extensions != nil { flags.insert(.extensionData) }
    try Self.check(flags)
    try Self.check(extensions)
    var writer = ByteWriter(capacity: 37)
    writer.write(relyingPartyIDHash)
    writer.write(flags.rawValue)
    writer.write(signCount)
    if let attestedCredentialData { writer.write(attestedCredentialData.rawBytes) }
    if let extensions { writer.write(CBORValue.map(extensions).encoded()) }
    self.relyingPartyIDHash = relyingPartyIDHash
    self.flags = flags
    self.signCount = signCount
    self.attestedCredentialData = attestedCredentialData
    self.extensions = extensions
    rawBytes = writer.bytes
  }

  /// Reads authenticator data: exactly the parts the flags announce, in canonical form, and nothing after them.
  ///
  /// The end of the public key is found by decoding it. A cut, left-over bytes, a flag that the content does not bear
  /// out and a malformed key each throw their own code.
  public init(rawBytes: [UInt8]) throws(WebAuthnDataError) {
    var reader = ByteReader(rawBytes)
    do {
      relyingPartyIDHash = try reader.readBytes(count: 32)
      flags = AuthenticatorDataFlags(rawValue: try reader.readUInt8())
      signCount = try reader.readUInt32()
    } catch { throw WebAuthnDataError(.authenticatorDataTruncated) }
    try Self.check(flags)
    attestedCredentialData =
      flags.contains(.attestedCredentialData) ? try Self.readAttestedCredentialData(&reader) : nil
    extensions = flags.contains(.extensionData) ? try Self.readExtensions(&reader) : nil
    guard reader.isAtEnd else { throw WebAuthnDataError(.authenticatorDataTrailingBytes) }
    self.rawBytes = rawBytes
  }

  private static func check(_ flags: AuthenticatorDataFlags) throws(WebAuthnDataError) {
    guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else {
      throw WebAuthnDataError(.backupStateWithoutEligibility)
    }
  }

  private static func check(_ extensions: CBORMap?) throws(WebAuthnDataError) {
    guard extensions?.keys.allSatisfy({ $0.textValue != nil }) ?? true else {
      throw WebAuthnDataError(.invalidExtensions)
    }
  }

  private static func readAttestedCredentialData(
    _ reader: inout ByteReader
  ) throws(WebAuthnDataError) -> AttestedCredentialData {
    let whole = reader
    let aaguidBytes: [UInt8]
    let idBytes: [UInt8]
    do {
      aaguidBytes = try reader.readBytes(count: 16)
      idBytes = try reader.readBytes(count: Int(try reader.readUInt16()))
    } catch { throw WebAuthnDataError(.authenticatorDataTruncated) }
    guard let aaguid = AAGUID(aaguidBytes), let id = CredentialID(idBytes) else {
      throw WebAuthnDataError(.credentialIDSize)
    }
    let key = try COSEKey(try readItem(&reader, or: .keyNotAMap))
    return AttestedCredentialData(
      aaguid: aaguid, credentialID: id, credentialPublicKey: key,
      rawBytes: Array(rest(of: whole).prefix(reader.offset - whole.offset)))
  }

  private static func readExtensions(_ reader: inout ByteReader) throws(WebAuthnDataError) -> CBORMap {
    let value = try readItem(&reader, or: .invalidExtensions)
    guard let map = value.mapValue, !map.isEmpty else { throw WebAuthnDataError(.invalidExtensions) }
    try check(map)
    return map
  }

  /// Reads one CBOR item; a cut one throws `authenticatorDataTruncated`, a bad one `code`.
  private static func readItem(
    _ reader: inout ByteReader, or code: WebAuthnDataError.Code
  ) throws(WebAuthnDataError) -> CBORValue {
    do {
      let (value, count) = try CBORValue.decodePrefix(rest(of: reader), limits: .attestationObject)
      _ = try reader.readSlice(count: count)
      return value
    } catch let error as CBORError where error.kind != .truncated {
      throw WebAuthnDataError(code)
    } catch {
      throw WebAuthnDataError(.authenticatorDataTruncated)
    }
  }

  private static func rest(of reader: ByteReader) -> ArraySlice<UInt8> {
    var copy = reader
    return copy.readRemaining()
  }
}
