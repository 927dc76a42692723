/// Why bytes are not the WebAuthn structure they should be. Never holds the bytes.
public struct WebAuthnDataError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong; each code belongs to one structure.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    // MARK: Authenticator data (WebAuthn Level 3 section 6.1)
    /// Fewer bytes than the flags ask for.
    case authenticatorDataTruncated
    /// Bytes follow the last part that the flags announce.
    case authenticatorDataTrailingBytes
    /// The backup state flag is set without the backup eligibility flag.
    case backupStateWithoutEligibility
    /// The credential ID is empty or has more than 1,023 bytes.
    case credentialIDSize
    /// The hash of the relying party ID has not 32 bytes.
    case relyingPartyIDHashSize
    /// The extension flag is set, and what follows is no CBOR map in canonical form with text keys, or is an empty one.
    case invalidExtensions

    // MARK: COSE keys (RFC 9052 section 7, WebAuthn Level 3 section 5.8.5)
    /// Not a CBOR map in canonical form.
    case keyNotAMap
    /// A parameter that the key type needs is missing.
    case keyParameterMissing
    /// A parameter that has no place in a credential's public key.
    case keyParameterUnexpected
    /// A parameter of the wrong CBOR type.
    case keyParameterType
    /// An algorithm this module does not know.
    case keyAlgorithmUnsupported
    /// The key type is not the one of the algorithm.
    case keyTypeMismatch
    /// The curve is not the one of the algorithm.
    case keyCurveMismatch
    /// A coordinate or number of the wrong size, a point off its curve, a refused modulus or exponent.
    case keyInvalid

    // MARK: Attestation objects (WebAuthn Level 3 section 6.5.4)
    /// Not a CBOR map in canonical form.
    case attestationObjectNotAMap
    /// It would have more bytes than anybody reads, 64 KiB.
    case attestationObjectSize
    /// The members are not exactly `fmt`, `attStmt` and `authData`, or one has the wrong type.
    case attestationObjectMembers
    /// The format's name is empty, longer than 32 characters or not printable ASCII.
    case attestationFormatName
    /// The authenticator data in an attestation object has no attested credential data.
    case attestedCredentialDataMissing

    // MARK: Client data (WebAuthn Level 3 section 5.8.1)
    /// Not a JSON object in UTF-8, or one that has a name twice.
    case clientDataNotJSON
    /// A required member is missing.
    case clientDataMemberMissing
    /// A member of the wrong JSON type.
    case clientDataMemberType
    /// The challenge is not base64url without padding.
    case clientDataChallenge
    /// An additional member has a name that is taken.
    case clientDataMemberReserved
    /// The bytes do not begin as the limited verification algorithm expects.
    case clientDataPrefix
  }

  /// What is wrong.
  public let code: Code
  /// The name of the member or parameter concerned, from a fixed set; empty when there is none.
  public let member: String

  /// An error, with the member concerned where there is one.
  public init(_ code: Code, member: StaticString = "") {
    self.code = code
    self.member = "\(member)"
  }

  public var description: String { member.isEmpty ? code.rawValue : "\(code.rawValue) (\(member))" }
}
