public import AuthenticatorCore
internal import AuthenticatorCrypto

/// How a platform authenticator behaves. What concerns a credential is fixed when the credential is made.
public struct WebAuthnPlatformConfiguration: Sendable {
  /// The statement that vouches for a new credential when the relying party states no preference.
  public enum AttestationPolicy: Sendable {
    /// No statement.
    case none
    /// The credential's own signature (`packed` without certificates).
    case selfSigned
    /// A key of its own with its certificates (`packed` with `x5c`).
    case certified(AttestationKey)
    /// What the key's provider certifies (`tpm`); where it certifies nothing, no statement. A relying party that
    /// prefers `packed` gets the credential's own signature.
    case tpm
  }

  /// Names the model; zero tells nothing.
  public var aaguid: AAGUID
  /// The algorithms offered; what the store cannot make is found out when a key is made.
  public var algorithms: Set<COSEAlgorithmIdentifier>
  /// How new credentials are vouched for, unless the relying party prefers another format.
  public var attestation: AttestationPolicy
  /// Whether new credentials may be backed up. False for keys that never leave their store.
  public var isBackupEligible: Bool
  /// Whether eligible credentials are backed up now; without effect on others.
  public var isBackedUp: Bool
  /// How the signature counters of new credentials behave.
  public var counter: CounterMode
  /// Whether discoverable credentials can be made.
  public var supportsDiscoverableCredentials: Bool
  /// The least protection of a new credential; a relying party may ask for more.
  public var minimumProtection: CredentialProtectionPolicy
  /// The least length of a CTAP2 device's PIN in Unicode scalars, 4 to 63: asked of every PIN that is set from now on,
  /// and what `minPinLength` tells.
  public var minimumPINLength: Int { didSet { minimumPINLength = Self.boundedPINLength(minimumPINLength) } }
  /// The relying parties that are told it.
  public var minimumPINLengthParties: Set<String>
  /// The longest `credBlob`, 32 to 255 bytes.
  public var maximumCredentialBlobBytes: Int
  /// The longest large blob, up to 64 KiB.
  public var maximumLargeBlobBytes: Int
  /// What the person reads.
  public var makePrompt: @Sendable (CeremonyDescription) -> Prompt

  /// See the properties; sizes are held to their bounds.
  public init(
    aaguid: AAGUID = .zero, algorithms: Set<COSEAlgorithmIdentifier> = Self.allAlgorithms,
    attestation: AttestationPolicy = .selfSigned, isBackupEligible: Bool = false, isBackedUp: Bool = false,
    counter: CounterMode = .rising, supportsDiscoverableCredentials: Bool = true,
    minimumProtection: CredentialProtectionPolicy = .userVerificationOptional, minimumPINLength: Int = 4,
    minimumPINLengthParties: Set<String> = [], maximumCredentialBlobBytes: Int = 64,
    maximumLargeBlobBytes: Int = 4096,
    makePrompt: @escaping @Sendable (CeremonyDescription) -> Prompt = { $0.standardPrompt }
  ) {
    self.aaguid = aaguid
    self.algorithms = algorithms
    self.attestation = attestation
    self.isBackupEligible = isBackupEligible
    self.isBackedUp = isBackedUp
    self.counter = counter
    self.supportsDiscoverableCredentials = supportsDiscoverableCredentials
    self.minimumProtection = minimumProtection
    self.minimumPINLength = Self.boundedPINLength(minimumPINLength)
    self.minimumPINLengthParties = minimumPINLengthParties
    self.maximumCredentialBlobBytes = min(max(maximumCredentialBlobBytes, 32), CredentialAttributes.maximumBlobSize)
    self.maximumLargeBlobBytes = min(max(maximumLargeBlobBytes, 0), 65_536)
    self.makePrompt = makePrompt
  }

  private static func boundedPINLength(_ length: Int) -> Int { min(max(length, 4), 63) }

  /// Every algorithm this module can compute.
  public static let allAlgorithms: Set<COSEAlgorithmIdentifier> = [
    .es256, .es384, .es512, .edDSA, .rs256, .ps256, .esp256, .esp384, .esp512, .ed25519,
  ]
}
