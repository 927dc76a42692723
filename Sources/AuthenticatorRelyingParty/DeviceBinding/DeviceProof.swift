public import AuthenticatorCoding
internal import AuthenticatorCrypto

/// A device's JWS, taken apart with everything about its form checked and nothing about its content.
///
/// The parser is the verifying side's own: it shares nothing with the code that makes proofs but base64url and JSON.
public struct DeviceProof: Sendable {
  /// The longest proof, in bytes; an attestation's certificates need most of it.
  public static let maximumBytes = 32_768
  /// The longest key id, in bytes.
  public static let maximumKeyIDBytes = 256

  /// Names the key that must have signed; not yet compared with anything.
  public let keyID: String
  /// The JOSE header as received.
  public let header: JSONObject
  /// The claims as received.
  public let claims: JSONObject
  /// What was signed, as received.
  let signedBytes: [UInt8]
  let signature: [UInt8]

  private static let limits = JSONLimits(bytes: maximumBytes, depth: 8, textBytes: maximumBytes, values: 512)

  /// Reads a compact JWS (RFC 7515 section 7.1).
  ///
  /// Throws `DeviceBindingVerificationError` with the check `size`, `form`, `algorithm`, `extensions`, `foreignKey` or
  /// `keyID`.
  public init(_ text: String) throws(DeviceBindingVerificationError) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.maximumBytes else { throw DeviceBindingVerificationError(.size) }
    let segments = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count == 3 else { throw DeviceBindingVerificationError(.form) }
    header = try Self.object(segments[0])
    claims = try Self.object(segments[1])
    do { signature = try Base64URL.decode(segments[2]) } catch { throw DeviceBindingVerificationError(.form) }
    signedBytes = Array(bytes[..<segments[1].endIndex])
    keyID = try Self.check(header)
  }

  private static func object(_ segment: ArraySlice<UInt8>) throws(DeviceBindingVerificationError) -> JSONObject {
    do {
      let bytes = try Base64URL.decode(segment)
      if let object = try JSONValue.parse(bytes, limits: limits).objectValue { return object }
    } catch {}
    throw DeviceBindingVerificationError(.form)
  }

  /// Checks the header and returns the key id.
  private static func check(_ header: JSONObject) throws(DeviceBindingVerificationError) -> String {
    guard header["crit"] == nil, header["b64"] == nil else { throw DeviceBindingVerificationError(.extensions) }
    guard header["alg"] == .string(SignatureAlgorithm.es256.rawValue) else {
      throw DeviceBindingVerificationError(.algorithm)
    }
    if let type = header["typ"] {
      guard type == "JWS" || type == "JWT" else { throw DeviceBindingVerificationError(.algorithm) }
    }
    for name in ["jku", "x5u", "x5c", "x5t", "x5t#S256"] where header[name] != nil {
      throw DeviceBindingVerificationError(.foreignKey)
    }
    guard let keyID = header["kid"]?.stringValue, isKeyID(keyID) else { throw DeviceBindingVerificationError(.keyID) }
    return keyID
  }

  /// Key ids become names in stores and addresses: visible ASCII only.
  private static func isKeyID(_ text: String) -> Bool {
    (1...maximumKeyIDBytes).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// Whether the signature is one by this key.
  func isSigned(by key: PublicKey) -> Bool {
    // Every failure, also one of the library, means the same: not shown to be signed by the key.
    guard let signature = try? Signature(raw: signature, algorithm: .es256) else { return false }
    return (try? key.isValidSignature(signature, for: signedBytes)) == true
  }
}
