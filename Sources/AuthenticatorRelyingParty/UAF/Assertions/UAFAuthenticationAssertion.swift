import AuthenticatorCoding

/// An authentication assertion, read and not judged (UAF Authenticator Commands 1.1 section 5.2.2).
struct UAFAuthenticationAssertion {
  let facts: UAFSignedFacts
  let nonce: ArraySlice<UInt8>
  /// Empty when no transaction was shown.
  let transactionContentHash: ArraySlice<UInt8>
  let signature: ArraySlice<UInt8>

  static let knownTags: Set<UInt16> = [
    UAFTag.aaid, UAFTag.assertionInfo, UAFTag.nonce, UAFTag.finalChallengeHash, UAFTag.transactionContentHash,
    UAFTag.keyID, UAFTag.counters,
  ]

  /// Throws `assertionMalformed`, `criticalTagUnknown`, `extensionUnknown`, `rawVerificationDataExposed`.
  init(_ bytes: [UInt8]) throws(UAFVerificationError) {
    let (signed, outer) = try UAFSignedFacts.open(
      bytes, UAFTag.authenticationAssertion, signed: UAFTag.signedData)
    let elements = try signed.elements()
    try elements.check(known: Self.knownTags)
    facts = try UAFSignedFacts(signed: signed, elements: elements, infoCount: 5, counterCount: 4)
    nonce = try elements.only(UAFTag.nonce).value
    transactionContentHash = try elements.only(UAFTag.transactionContentHash).value
    guard transactionContentHash.isEmpty || transactionContentHash.count == 32 else {
      throw UAFVerificationError(.assertionMalformed, "the transaction's hash has not 32 bytes")
    }
    try outer.check(known: [UAFTag.signedData, UAFTag.signature])
    signature = try outer.only(UAFTag.signature).value
  }
}
