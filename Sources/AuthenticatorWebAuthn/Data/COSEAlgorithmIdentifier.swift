public import AuthenticatorCrypto

/// The number of a signature algorithm in COSE (IANA COSE Algorithms; WebAuthn Level 3 section 5.8.5).
///
/// Open: options list whatever the relying party likes, and what is not known here is passed over.
public struct COSEAlgorithmIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
  public var description: String { String(rawValue) }

  /// ECDSA with SHA-256, on P-256.
  public static let es256 = COSEAlgorithmIdentifier(rawValue: -7)
  /// ECDSA with SHA-384, on P-384.
  public static let es384 = COSEAlgorithmIdentifier(rawValue: -35)
  /// ECDSA with SHA-512, on P-521.
  public static let es512 = COSEAlgorithmIdentifier(rawValue: -36)
  /// EdDSA, on Ed25519.
  public static let edDSA = COSEAlgorithmIdentifier(rawValue: -8)
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  public static let rs256 = COSEAlgorithmIdentifier(rawValue: -257)
  /// RSASSA-PSS with SHA-256.
  public static let ps256 = COSEAlgorithmIdentifier(rawValue: -37)
  /// ECDSA on P-256 with SHA-256, by its fully specified name (RFC 9864).
  public static let esp256 = COSEAlgorithmIdentifier(rawValue: -9)
  /// ECDSA on P-384 with SHA-384, by its fully specified name (RFC 9864).
  public static let esp384 = COSEAlgorithmIdentifier(rawValue: -51)
  /// ECDSA on P-521 with SHA-512, by its fully specified name (RFC 9864).
  public static let esp512 = COSEAlgorithmIdentifier(rawValue: -52)
  /// EdDSA on Ed25519, by its fully specified name (RFC 9864).
  public static let ed25519 = COSEAlgorithmIdentifier(rawValue: -19)

  /// The number WebAuthn recommends for an algorithm; nil for algorithms COSE has no number for here.
  public init?(_ algorithm: SignatureAlgorithm) {
    switch algorithm {
    case .es256: self = .es256
    case .es384: self = .es384
    case .es512: self = .es512
    case .edDSA: self = .edDSA
    case .rs256: self = .rs256
    case .ps256: self = .ps256
    default: return nil
    }
  }

  /// The algorithm behind the number; nil when this module cannot compute it.
  public var signatureAlgorithm: SignatureAlgorithm? {
    switch self {
    case .es256, .esp256: .es256
    case .es384, .esp384: .es384
    case .es512, .esp512: .es512
    case .edDSA, .ed25519: .edDSA
    case .rs256: .rs256
    case .ps256: .ps256
    default: nil
    }
  }
}
