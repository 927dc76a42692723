import AuthenticatorCoding

/// What the signed objects of registration and authentication have in common.
struct UAFSignedFacts {
  /// The signed object, its tag and length included: what the signature covers.
  let signedBytes: ArraySlice<UInt8>
  /// In upper case.
  let aaid: String
  let authenticatorVersion: UInt16
  /// 1: the user was verified. 2: a transaction was shown too.
  let mode: UInt8
  let signatureForm: UAFSignatureForm
  let finalChallengeHash: ArraySlice<UInt8>
  let keyID: [UInt8]
  let signCounter: UInt32
  /// What the authenticator says about the set of enrolled fingers or faces; nil when it says nothing.
  let userVerificationState: [UInt8]?
  /// What the authenticator says about how it verified; empty when it says nothing.
  let reportedMethods: [UAFReportedMethod]

  /// More bytes than an assertion may have.
  static let maximumAssertionBytes = 4096

  /// The signed object, which stands first, and all elements beside it.
  static func open(
    _ bytes: [UInt8], _ tag: UInt16, signed signedTag: UInt16
  ) throws(UAFVerificationError) -> (signed: UAFElement, outer: UAFElements) {
    guard (1...maximumAssertionBytes).contains(bytes.count) else {
      throw UAFVerificationError(.assertionMalformed, "an assertion has 1 to 4,096 bytes")
    }
    let assertion = try UAFElement(exactly: bytes[...])
    guard assertion.tag == tag else {
      throw UAFVerificationError(.assertionMalformed, "the assertion is not one of the operation")
    }
    let outer = try assertion.elements()
    guard let first = outer.all.first, first.tag == signedTag else {
      throw UAFVerificationError(.assertionMalformed, "the signed object does not stand first")
    }
    return (try outer.only(signedTag), outer)
  }

  init(
    signed: UAFElement, elements: UAFElements, infoCount: Int, counterCount: Int
  ) throws(UAFVerificationError) {
    signedBytes = signed.encoded
    guard let aaid = UAFModelStatement.normalizedAAID(try elements.only(UAFTag.aaid).value) else {
      throw UAFVerificationError(.assertionMalformed, "the model's name is malformed")
    }
    self.aaid = aaid
    let info = try elements.only(UAFTag.assertionInfo).value
    let counters = try elements.only(UAFTag.counters).value
    guard info.count == infoCount, counters.count == counterCount else {
      throw UAFVerificationError(.assertionMalformed, "an element is of another operation's length")
    }
    var (infoReader, counterReader) = (ByteReader(info), ByteReader(counters))
    do throws(ByteReaderError) {
      authenticatorVersion = try infoReader.readUInt16(order: .littleEndian)
      mode = try infoReader.readUInt8()
      signatureForm = UAFSignatureForm(rawValue: try infoReader.readUInt16(order: .littleEndian))
      signCounter = try counterReader.readUInt32(order: .littleEndian)
    } catch { throw UAFVerificationError(.assertionMalformed, "an element is cut") }
    finalChallengeHash = try elements.only(UAFTag.finalChallengeHash).value
    keyID = Array(try elements.only(UAFTag.keyID).value)
    guard (32...2048).contains(keyID.count) else {
      throw UAFVerificationError(.keyIDInvalid, "a KeyID has 32 to 2,048 bytes")
    }
    reportedMethods = try UAFReportedMethod.all(in: elements)
    userVerificationState = try elements.optional(UAFTag.userVerificationState).map { Array($0.value) }
    if let userVerificationState {
      guard (1...32).contains(userVerificationState.count) else {
        throw UAFVerificationError(.assertionMalformed, "the verification state has not 1 to 32 bytes")
      }
    }
  }
}
