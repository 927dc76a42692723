import AuthenticatorCoding

/// What an authenticator tells of itself: the basis of policies and of discovery (FIDO UAF Application API, section
/// "Authenticator").
public struct UAFAuthenticatorInformation: Hashable, Sendable {
  /// The model.
  public var aaid: AAID
  /// What the person reads.
  public var title: String
  /// A sentence about it.
  public var description: String
  /// The protocol versions it is used with.
  public var supportedUAFVersions: [UAFVersion]
  /// The form of its assertions.
  public var assertionScheme: String
  /// What its keys sign with.
  public var authenticationAlgorithm: UAFAlgorithm
  /// The attestations it can give, best first.
  public var attestationTypes: [UAFAttestationType]
  /// How it verifies.
  public var userVerification: UserVerificationMethods
  /// How it keeps keys.
  public var keyProtection: KeyProtectionTypes
  /// Where it compares.
  public var matcherProtection: MatcherProtectionTypes
  /// How it is connected.
  public var attachmentHint: AttachmentHint
  /// Whether it serves only users named by their keys.
  public var isSecondFactorOnly: Bool
  /// Who shows transactions.
  public var tcDisplay: TransactionConfirmationDisplay
  /// The types of transactions it can show.
  public var tcDisplayContentTypes: [String]
  /// Pictures it can show.
  public var tcDisplayPNGCharacteristics: [DisplayPNGCharacteristics]
  /// Extensions it knows.
  public var supportedExtensionIDs: [String]
  /// Whether somebody is enrolled whom it could verify.
  public var isUserEnrolled: Bool
  /// Whether it is locked, and nothing that the person knows would unlock it. Not told to anybody.
  var isLockedOut = false

  /// Whether it could verify somebody now, as far as that can be known without asking.
  var isReady: Bool { isUserEnrolled && !isLockedOut }

  /// Makes a description.
  public init(
    aaid: AAID, title: String = "", description: String = "", supportedUAFVersions: [UAFVersion] = UAFVersion.supported,
    assertionScheme: String = UAFAuthenticatorModel.assertionScheme, authenticationAlgorithm: UAFAlgorithm,
    attestationTypes: [UAFAttestationType], userVerification: UserVerificationMethods,
    keyProtection: KeyProtectionTypes, matcherProtection: MatcherProtectionTypes, attachmentHint: AttachmentHint,
    isSecondFactorOnly: Bool = false, tcDisplay: TransactionConfirmationDisplay = [],
    tcDisplayContentTypes: [String] = [], tcDisplayPNGCharacteristics: [DisplayPNGCharacteristics] = [],
    supportedExtensionIDs: [String] = [], isUserEnrolled: Bool = true
  ) {
    self.aaid = aaid
    self.title = title
    self.description = description
    self.supportedUAFVersions = supportedUAFVersions
    self.assertionScheme = assertionScheme
    self.authenticationAlgorithm = authenticationAlgorithm
    self.attestationTypes = attestationTypes
    self.userVerification = userVerification
    self.keyProtection = keyProtection
    self.matcherProtection = matcherProtection
    self.attachmentHint = attachmentHint
    self.isSecondFactorOnly = isSecondFactorOnly
    self.tcDisplay = tcDisplay
    self.tcDisplayContentTypes = tcDisplayContentTypes
    self.tcDisplayPNGCharacteristics = tcDisplayPNGCharacteristics
    self.supportedExtensionIDs = supportedExtensionIDs
    self.isUserEnrolled = isUserEnrolled
  }

  /// The form of discovery.
  public var json: JSONValue {
    var object = JSONObject([
      ("title", .string(title)), ("aaid", .string(aaid.rawValue)), ("description", .string(description)),
      ("supportedUAFVersions", .array(supportedUAFVersions.map(\.json))),
      ("assertionScheme", .string(assertionScheme)),
      ("authenticationAlgorithm", .integer(Int64(authenticationAlgorithm.rawValue))),
      ("attestationTypes", .array(attestationTypes.map { .integer(Int64($0.rawValue)) })),
      ("userVerification", .integer(Int64(userVerification.rawValue))),
      ("keyProtection", .integer(Int64(keyProtection.rawValue))),
      ("matcherProtection", .integer(Int64(matcherProtection.rawValue))),
      ("attachmentHint", .integer(Int64(attachmentHint.rawValue))),
      ("isSecondFactorOnly", .bool(isSecondFactorOnly)), ("isUserEnrolled", .bool(isUserEnrolled)),
      ("tcDisplay", .integer(Int64(tcDisplay.rawValue))),
    ])
    if let type = tcDisplayContentTypes.first { object["tcDisplayContentType"] = .string(type) }
    if !tcDisplayPNGCharacteristics.isEmpty {
      object["tcDisplayPNGCharacteristics"] = .array(tcDisplayPNGCharacteristics.map(\.json))
    }
    if !supportedExtensionIDs.isEmpty {
      object["supportedExtensionIDs"] = .array(supportedExtensionIDs.map { .string($0) })
    }
    return .object(object)
  }
}
