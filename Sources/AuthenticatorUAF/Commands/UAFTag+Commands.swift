/// The tags of commands to an authenticator and of its answers (FIDO UAF Authenticator Commands, section "Command
/// Tags"). None of them may stand in an assertion.
extension UAFTag {
  /// Asks what there is.
  public static let getInfoCommand = UAFTag(rawValue: 0x3401)
  /// Asks for a new key.
  public static let registerCommand = UAFTag(rawValue: 0x3402)
  /// Asks for a signature.
  public static let signCommand = UAFTag(rawValue: 0x3403)
  /// Asks to forget keys.
  public static let deregisterCommand = UAFTag(rawValue: 0x3404)
  /// Asks for the authenticator's own settings.
  public static let openSettingsCommand = UAFTag(rawValue: 0x3406)
  /// Answers `getInfoCommand`.
  public static let getInfoResponse = UAFTag(rawValue: 0x3601)
  /// Answers `registerCommand`.
  public static let registerResponse = UAFTag(rawValue: 0x3602)
  /// Answers `signCommand`.
  public static let signResponse = UAFTag(rawValue: 0x3603)
  /// Answers `deregisterCommand`.
  public static let deregisterResponse = UAFTag(rawValue: 0x3604)
  /// Answers `openSettingsCommand`.
  public static let openSettingsResponse = UAFTag(rawValue: 0x3606)

  /// A wrapped key.
  public static let keyHandle = UAFTag(rawValue: 0x2801)
  /// A wrapped key and whose it is, to choose from.
  public static let usernameAndKeyHandle = UAFTag(rawValue: 0x3802)
  /// Proof that the person was verified for this operation.
  public static let userVerificationToken = UAFTag(rawValue: 0x2803)
  /// The application, UTF-8.
  public static let appID = UAFTag(rawValue: 0x2804)
  /// What a key handle is bound to.
  public static let keyHandleAccessToken = UAFTag(rawValue: 0x2805)
  /// The account's name, UTF-8.
  public static let username = UAFTag(rawValue: 0x2806)
  /// How a new key is attested.
  public static let attestationType = UAFTag(rawValue: 0x2807)
  /// How a command ended.
  public static let statusCode = UAFTag(rawValue: 0x2808)
  /// What an authenticator is like, 15 bytes.
  public static let authenticatorMetadata = UAFTag(rawValue: 0x2809)
  /// The form of assertions.
  public static let assertionScheme = UAFTag(rawValue: 0x280A)
  /// What pictures can be shown.
  public static let tcDisplayPNGCharacteristics = UAFTag(rawValue: 0x280B)
  /// What type of content can be shown.
  public static let tcDisplayContentType = UAFTag(rawValue: 0x280C)
  /// Which of several authenticators.
  public static let authenticatorIndex = UAFTag(rawValue: 0x280D)
  /// The version of the command set.
  public static let apiVersion = UAFTag(rawValue: 0x280E)
  /// An assertion.
  public static let authenticatorAssertion = UAFTag(rawValue: 0x280F)
  /// What is shown and confirmed.
  public static let transactionContent = UAFTag(rawValue: 0x2810)
  /// One authenticator.
  public static let authenticatorInfo = UAFTag(rawValue: 0x3811)
  /// An extension that an authenticator knows.
  public static let supportedExtensionID = UAFTag(rawValue: 0x2812)

  /// The tags that may stand in commands and answers.
  public static let knownInCommands: Set<UAFTag> = [
    .getInfoCommand, .registerCommand, .signCommand, .deregisterCommand, .openSettingsCommand, .getInfoResponse,
    .registerResponse, .signResponse, .deregisterResponse, .openSettingsResponse, .keyHandle, .usernameAndKeyHandle,
    .userVerificationToken, .appID, .keyHandleAccessToken, .username, .attestationType, .statusCode,
    .authenticatorMetadata, .assertionScheme, .tcDisplayPNGCharacteristics, .tcDisplayContentType, .authenticatorIndex,
    .apiVersion, .authenticatorAssertion, .transactionContent, .authenticatorInfo, .supportedExtensionID,
    .finalChallengeHash, .transactionContentHash, .keyID, .aaid,
  ]
}
