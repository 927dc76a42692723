internal import AuthenticatorCoding
public import AuthenticatorCrypto

/// The public key of a trusted device: ES256 on P-256, received as the text of a JWK.
public struct TrustedDeviceKey: Hashable, Sendable {
  /// The longest text that is looked at, in bytes; a key has 129.
  public static let maximumTextBytes = 512

  private static let members: Set<String> = ["kty", "crv", "x", "y", "alg"]

  /// The key; on P-256.
  public let publicKey: PublicKey

  /// Reads `{"kty":"EC","crv":"P-256","x":…,"y":…,"alg":"ES256"}` in any order of its members (RFC 7518 section 6.2).
  ///
  /// Throws `TrustedDeviceVerificationError` (`publicKey`): no JSON object, a member that is missing, repeated, unknown
  /// or of another value, coordinates that are not 32 bytes of unpadded base64url, a point off the curve.
  public init(jwk text: String) throws(TrustedDeviceVerificationError) {
    let limits = JSONLimits(bytes: Self.maximumTextBytes, depth: 1, textBytes: 64, values: 8)
    guard text.utf8.count <= Self.maximumTextBytes,
      let object = (try? JSONValue.parse(text, limits: limits))?.objectValue, Set(object.names) == Self.members,
      object["kty"] == "EC", object["crv"] == "P-256", object["alg"] == "ES256",
      let x = Self.coordinate(object["x"]), let y = Self.coordinate(object["y"]),
      let key = try? PublicKey(ec: .p256, x: x, y: y)
    else { throw TrustedDeviceVerificationError(.publicKey) }
    publicKey = key
  }

  /// Takes a key as it was stored: `0x04 || x || y`.
  ///
  /// Throws `TrustedDeviceVerificationError` (`publicKey`) for anything else.
  public init(x963Representation point: [UInt8]) throws(TrustedDeviceVerificationError) {
    guard point.count == 65, let key = try? PublicKey(x963Representation: point) else {
      throw TrustedDeviceVerificationError(.publicKey)
    }
    publicKey = key
  }

  private static func coordinate(_ value: JSONValue?) -> [UInt8]? {
    guard let text = value?.stringValue, text.utf8.count == 43 else { return nil }
    return try? Base64URL.decode(text)
  }

  /// `0x04 || x || y`, the form to store.
  public var x963Representation: [UInt8] { publicKey.x963Representation ?? [] }
}
