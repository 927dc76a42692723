import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestVectors
import Testing

@Suite struct DeviceBindingVerifierTests {
  typealias Check = DeviceBindingVerificationError.Check

  let verifier = DeviceBindingVerifier(applicationIDs: ["org.example.other", ProofBuilder.application])

  private func bind(_ text: String, now: Int64 = ProofBuilder.now) throws(DeviceBindingVerificationError) -> BoundKey {
    try verifier.verifyBinding(
      text, userID: ProofBuilder.userID, challenge: ProofBuilder.challenge, now: now
    ).key
  }

  private func sign(
    _ text: String, key: BoundKey, now: Int64 = ProofBuilder.now
  ) throws(DeviceBindingVerificationError) {
    try verifier.verifySigning(
      DeviceProof(text), key: key, userID: ProofBuilder.userID, challenge: ProofBuilder.challenge, now: now)
  }

  /// Builds a valid binding proof, bends it, and expects exactly this check to fail.
  private func expect(_ check: Check, binding bend: (inout ProofBuilder) throws -> Void) throws {
    var builder = try ProofBuilder(binding: true)
    try bend(&builder)
    let text = try builder.text()
    #expect(throws: DeviceBindingVerificationError(check)) { try bind(text) }
  }

  private func expect(_ check: Check, signing bend: (inout ProofBuilder) throws -> Void) throws {
    var builder = try ProofBuilder(binding: false)
    let key = BoundKey(keyID: "3F0C", publicKey: builder.key.publicKey)
    try bend(&builder)
    let text = try builder.text()
    #expect(throws: DeviceBindingVerificationError(check)) { try sign(text, key: key) }
  }

  // MARK: Accepted

  @Test func acceptsABindingAndReturnsItsKey() throws {
    let builder = try ProofBuilder(binding: true)
    let key = try bind(builder.text())
    #expect(key.keyID == "3F0C")
    #expect(key.publicKey == builder.key.publicKey)
    #expect(key.attestationCertificates == nil)
    #expect(key.jwk == builder.jwk)
  }

  @Test func acceptsASignatureByTheBoundKey() throws {
    let builder = try ProofBuilder(binding: false)
    try sign(builder.text(), key: BoundKey(keyID: "3F0C", publicKey: builder.key.publicKey))
  }

  @Test func acceptsOlderProofsWithoutTypeAndIssueTimes() throws {
    var builder = try ProofBuilder(binding: true)
    builder.header["typ"] = nil
    builder.claims["iat"] = nil
    builder.claims["nbf"] = nil
    builder.claims["platform"] = nil
    _ = try bind(builder.text())
  }

  @Test func acceptsCustomClaimsAndUnknownHeaderMembers() throws {
    var builder = try ProofBuilder(binding: false)
    builder.claims["amount"] = "20"
    builder.header["note"] = "x"
    try sign(builder.text(), key: BoundKey(keyID: "3F0C", publicKey: builder.key.publicKey))
  }

  @Test func acceptsTheBoundKeyRepeatedInASigningProof() throws {
    var builder = try ProofBuilder(binding: false)
    builder.header["jwk"] = .object(builder.jwk)
    try sign(builder.text(), key: BoundKey(keyID: "3F0C", publicKey: builder.key.publicKey))
  }

  @Test func keepsAttestationCertificates() throws {
    var builder = try ProofBuilder(binding: true)
    var jwk = builder.jwk
    jwk["x5c"] = [.string(Base64.encode([1, 2, 3])), .string(Base64.encode([4]))]
    builder.header["jwk"] = .object(jwk)
    #expect(try bind(builder.text()).attestationCertificates == [[1, 2, 3], [4]])
  }

  // MARK: Clocks

  @Test(arguments: [-59, 0, 59, 119]) func toleratesAMinuteOfSkew(offset: Int64) throws {
    let builder = try ProofBuilder(binding: true)
    _ = try bind(builder.text(), now: ProofBuilder.now + offset)
  }

