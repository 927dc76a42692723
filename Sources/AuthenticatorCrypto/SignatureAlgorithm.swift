/// The name of a signature algorithm, as JOSE registers it (RFC 7518 section 3.1, RFC 8037).
///
/// Open: a key provider may name others; this module computes those listed here.
public struct SignatureAlgorithm: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The name, in the case JOSE registers.
  public let rawValue: String
  /// Names an algorithm, whether this module computes it or not.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The name.
  public var description: String { rawValue }

  /// ECDSA on P-256 with SHA-256.
  public static let es256 = SignatureAlgorithm(rawValue: "ES256")
  /// ECDSA on P-384 with SHA-384.
  public static let es384 = SignatureAlgorithm(rawValue: "ES384")
  /// ECDSA on P-521 with SHA-512.
  public static let es512 = SignatureAlgorithm(rawValue: "ES512")
  /// Ed25519.
  public static let edDSA = SignatureAlgorithm(rawValue: "EdDSA")
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  public static let rs256 = SignatureAlgorithm(rawValue: "RS256")
  /// RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes.
  public static let ps256 = SignatureAlgorithm(rawValue: "PS256")

  /// The curve an ECDSA algorithm is bound to; nil for all others.
  public var curve: EllipticCurve? {
    switch self {
    case .es256: .p256
    case .es384: .p384
    case .es512: .p521
    default: nil
    }
  }

  /// Whether the algorithm is one of the two RSA ones.
  var isRSA: Bool { self == .rs256 || self == .ps256 }
}
