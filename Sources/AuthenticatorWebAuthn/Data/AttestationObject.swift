public import AuthenticatorCBOR

/// The name of an attestation statement format (WebAuthn Level 3 section 8.1); compared by case.
public struct AttestationStatementFormat: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// No statement (section 8.7).
  public static let none = AttestationStatementFormat(rawValue: "none")
  /// Self attestation, or a certificate (section 8.2).
  public static let packed = AttestationStatementFormat(rawValue: "packed")
  /// A TPM 2.0 (section 8.3).
  public static let tpm = AttestationStatementFormat(rawValue: "tpm")
  /// Android's key store (section 8.4).
  public static let androidKey = AttestationStatementFormat(rawValue: "android-key")
  /// Withdrawn (section 8.5).
  public static let androidSafetyNet = AttestationStatementFormat(rawValue: "android-safetynet")
  /// Keys of the first generation (section 8.6).
  public static let fidoU2F = AttestationStatementFormat(rawValue: "fido-u2f")
  /// Apple's anonymous attestation (section 8.8).
  public static let apple = AttestationStatementFormat(rawValue: "apple")
  /// Several statements (section 8.9).
  public static let compound = AttestationStatementFormat(rawValue: "compound")

  /// Whether the name has 1 to 32 printable ASCII characters other than `"` and `\`.
  var isWellFormed: Bool {
    (1...32).contains(rawValue.utf8.count)
      && rawValue.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
  }
}

/// A new credential's authenticator data with the statement that vouches for it (WebAuthn Level 3 section 6.5.4).
public struct AttestationObject: Hashable, Sendable {
  /// How the statement is written.
  public let format: AttestationStatementFormat
  /// The statement: a map, or an array for the format `compound`.
  public let statement: CBORValue
  /// What the statement is about; has attested credential data.
  public let authenticatorData: AuthenticatorData
  /// The bytes as received or as built.
  public let rawBytes: [UInt8]

  /// Builds an attestation object in canonical form.
  ///
  /// Throws `attestationFormatName`, `attestationObjectMembers` for a statement of the wrong type,
  /// `attestedCredentialDataMissing`, or `attestationObjectSize` for one that could not be read again.
  public init(
    format: AttestationStatementFormat, statement: CBORValue = [:], authenticatorData: AuthenticatorData
  ) throws(WebAuthnDataError) {
    try Self.check(format, statement, authenticatorData)
    let value: CBORValue = [
      "fmt": .text(format.rawValue), "attStmt": statement, "authData": .bytes(authenticatorData.rawBytes),
    ]
    self.format = format
    self.statement = statement
    self.authenticatorData = authenticatorData
    rawBytes = value.encoded()
    guard rawBytes.count <= CBORLimits.attestationObject.bytes else { throw WebAuthnDataError(.attestationObjectSize) }
  }

  /// Reads an attestation object that is exactly these bytes.
  ///
  /// With `keyOrder: .any` the members may stand in any order, as some platforms write them; everything else stays
  /// strict.
  public init(rawBytes: [UInt8], keyOrder: CBORValue.KeyOrder = .canonical) throws(WebAuthnDataError) {
    let value: CBORValue
    do throws(CBORError) {
      value = try CBORValue.decode(rawBytes, limits: .attestationObject, keyOrder: keyOrder)
    } catch { throw WebAuthnDataError(.attestationObjectNotAMap) }
    guard let map = value.mapValue else { throw WebAuthnDataError(.attestationObjectNotAMap) }
    guard map.count == 3, let format = map["fmt"]?.textValue.map(AttestationStatementFormat.init(rawValue:)),
      let statement = map["attStmt"], let data = map["authData"]?.bytesValue
    else { throw WebAuthnDataError(.attestationObjectMembers) }
    let authenticatorData = try AuthenticatorData(rawBytes: data)
    try Self.check(format, statement, authenticatorData)
    self.format = format
    self.statement = statement
    self.authenticatorData = authenticatorData
    self.rawBytes = rawBytes
  }

  private static func check(
    _ format: AttestationStatementFormat, _ statement: CBORValue, _ authenticatorData: AuthenticatorData
  ) throws(WebAuthnDataError) {
    guard format.isWellFormed else { throw WebAuthnDataError(.attestationFormatName, member: "fmt") }
    let isRightType = format == .compound ? statement.arrayValue != nil : statement.mapValue != nil
    guard isRightType else { throw WebAuthnDataError(.attestationObjectMembers, member: "attStmt") }
    guard authenticatorData.attestedCredentialData != nil else {
      throw WebAuthnDataError(.attestedCredentialDataMissing, member: "authData")
    }
  }
}