  @Test func refusesAProofThatHasExpired() throws {
    let text = try ProofBuilder(binding: true).text()
    #expect(throws: DeviceBindingVerificationError(.expiry)) { try bind(text, now: ProofBuilder.now + 120) }
  }

  @Test func refusesAProofFromTheFuture() throws {
    let text = try ProofBuilder(binding: true).text()
    #expect(throws: DeviceBindingVerificationError(.issueTime)) { try bind(text, now: ProofBuilder.now - 61) }
  }

  @Test func refusesAProofThatIsNotYetValid() throws {
    try expect(.notBefore, binding: { $0.claims["nbf"] = .integer(ProofBuilder.now + 61) })
  }

  @Test func refusesAProofThatLivesTooLong() throws {
    try expect(.lifetime, binding: { $0.claims["exp"] = .integer(4_070_908_800) })
  }

  @Test(
    arguments: [nil, "1767225660", true, .integer(-1), .integer(.max), .integer(.min), .double(1e300)] as [JSONValue?])
  func refusesAnExpiryThatIsNoTime(value: JSONValue?) throws {
    try expect(.expiry, binding: { $0.claims["exp"] = value })
  }

  @Test(arguments: ["0", nil, true, .integer(.max), .double(0.5)] as [JSONValue]) func refusesTimesThatAreNone(
    value: JSONValue
  ) throws {
    try expect(.issueTime, binding: { $0.claims["iat"] = value })
    try expect(.notBefore, binding: { $0.claims["nbf"] = value })
  }

  // MARK: Claims

  @Test(arguments: [nil, "", "id=other", 7, [], .string(ProofBuilder.userID.uppercased())] as [JSONValue?])
  func refusesAnotherSubject(value: JSONValue?) throws {
    try expect(.subject, binding: { $0.claims["sub"] = value })
    try expect(.subject, signing: { $0.claims["sub"] = value })
  }

