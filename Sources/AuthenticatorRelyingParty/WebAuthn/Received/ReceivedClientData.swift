import AuthenticatorCoding
import AuthenticatorCrypto

/// Client data as a client sent it (WebAuthn Level 3 section 5.8.1): the verifying side's own reading.
struct ReceivedClientData {
  let type: String
  /// Nil when the text is not base64url without padding.
  let challenge: [UInt8]?
  let origin: String
  let crossOrigin: Bool
  let topOrigin: String?

  private static let limits = JSONLimits(bytes: 1 << 16, depth: 16, textBytes: 1 << 16, values: 4096)

  init(_ bytes: [UInt8]) throws(WebAuthnVerificationError) {
    let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    let object: JSONObject
    do throws(JSONError) {
      guard case .object(let members) = try JSONValue.parse(bytes[(hasMark ? 3 : 0)...], limits: Self.limits) else {
        throw JSONError(.unexpectedByte, offset: 0)
      }
      object = members
    } catch { throw WebAuthnVerificationError(.clientDataMalformed, "the client data is not a JSON object") }
    guard case .string(let type)? = object["type"], case .string(let challenge)? = object["challenge"],
      case .string(let origin)? = object["origin"]
    else { throw WebAuthnVerificationError(.clientDataMalformed, "type, challenge or origin is missing") }
    self.type = type
    self.challenge = try? Base64URL.decode(challenge)
    self.origin = origin
    switch object["crossOrigin"] {
    case nil: crossOrigin = false
    case .bool(let value)?: crossOrigin = value
    default: throw WebAuthnVerificationError(.clientDataMalformed, "crossOrigin is not a truth value")
    }
    switch object["topOrigin"] {
    case nil: topOrigin = nil
    case .string(let value)?: topOrigin = value
    default: throw WebAuthnVerificationError(.clientDataMalformed, "topOrigin is not a text")
    }
  }
}
