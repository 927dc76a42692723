import AuthenticatorCBOR
import AuthenticatorCrypto

/// Authenticator data as an authenticator signed it (WebAuthn Level 3 section 6.1): the verifying side's own reading.
struct ReceivedAuthenticatorData {
  /// The credential that a registration is about, its key not looked into yet.
  struct AttestedCredential {
    let aaguid: [UInt8]
    let id: [UInt8]
    let key: CBORValue
    let keyBytes: [UInt8]
  }

  let bytes: [UInt8]
  let flags: WebAuthnFlags
  let signCount: UInt32
  let attested: AttestedCredential?
  let extensions: CBORMap?

  var relyingPartyIDHash: ArraySlice<UInt8> { bytes[..<32] }

  init(_ bytes: [UInt8]) throws(WebAuthnVerificationError) {
    guard bytes.count >= 37 else { throw Self.malformed("the authenticator data is shorter than 37 bytes") }
    self.bytes = bytes
    flags = WebAuthnFlags(rawValue: bytes[32])
    signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var position = 37
    attested = flags.contains(.attestedCredentialData) ? try Self.readAttested(bytes, &position) : nil
    if flags.contains(.extensionData) {
      let (value, count) = try Self.readItem(bytes[position...])
      guard case .map(let map) = value, !map.isEmpty,
        map.entries.allSatisfy({ if case .text = $0.key { true } else { false } })
      else { throw Self.malformed("the extension outputs are not a map of named ones") }
      extensions = map
      position += count
    } else {
      extensions = nil
    }
    guard position == bytes.count else { throw Self.malformed("bytes follow the authenticator data") }
  }

  private static func readAttested(
    _ bytes: [UInt8], _ position: inout Int
  ) throws(WebAuthnVerificationError) -> AttestedCredential {
    guard bytes.count >= position + 18 else { throw malformed("the attested credential data is cut") }
    let aaguid = Array(bytes[position..<position + 16])
    let size = Int(bytes[position + 16]) << 8 | Int(bytes[position + 17])
    position += 18
    guard size <= bytes.count - position else { throw malformed("the credential ID is cut") }
    let id = Array(bytes[position..<position + size])
    position += size
    let (key, count) = try readItem(bytes[position...])
    let keyBytes = Array(bytes[position..<position + count])
    position += count
    return AttestedCredential(aaguid: aaguid, id: id, key: key, keyBytes: keyBytes)
  }

  /// Reads one CBOR item. Keys may stand in any order, as some authenticators write them.
  private static func readItem(
    _ bytes: ArraySlice<UInt8>
  ) throws(WebAuthnVerificationError) -> (CBORValue, Int) {
    do throws(CBORError) {
      return try CBORValue.decodePrefix(bytes, limits: .attestationObject, keyOrder: .any)
    } catch { throw malformed("the authenticator data holds malformed CBOR") }
  }

  private static func malformed(_ reason: StaticString) -> WebAuthnVerificationError {
    WebAuthnVerificationError(.authenticatorDataMalformed, reason)
  }
}