  @Test func comparesSubjectsByteByByte() throws {
    // The same character in two compositions: equal to Swift, different on the wire.
    var builder = try ProofBuilder(binding: true)
    builder.claims["sub"] = "id=e\u{301}"
    let text = try builder.text()
    #expect(throws: DeviceBindingVerificationError(.subject)) {
      try verifier.verifyBinding(text, userID: "id=\u{e9}", challenge: ProofBuilder.challenge, now: ProofBuilder.now)
    }
  }

  @Test(arguments: [nil, "com.example", "COM.EXAMPLE.APP", ["com.example.app"]] as [JSONValue?])
  func refusesAnotherIssuer(value: JSONValue?) throws {
    try expect(.issuer, binding: { $0.claims["iss"] = value })
    try expect(.issuer, signing: { $0.claims["iss"] = value })
  }

  @Test(arguments: [nil, "", "q3PzJ0mYtS2m0QfVb9kX8Z1nC5aLh7Rw4UeYg6dTtPo", 5] as [JSONValue?])
  func refusesAnotherChallenge(value: JSONValue?) throws {
    try expect(.challenge, binding: { $0.claims["challenge"] = value })
    try expect(.challenge, signing: { $0.claims["challenge"] = value })
  }

  @Test func refusesAnEmptyChallengeEvenWhenItIsExpected() throws {
    var builder = try ProofBuilder(binding: true)
    builder.claims["challenge"] = ""
    let text = try builder.text()
    #expect(throws: DeviceBindingVerificationError(.challenge)) {
      try verifier.verifyBinding(text, userID: ProofBuilder.userID, challenge: "", now: ProofBuilder.now)
    }
  }

  // MARK: Header

  @Test(arguments: [nil, "none", "HS256", "es256", "RS256", "ES384", 7] as [JSONValue?])
  func refusesAnotherAlgorithm(value: JSONValue?) throws {
    try expect(.algorithm, binding: { $0.header["alg"] = value })
    try expect(.algorithm, signing: { $0.header["alg"] = value })
  }

  @Test func refusesTokensOfAnotherType() throws { try expect(.algorithm, signing: { $0.header["typ"] = "at+jwt" }) }

  @Test(arguments: ["crit", "b64"]) func refusesExtensions(name: String) throws {
    try expect(.extensions, signing: { $0.header[name] = name == "crit" ? ["exp"] : false })
  }

  @Test(arguments: ["jku", "x5u", "x5c", "x5t", "x5t#S256"]) func refusesForeignKeys(name: String) throws {
    try expect(.foreignKey, signing: { $0.header[name] = "https://keys.example.net/jwks.json" })
    try expect(.foreignKey, binding: { $0.header[name] = "https://keys.example.net/jwks.json" })
  }

  @Test(arguments: [nil, "", "a b", "a\u{0}", "é", 7, .string(String(repeating: "k", count: 257))] as [JSONValue?])
  func refusesKeyIDsThatAreNoNames(value: JSONValue?) throws {
    try expect(.keyID, signing: { $0.header["kid"] = value })
  }

  @Test func refusesTheKeyIDOfAnotherKey() throws {
    try expect(.keyMismatch, signing: { $0.header["kid"] = "3f0c" })
  }

  // MARK: Keys

  @Test(
    arguments: [
      ("kty", "RSA"), ("crv", "P-384"), ("kid", "other"), ("alg", "RS256"), ("use", "enc"), ("d", "AA"), ("x", "AA"),
      ("y", nil), ("x5c", []), ("x5c", ["not base64!"]), ("x5c", [""]), ("x5c", "AA"),
    ] as [(String, JSONValue?)])
  func refusesKeysThatAreNotWhatTheySay(member: String, value: JSONValue?) throws {
    try expect(
      .publicKey,
      binding: {
        var jwk = $0.jwk
        jwk[member] = value
        $0.header["jwk"] = .object(jwk)
      })
  }

  @Test func refusesABindingWithoutKey() throws {
    try expect(.publicKey, binding: { $0.header["jwk"] = nil })
    try expect(.publicKey, binding: { $0.header["jwk"] = "text" })
  }

  @Test func refusesAPointOffTheCurve() throws {
    try expect(
      .publicKey,
      binding: {
        var jwk = $0.jwk
        jwk["y"] = jwk["x"]
        $0.header["jwk"] = .object(jwk)
      })
  }

  @Test func refusesABindingSignedByAnotherKey() throws {
    let builder = try ProofBuilder(binding: true)
    let text = try builder.text(signedBy: PrivateKey.generate(.es256))
    #expect(throws: DeviceBindingVerificationError(.signature)) { try bind(text) }
  }

  @Test func refusesASigningProofThatBringsItsOwnKey() throws {
    var builder = try ProofBuilder(binding: false)
    let bound = BoundKey(keyID: "3F0C", publicKey: try PrivateKey.generate(.es256).publicKey)
    builder.header["jwk"] = .object(builder.jwk)
    let text = try builder.text()
    #expect(throws: DeviceBindingVerificationError(.keyMismatch)) { try sign(text, key: bound) }
    builder.header["jwk"] = nil
    let bare = try builder.text()
    #expect(throws: DeviceBindingVerificationError(.signature)) { try sign(bare, key: bound) }
  }

  @Test func givesEachCheckPingAMsWord() {
    for check in Check.allCases {
      let reason = DeviceBindingVerificationError(check).reason
      switch check {
      case .subject: #expect(reason.rawValue == "INVALID_SUBJECT")
      case .issuer, .challenge, .expiry, .lifetime, .issueTime, .notBefore:
        #expect(reason.rawValue == "INVALID_CLAIM")
      default: #expect(reason.rawValue == "INVALID_SIGNATURE")
      }
    }
  }
}
