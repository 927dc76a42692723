import AuthenticatorCoding
import AuthenticatorCore

/// What an authenticator must be like; it matches when every field that is there does (FIDO UAF Protocol, section
/// "MatchCriteria").
public struct MatchCriteria: Hashable, Sendable {
  /// One of these models.
  public var aaid: [AAID]?
  /// A model of one of these vendors, four hexadecimal digits in capitals.
  public var vendorID: [String]?
  /// One of these keys is registered with it.
  public var keyIDs: [UAFKeyID]?
  /// How it verifies.
  public var userVerification: UserVerificationMethods?
  /// How it keeps keys.
  public var keyProtection: KeyProtectionTypes?
  /// Where it compares.
  public var matcherProtection: MatcherProtectionTypes?
  /// How it is connected.
  public var attachmentHint: AttachmentHint?
  /// Who shows transactions.
  public var tcDisplay: TransactionConfirmationDisplay?
  /// One of these algorithms.
  public var authenticationAlgorithms: [UAFAlgorithm]?
  /// One of these schemes.
  public var assertionSchemes: [String]?
  /// One of these attestations, best first.
  public var attestationTypes: [UAFAttestationType]?
  /// Deprecated: a client cannot know the version, so it is read and not looked at.
  public var authenticatorVersion: UInt16?
  /// Extensions.
  public var exts: [UAFExtension]

  /// Criteria that everything matches, unless something is said.
  public init(
    aaid: [AAID]? = nil, vendorID: [String]? = nil, keyIDs: [UAFKeyID]? = nil,
    userVerification: UserVerificationMethods? = nil, keyProtection: KeyProtectionTypes? = nil,
    matcherProtection: MatcherProtectionTypes? = nil, attachmentHint: AttachmentHint? = nil,
    tcDisplay: TransactionConfirmationDisplay? = nil, authenticationAlgorithms: [UAFAlgorithm]? = nil,
    assertionSchemes: [String]? = nil, attestationTypes: [UAFAttestationType]? = nil,
    authenticatorVersion: UInt16? = nil, exts: [UAFExtension] = []
  ) {
    self.aaid = aaid
    self.vendorID = vendorID
    self.keyIDs = keyIDs
    self.userVerification = userVerification
    self.keyProtection = keyProtection
    self.matcherProtection = matcherProtection
    self.attachmentHint = attachmentHint
    self.tcDisplay = tcDisplay
    self.authenticationAlgorithms = authenticationAlgorithms
    self.assertionSchemes = assertionSchemes
    self.attestationTypes = attestationTypes
    self.authenticatorVersion = authenticatorVersion
    self.exts = exts
  }

  private static let besideAAID: Set<String> = ["aaid", "keyIDs", "attachmentHint", "authenticatorVersion", "exts"]
  private static let known: Set<String> = besideAAID.union([
    "vendorID", "userVerification", "keyProtection", "matcherProtection", "tcDisplay", "authenticationAlgorithms",
    "assertionSchemes", "attestationTypes",
  ])

  init(_ value: JSONValue) throws {
    let members = try MessageMembers(value, "policy")
    try members.admit(Self.known)
    aaid = try members.optionalList("aaid") { $0.stringValue.flatMap(AAID.init) }
    if aaid != nil, let other = members.object.names.first(where: { !Self.besideAAID.contains($0) }) {
      throw MessageMembers.error("policy.aaid", "is combined with \(other)")
    }
    vendorID = try members.optionalList("vendorID") { element in
      element.stringValue.flatMap { AAID($0 + "#0000")?.vendorID }
    }
    keyIDs = try members.optionalList("keyIDs") { $0.stringValue.flatMap { UAFKeyID($0) } }
    userVerification = try members.optionalNumber("userVerification").map(UserVerificationMethods.init)
    keyProtection = try members.optionalNumber("keyProtection").map(KeyProtectionTypes.init)
    matcherProtection = try members.optionalNumber("matcherProtection").map(MatcherProtectionTypes.init)
    attachmentHint = try members.optionalNumber("attachmentHint").map(AttachmentHint.init)
    tcDisplay = try members.optionalNumber("tcDisplay").map(TransactionConfirmationDisplay.init)
    authenticationAlgorithms = try members.optionalList("authenticationAlgorithms") { element in
      element.intValue.flatMap(UInt16.init(exactly:)).map(UAFAlgorithm.init)
    }
    assertionSchemes = try members.optionalList("assertionSchemes") { element in
      element.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }
    attestationTypes = try members.optionalList("attestationTypes") { element in
      element.intValue.flatMap(UInt16.init(exactly:)).map(UAFAttestationType.init)
    }
    authenticatorVersion = try members.optionalNumber("authenticatorVersion")
    exts = try UAFExtension.list(members)
  }
}
