import AuthenticatorCoding

/// What an authenticator tells of itself in answer to GetInfo (FIDO UAF Authenticator Commands,
/// TAG_AUTHENTICATOR_INFO).
public struct UAFCommandInformation: Hashable, Sendable {
  /// How an authenticator is built.
  public struct Traits: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// It serves only users named by their keys.
    public static let secondFactorOnly = Self(rawValue: 0x01)
    /// It is carried from device to device.
    public static let roaming = Self(rawValue: 0x02)
    /// It keeps key handles itself.
    public static let storesKeyHandles = Self(rawValue: 0x04)
    /// It has a user interface of its own.
    public static let hasUserInterface = Self(rawValue: 0x08)
    /// It has settings of its own.
    public static let hasSettings = Self(rawValue: 0x10)
    /// Commands must name the application.
    public static let wantsAppID = Self(rawValue: 0x20)
    /// Somebody is enrolled.
    public static let userEnrolled = Self(rawValue: 0x40)
    /// It takes proof of an earlier verification.
    public static let takesVerificationTokens = Self(rawValue: 0x80)
    /// Of a transaction it takes the hash alone; only where the ASM shows transactions (`tcDisplay` 0x0003).
    public static let takesTransactionHash = Self(rawValue: 0x100)
  }

  /// How commands name it.
  public var authenticatorIndex: UInt8
  /// Its model.
  public var aaid: AAID
  /// How it is built.
  public var traits: Traits
  /// How many key handles a Sign command may carry; 0: it does not say.
  public var maximumKeyHandles: UInt8
  /// How it verifies.
  public var userVerification: UserVerificationMethods
  /// How it keeps keys.
  public var keyProtection: KeyProtectionTypes
  /// Where it compares.
  public var matcherProtection: MatcherProtectionTypes
  /// Who shows transactions.
  public var tcDisplay: TransactionConfirmationDisplay
  /// What its keys sign with.
  public var authenticationAlgorithm: UAFAlgorithm
  /// What type of content it shows.
  public var tcDisplayContentType: String?
  /// What pictures it shows, one element each, as received.
  public var tcDisplayPNGCharacteristics: [[UInt8]]
  /// The form of its assertions.
  public var assertionScheme: String
  /// How it attests, best first.
  public var attestationTypes: [UAFAttestationType]
  /// Extensions it knows.
  public var supportedExtensionIDs: [String]

  /// See the properties.
  public init(
    authenticatorIndex: UInt8, aaid: AAID, traits: Traits, maximumKeyHandles: UInt8 = 0,
    userVerification: UserVerificationMethods, keyProtection: KeyProtectionTypes,
    matcherProtection: MatcherProtectionTypes, tcDisplay: TransactionConfirmationDisplay = [],
    authenticationAlgorithm: UAFAlgorithm, tcDisplayContentType: String? = nil,
    tcDisplayPNGCharacteristics: [[UInt8]] = [], assertionScheme: String = UAFAuthenticatorModel.assertionScheme,
    attestationTypes: [UAFAttestationType], supportedExtensionIDs: [String] = []
  ) {
    self.authenticatorIndex = authenticatorIndex
    self.aaid = aaid
    self.traits = traits
    self.maximumKeyHandles = maximumKeyHandles
    self.userVerification = userVerification
    self.keyProtection = keyProtection
    self.matcherProtection = matcherProtection
    self.tcDisplay = tcDisplay
    self.authenticationAlgorithm = authenticationAlgorithm
    self.tcDisplayContentType = tcDisplayContentType
    self.tcDisplayPNGCharacteristics = tcDisplayPNGCharacteristics
    self.assertionScheme = assertionScheme
    self.attestationTypes = attestationTypes
    self.supportedExtensionIDs = supportedExtensionIDs
  }

  init(_ element: TLVElement) throws(TLVError) {
    var row = ElementRow(element)
    authenticatorIndex = try row.next(.authenticatorIndex).uint8
    guard let aaid = AAID(try row.next(.aaid).text(9...9)) else { throw .malformed(.aaid) }
    self.aaid = aaid
    let metadata = try row.next(.authenticatorMetadata)
    var reader = ByteReader(try metadata.bytes(15...15))
    do {
      traits = Traits(rawValue: try reader.readUInt16(order: .littleEndian))
      maximumKeyHandles = try reader.readUInt8()
      userVerification = UserVerificationMethods(rawValue: try reader.readUInt32(order: .littleEndian))
      keyProtection = KeyProtectionTypes(rawValue: try reader.readUInt16(order: .littleEndian))
      matcherProtection = MatcherProtectionTypes(rawValue: try reader.readUInt16(order: .littleEndian))
      tcDisplay = TransactionConfirmationDisplay(rawValue: try reader.readUInt16(order: .littleEndian))
      authenticationAlgorithm = UAFAlgorithm(rawValue: try reader.readUInt16(order: .littleEndian))
    } catch {
      throw .malformed(.authenticatorMetadata)
    }
    tcDisplayContentType = try row.optional(.tcDisplayContentType)?.text(1...64)
    tcDisplayPNGCharacteristics = row.all(.tcDisplayPNGCharacteristics).map(\.value)
    assertionScheme = try row.next(.assertionScheme).text(1...64)
    attestationTypes = []
    for type in row.all(.attestationType) { attestationTypes.append(UAFAttestationType(rawValue: try type.uint16)) }
    guard !attestationTypes.isEmpty else { throw .missing(.attestationType) }
    supportedExtensionIDs = []
    for id in row.all(.supportedExtensionID) {
      supportedExtensionIDs.append(try id.text(CommandLimits.extensionID))
    }
    try row.expectEnd()
    try check()
  }

  func write(to writer: inout TLVWriter) throws(TLVError) {
    try check()
    try writer.write(.authenticatorIndex, uint8: authenticatorIndex)
    try writer.write(.aaid, Array(aaid.rawValue.utf8))
    var metadata = ByteWriter(capacity: 15)
    metadata.write(traits.rawValue, order: .littleEndian)
    metadata.write(maximumKeyHandles)
    metadata.write(userVerification.rawValue, order: .littleEndian)
    metadata.write(keyProtection.rawValue, order: .littleEndian)
    metadata.write(matcherProtection.rawValue, order: .littleEndian)
    metadata.write(tcDisplay.rawValue, order: .littleEndian)
    metadata.write(authenticationAlgorithm.rawValue, order: .littleEndian)
    try writer.write(.authenticatorMetadata, metadata.bytes)
    if let tcDisplayContentType { try writer.write(.tcDisplayContentType, text: tcDisplayContentType, 1...64) }
    for one in tcDisplayPNGCharacteristics { try writer.write(.tcDisplayPNGCharacteristics, one) }
    try writer.write(.assertionScheme, text: assertionScheme, 1...64)
    guard !attestationTypes.isEmpty else { throw .missing(.attestationType) }
    for type in attestationTypes { try writer.write(.attestationType, uint16: type.rawValue) }
    for id in supportedExtensionIDs { try writer.write(.supportedExtensionID, text: id, CommandLimits.extensionID) }
  }

  private func check() throws(TLVError) {
    guard !traits.contains(.takesTransactionHash) || tcDisplay == [.any, .privilegedSoftware] else {
      throw .malformed(.authenticatorMetadata)
    }
  }
}
