/// A tag of the assertion scheme UAFV1TLV (FIDO UAF Registry, section "Tags"). Open.
public struct UAFTag: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The two bytes on the wire, read as a little-endian number.
  public let rawValue: UInt16
  /// Takes any number; 14 bits of it are in use.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public var description: String {
    let digits = String(rawValue, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Whether the value is a row of further elements.
  public var isComposite: Bool { rawValue & 0x1000 != 0 }
  /// Whether a reader that does not know the tag must refuse the whole message.
  public var isCritical: Bool { rawValue & 0x2000 != 0 }

  /// What an authenticator answers to a registration.
  public static let registrationAssertion = UAFTag(rawValue: 0x3E01)
  /// What an authenticator answers to an authentication.
  public static let authenticationAssertion = UAFTag(rawValue: 0x3E02)
  /// The key registration data: the signed half of a registration.
  public static let keyRegistrationData = UAFTag(rawValue: 0x3E03)
  /// The signed half of an authentication.
  public static let signedData = UAFTag(rawValue: 0x3E04)
  /// One DER certificate.
  public static let attestationCertificate = UAFTag(rawValue: 0x2E05)
  /// A signature.
  public static let signature = UAFTag(rawValue: 0x2E06)
  /// An attestation by a key that the model's vendor certified.
  public static let attestationBasicFull = UAFTag(rawValue: 0x3E07)
  /// An attestation by the new key itself.
  public static let attestationBasicSurrogate = UAFTag(rawValue: 0x3E08)
  /// An attestation that tells no device from another; not made here.
  public static let attestationECDAA = UAFTag(rawValue: 0x3E09)
  /// The key's identifier, in bytes.
  public static let keyID = UAFTag(rawValue: 0x2E09)
  /// The hash of the final challenge parameters.
  public static let finalChallengeHash = UAFTag(rawValue: 0x2E0A)
  /// The authenticator model, nine ASCII characters.
  public static let aaid = UAFTag(rawValue: 0x2E0B)
  /// The public key, in the form that the assertion info names.
  public static let publicKey = UAFTag(rawValue: 0x2E0C)
  /// Signature counter, and in a registration the registration counter.
  public static let counters = UAFTag(rawValue: 0x2E0D)
  /// Version, mode and algorithms.
  public static let assertionInfo = UAFTag(rawValue: 0x2E0E)
  /// Random bytes of the authenticator.
  public static let authenticatorNonce = UAFTag(rawValue: 0x2E0F)
  /// The hash of the transaction's content; empty when there was none.
  public static let transactionContentHash = UAFTag(rawValue: 0x2E10)
  /// An extension that a reader must know.
  public static let criticalExtension = UAFTag(rawValue: 0x3E11)
  /// An extension that a reader may pass over.
  public static let nonCriticalExtension = UAFTag(rawValue: 0x3E12)
  /// The extension's identifier, UTF-8.
  public static let extensionID = UAFTag(rawValue: 0x2E13)
  /// The extension's data.
  public static let extensionData = UAFTag(rawValue: 0x2E14)
  /// Which enrolled finger or face it was.
  public static let userVerificationIndex = UAFTag(rawValue: 0x0104)
  /// The set of enrolled fingers or faces, in a form of this key's own.
  public static let userVerificationState = UAFTag(rawValue: 0x0106)
  /// Which finger it was, not hashed: must never leave an authenticator.
  public static let rawUserVerificationIndex = UAFTag(rawValue: 0x0103)
  /// The enrolled set, not hashed: must never leave an authenticator.
  public static let rawUserVerificationState = UAFTag(rawValue: 0x0105)

  /// The tags that may stand in an assertion.
  public static let known: Set<UAFTag> = [
    .registrationAssertion, .authenticationAssertion, .keyRegistrationData, .signedData, .attestationCertificate,
    .signature, .attestationBasicFull, .attestationBasicSurrogate, .attestationECDAA, .keyID, .finalChallengeHash,
    .aaid, .publicKey, .counters, .assertionInfo, .authenticatorNonce, .transactionContentHash, .criticalExtension,
    .nonCriticalExtension, .extensionID, .extensionData, .userVerificationIndex, .userVerificationState,
    .rawUserVerificationIndex, .rawUserVerificationState,
  ]
}
