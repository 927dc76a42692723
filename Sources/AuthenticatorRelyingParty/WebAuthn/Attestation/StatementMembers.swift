import AuthenticatorCBOR
import AuthenticatorCrypto

/// Reads the members of an attestation statement; what does not fit is `attestationStatementMalformed`.
struct StatementMembers {
  private let map: CBORMap

  init(_ statement: CBORValue) throws(WebAuthnVerificationError) {
    guard case .map(let map) = statement else { throw Self.malformed("the statement is not a map") }
    self.map = map
  }

  static func malformed(_ reason: StaticString) -> WebAuthnVerificationError {
    WebAuthnVerificationError(.attestationStatementMalformed, reason)
  }

  /// Requires exactly these members.
  func expect(_ names: Set<String>, optional: Set<String>) throws(WebAuthnVerificationError) {
    var found: Set<String> = []
    for entry in map.entries {
      guard case .text(let name) = entry.key else { throw Self.malformed("a member's name is not a text") }
      found.insert(name)
    }
    guard found.isSuperset(of: names), found.isSubset(of: names.union(optional)) else {
      throw Self.malformed("the statement has other members than its format")
    }
  }

  func has(_ name: String) -> Bool { map[.text(name)] != nil }

  func bytes(_ name: String) throws(WebAuthnVerificationError) -> [UInt8] {
    guard case .bytes(let bytes)? = map[.text(name)] else { throw Self.malformed("a member is not a byte string") }
    return bytes
  }

  func text(_ name: String) throws(WebAuthnVerificationError) -> String {
    guard case .text(let text)? = map[.text(name)] else { throw Self.malformed("a member is not a text") }
    return text
  }

  func algorithm() throws(WebAuthnVerificationError) -> Int {
    guard let number = map["alg"]?.intValue else { throw Self.malformed("alg is not an integer") }
    return number
  }

  /// The certificates of `x5c`: one to ten, the attestation key's own first.
  func certificates() throws(WebAuthnVerificationError) -> [X509Certificate] {
    guard case .array(let elements)? = map["x5c"], (1...TrustAnchors.maximumPathLength).contains(elements.count) else {
      throw Self.malformed("x5c is not a list of one to ten certificates")
    }
    var certificates: [X509Certificate] = []
    for element in elements {
      guard case .bytes(let bytes) = element else { throw Self.malformed("a certificate is not a byte string") }
      do throws(CryptoError) { certificates.append(try X509Certificate(derRepresentation: bytes)) } catch {
        throw WebAuthnVerificationError(.attestationCertificateInvalid, "a certificate cannot be read")
      }
    }
    return certificates
  }
}
