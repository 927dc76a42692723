import AuthenticatorCore
import AuthenticatorCrypto

/// One authenticator of this device: its AAID, what it does, and what it tells of itself.
public struct UAFAuthenticatorModel: Sendable {
  /// The scheme of all assertions here.
  public static let assertionScheme = "UAFV1TLV"

  /// The model's identifier, as its vendor was assigned it.
  public var aaid: AAID
  /// What it asks of the person.
  public var behavior: UAFBehavior
  /// What the person reads when choosing.
  public var title: String
  /// A sentence about it.
  public var description: String
  /// The authenticator's own version.
  public var authenticatorVersion: UInt16
  /// The protocol versions it is used with.
  public var versions: [UAFVersion]
  /// What its keys sign with.
  public var authenticationAlgorithm: UAFAlgorithm
  /// The form in which public keys are told.
  public var publicKeyFormat: UAFPublicKeyFormat
  /// The attestations it can give, its own preference first.
  public var attestationTypes: [UAFAttestationType]
  /// The model's attestation key, needed for `basicFull`.
  public var attestationKey: UAFAttestationKey?
  /// How it verifies.
  public var userVerification: UserVerificationMethods
  /// How it keeps keys; nil: as the key store would keep a new one. What names hardware gets hardware keys or none.
  public var keyProtection: KeyProtectionTypes?
  /// Where it compares.
  public var matcherProtection: MatcherProtectionTypes
  /// How it is connected.
  public var attachmentHint: AttachmentHint
  /// Who shows transactions; empty: it confirms none.
  public var tcDisplay: TransactionConfirmationDisplay
  /// Pictures that can be shown; empty: text only.
  public var tcDisplayPNGCharacteristics: [DisplayPNGCharacteristics]
  /// Whether its keys serve only users whom the server names by their keys.
  public var isSecondFactorOnly: Bool
  /// How many keys one application may have with it; nil: any number.
  public var maximumKeys: Int?

  /// A model that attests with the new key itself and shows transactions by the app, unless said otherwise.
  public init(
    aaid: AAID, behavior: UAFBehavior, title: String? = nil, description: String = "",
    authenticatorVersion: UInt16 = 1, versions: [UAFVersion] = UAFVersion.supported,
    authenticationAlgorithm: UAFAlgorithm = .secp256r1ECDSASHA256Raw, publicKeyFormat: UAFPublicKeyFormat? = nil,
    attestationTypes: [UAFAttestationType] = [.basicSurrogate], attestationKey: UAFAttestationKey? = nil,
    userVerification: UserVerificationMethods? = nil, keyProtection: KeyProtectionTypes? = nil,
    matcherProtection: MatcherProtectionTypes = .software, attachmentHint: AttachmentHint = .internal,
    tcDisplay: TransactionConfirmationDisplay? = nil, tcDisplayPNGCharacteristics: [DisplayPNGCharacteristics] = [],
    isSecondFactorOnly: Bool = false, maximumKeys: Int? = nil
  ) {
    self.aaid = aaid
    self.behavior = behavior
    self.title = title ?? behavior.usualTitle
    self.description = description
    self.authenticatorVersion = authenticatorVersion
    self.versions = versions
    self.authenticationAlgorithm = authenticationAlgorithm
    self.publicKeyFormat = publicKeyFormat ?? authenticationAlgorithm.usualKeyFormat
    self.attestationTypes = attestationTypes
    self.attestationKey = attestationKey
    self.userVerification = userVerification ?? behavior.userVerification
    self.keyProtection = keyProtection
    self.matcherProtection = matcherProtection
    self.attachmentHint = attachmentHint
    self.tcDisplay = tcDisplay ?? (behavior.level == .none ? [] : [.any, .privilegedSoftware])
    self.tcDisplayPNGCharacteristics = tcDisplayPNGCharacteristics
    self.isSecondFactorOnly = isSecondFactorOnly
    self.maximumKeys = maximumKeys
  }

  /// Whether its metadata claims more than software.
  var requiresHardware: Bool { keyProtection.map { $0 != .software } ?? false }

  /// What it could attest with now.
  var possibleAttestations: [UAFAttestationType] {
    attestationTypes.filter { type in
      switch type {
      case .basicFull: attestationKey != nil
      case .basicSurrogate: true
      default: false
      }
    }
  }
}

extension UAFAuthenticatorModel {
  /// What its authenticator tells of itself at all times; the key protection is that of the device and comes later.
  func information(displaysImages: Bool) -> UAFAuthenticatorInformation {
    let images = displaysImages ? tcDisplayPNGCharacteristics : []
    return UAFAuthenticatorInformation(
      aaid: aaid, title: title, description: description, supportedUAFVersions: versions,
      authenticationAlgorithm: authenticationAlgorithm, attestationTypes: possibleAttestations,
      userVerification: userVerification, keyProtection: [], matcherProtection: matcherProtection,
      attachmentHint: attachmentHint, isSecondFactorOnly: isSecondFactorOnly, tcDisplay: tcDisplay,
      tcDisplayContentTypes: tcDisplay.isEmpty
        ? [] : [UAFTransaction.plainText] + (images.isEmpty ? [] : [UAFTransaction.pngImage]),
      tcDisplayPNGCharacteristics: images, supportedExtensionIDs: SealedAuthenticator.extensionIDs)
  }
}

extension UAFBehavior {
  fileprivate var usualTitle: String {
    switch self {
    case .passcode: "Passcode"
    case .biometricWithState, .biometricWithKeyDeletion: "Fingerprint or face"
    case .biometricOrPasscode: "Fingerprint, face or passcode"
    case .presence: "Confirmation"
    case .silent: "This device"
    case .applicationPIN: "PIN"
    default: name
    }
  }
}
