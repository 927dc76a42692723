import AuthenticatorCoding

/// A registration assertion, read and not judged (UAF Authenticator Commands 1.1 section 5.2.1).
struct UAFRegistrationAssertion {
  let facts: UAFSignedFacts
  let keyForm: UAFKeyForm
  let publicKey: [UInt8]
  let registrationCounter: UInt32
  /// 15879 or 15880, the number of the attestation's tag.
  let attestationType: UInt16
  let signature: ArraySlice<UInt8>
  /// DER, the attestation key's own first; empty for a surrogate.
  let certificates: [ArraySlice<UInt8>]

  static let knownTags: Set<UInt16> = [
    UAFTag.aaid, UAFTag.assertionInfo, UAFTag.finalChallengeHash, UAFTag.keyID, UAFTag.counters, UAFTag.publicKey,
  ]

  /// Throws `assertionMalformed`, `criticalTagUnknown`, `extensionUnknown`, `rawVerificationDataExposed`,
  /// `attestationTypeNotAllowed` for ECDAA.
  init(_ bytes: [UInt8]) throws(UAFVerificationError) {
    let (signed, outer) = try UAFSignedFacts.open(
      bytes, UAFTag.registrationAssertion, signed: UAFTag.keyRegistrationData)
    let elements = try signed.elements()
    try elements.check(known: Self.knownTags)
    facts = try UAFSignedFacts(signed: signed, elements: elements, infoCount: 7, counterCount: 8)
    var info = ByteReader(try elements.only(UAFTag.assertionInfo).value.dropFirst(5))
    var counters = ByteReader(try elements.only(UAFTag.counters).value.dropFirst(4))
    do throws(ByteReaderError) {
      keyForm = UAFKeyForm(rawValue: try info.readUInt16(order: .littleEndian))
      registrationCounter = try counters.readUInt32(order: .littleEndian)
    } catch { throw UAFVerificationError(.assertionMalformed, "an element is cut") }
    publicKey = Array(try elements.only(UAFTag.publicKey).value)

    try outer.check(known: [
      UAFTag.keyRegistrationData, UAFTag.basicFull, UAFTag.basicSurrogate, UAFTag.ecdaa,
    ])
    guard outer.all.allSatisfy({ $0.tag != UAFTag.ecdaa }) else {
      throw UAFVerificationError(.attestationTypeNotAllowed, "ECDAA is not verified here")
    }
    let (full, surrogate) = (try outer.optional(UAFTag.basicFull), try outer.optional(UAFTag.basicSurrogate))
    guard let attestation = full ?? surrogate, full == nil || surrogate == nil else {
      throw UAFVerificationError(.assertionMalformed, "there is not exactly one attestation")
    }
    attestationType = attestation.tag
    let parts = try attestation.elements()
    signature = try parts.only(UAFTag.signature).value
    let certificates = parts.all.filter { $0.tag == UAFTag.attestationCertificate }.map(\.value)
    try parts.check(
      known: full == nil ? [UAFTag.signature] : [UAFTag.signature, UAFTag.attestationCertificate])
    guard certificates.isEmpty == (full == nil) else {
      throw UAFVerificationError(.assertionMalformed, "a basic attestation has no certificate")
    }
    self.certificates = certificates
  }
}
