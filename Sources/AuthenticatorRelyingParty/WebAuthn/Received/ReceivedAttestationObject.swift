import AuthenticatorCBOR

/// An attestation object as received (WebAuthn Level 3 section 6.5.4): the verifying side's own reading.
struct ReceivedAttestationObject {
  let format: String
  let statement: CBORValue
  let authenticatorData: [UInt8]

  init(_ bytes: [UInt8]) throws(WebAuthnVerificationError) {
    let value: CBORValue
    do throws(CBORError) { value = try CBORValue.decode(bytes, limits: .attestationObject, keyOrder: .any) } catch {
      throw WebAuthnVerificationError(.attestationObjectMalformed, "the attestation object is not one CBOR item")
    }
    guard case .map(let map) = value, map.count == 3, case .text(let format)? = map["fmt"],
      let statement = map["attStmt"], case .bytes(let data)? = map["authData"]
    else {
      throw WebAuthnVerificationError(.attestationObjectMalformed, "the attestation object has other members")
    }
    self.format = format
    self.statement = statement
    authenticatorData = data
  }
}
