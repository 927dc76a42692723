import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import Testing

/// One way to spoil a valid sign-in.
struct AuthenticationBend: Sendable, CustomTestStringConvertible {
  let name: String
  let code: Code
  var ceremony: @Sendable (inout Ceremony) -> Void = { _ in }
  var expectation: @Sendable (inout AuthenticationExpectation) -> Void = { _ in }
  var response: @Sendable (inout ReceivedAuthentication) -> Void = { _ in }
  var record: @Sendable (inout WebAuthnCredentialRecord) -> Void = { _ in }
  var testDescription: String { "\(name) → \(code.rawValue)" }

  static let all: [AuthenticationBend] = [
    .init(
      name: "a credential not in the list", code: .credentialNotAllowed,
      expectation: { $0.allowedCredentialIDs = [[1]] }),
    .init(name: "another credential", code: .credentialMismatch, response: { $0.id[0] ^= 1 }),
    .init(name: "no user handle", code: .userHandleMissing, expectation: { $0.account = .unknown }),
    .init(
      name: "another user handle", code: .userHandleMismatch, response: { $0.userHandle = [8] },
      record: { $0.userHandle = [9] }),
    .init(
      name: "another account's credential", code: .userHandleMismatch, expectation: { $0.account = .known([8]) },
      record: { $0.userHandle = [9] }),
    .init(
      name: "a handle that is not the account's", code: .userHandleMismatch,
      expectation: { $0.account = .known([8]) }, response: { $0.userHandle = [9] }),
    .init(
      name: "an unknown account's handle that is not the credential's", code: .userHandleMismatch,
      expectation: { $0.account = .unknown }, response: { $0.userHandle = [8] }, record: { $0.userHandle = [9] }),
    .init(
      name: "an account named before, and a record that names none", code: .userHandleMismatch,
      expectation: { $0.account = .known([8]) }, record: { $0.userHandle = nil }),
    .init(
      name: "the same, with the handle in the response", code: .userHandleMismatch,
      expectation: { $0.account = .known([8]) }, response: { $0.userHandle = [8] }, record: { $0.userHandle = nil }),
    .init(
      name: "a handle that no record vouches for", code: .userHandleMismatch, expectation: { $0.account = .unknown },
      response: { $0.userHandle = [8] }, record: { $0.userHandle = nil }),
    .init(name: "client data is no JSON", code: .clientDataMalformed, ceremony: { $0.clientData = [] }),
    .init(name: "type of the other ceremony", code: .ceremonyMismatch, ceremony: { $0.type = "webauthn.create" }),
    .init(name: "another challenge", code: .challengeMismatch, ceremony: { $0.challenge[0] ^= 0x80 }),
    .init(name: "another origin", code: .originMismatch, ceremony: { $0.origin = "https://example.org.evil" }),
    .init(name: "in a frame", code: .crossOriginNotAllowed, ceremony: { $0.crossOrigin = true }),
    .init(
      name: "another outermost page", code: .topOriginMismatch, ceremony: { $0.topOrigin = "https://b.example" },
      expectation: { $0.ceremony.topOrigins = ["https://a.example"] }),
    .init(name: "a cut", code: .authenticatorDataMalformed, response: { $0.authenticatorData.removeLast() }),
    .init(name: "a byte left over", code: .authenticatorDataMalformed, ceremony: { $0.leftover = [0xA0] }),
    .init(
      name: "another relying party", code: .relyingPartyIDMismatch, ceremony: { $0.relyingPartyID = "example.com" }),
    .init(
      name: "an AppID that the client did not use", code: .relyingPartyIDMismatch,
      ceremony: { $0.relyingPartyID = "https://example.org/app" },
      expectation: { $0.appID = "https://example.org/app" }),
    .init(
      name: "an AppID that was not sent", code: .relyingPartyIDMismatch,
      ceremony: { $0.relyingPartyID = "https://example.org/app" },
      response: { $0.clientExtensionResults = ["appid": true] }),
    .init(name: "nobody there", code: .userNotPresent, ceremony: { $0.flags = 0x04 }),
    .init(
      name: "nobody verified", code: .userNotVerified, ceremony: { $0.flags = 0x01 },
      expectation: { $0.ceremony.requiresUserVerification = true }),
    .init(name: "backed up, not eligible", code: .backupFlagsInvalid, ceremony: { $0.flags = 0x15 }),
    .init(name: "eligible at last", code: .backupEligibilityChanged, ceremony: { $0.flags = 0x0D }),
    .init(
      name: "eligible no more", code: .backupEligibilityChanged,
      expectation: { $0.backupEligibilityPolicy = .allowUpgrade }, record: { $0.backupEligible = true }),
    .init(
      name: "credential data in an assertion", code: .attestedCredentialDataUnexpected,
      ceremony: {
        $0.hasAttestedData = true
        $0.flags |= 0x40
      }),
    .init(name: "no signature", code: .signatureInvalid, response: { $0.signature = [] }),
    .init(name: "a signature of something else", code: .signatureInvalid, response: { $0.signature[20] ^= 1 }),
    .init(name: "a byte after the signature", code: .signatureInvalid, response: { $0.signature.append(0) }),
    .init(
      name: "other client data than signed", code: .signatureInvalid,
      response: { $0.clientDataJSON = [0x20] + $0.clientDataJSON }),
    .init(
      name: "another counter than signed", code: .signatureInvalid, response: { $0.authenticatorData[36] += 1 }),
    .init(name: "the same counter", code: .signCountMismatch, ceremony: { $0.signCount = 7 }),
    .init(name: "a lower counter", code: .signCountMismatch, ceremony: { $0.signCount = 6 }),
    .init(name: "zero after more", code: .signCountMismatch, ceremony: { $0.signCount = 0 }),
    .init(
      name: "a counter that wrapped", code: .signCountMismatch, ceremony: { $0.signCount = 1 },
      record: { $0.signCount = .max }),
  ]
}

@Suite struct AuthenticationTests {
  private let expectation = AuthenticationExpectation(ceremony: Ceremony.expectation)

  @Test(arguments: AuthenticationBend.all)
  func refuses(bend: AuthenticationBend) throws {
    var ceremony = try Ceremony().authentication
    var expectation = expectation
    bend.ceremony(&ceremony)
    bend.expectation(&expectation)
    var record = try ceremony.record()
    bend.record(&record)
    var response = try ceremony.assertion()
    bend.response(&response)
    let code = refusal { () throws(WebAuthnVerificationError) in try expectation.verify(response, with: record) }
    #expect(code == bend.code)
  }

  /// Runs the negative tests once more and looks at what they really provoke.
  @Test func everyCodeHasANegativeTest() throws {
    let seen = SeenCodes()
    try SeenCodes.$current.withValue(seen) {
      for bend in RegistrationBend.all { try RegistrationTests().refuses(bend: bend) }
      try RegistrationTests().refusesMalformedKeys(members: [1: 2, 3: -7])
      for bend in AuthenticationBend.all { try refuses(bend: bend) }
      let attestation = AttestationTests()
      try attestation.noneHasAnEmptyStatement()
      try attestation.packedWithCertificateNeedsAnAnchor()
      try attestation.heedsRevocationLists()
      try attestation.packedChecksItsCertificate()
      try attestation.packedAlgorithmMustBeOneOfTheCertificatesKey()
      try attestation.appleBindsNonceAndKey()
      try attestation.androidKeyMustBeGeneratedThereForSigning()
      try attestation.tpmChecksItsStructures()
      try ModelPolicyTests().aStatusCanBeRequired()
      try ModelPolicyTests().unknownModelsAreRefusedUnlessAccepted()
      try ResponseJSONTests().refusesResponsesOutOfForm()
    }
    #expect(Set(Code.allCases).subtracting(seen.all) == [])
    #expect(Set(Code.allCases.map(\.step)).count > 30)
  }

  @Test func updatesTheRecord() throws {
    var ceremony = try Ceremony().authentication
    ceremony.flags = 0x1D
    let record = try ceremony.record(userHandle: [5], backupEligible: true)
    let verdict = try expectation.verify(try ceremony.assertion(userHandle: [5]), with: record)
    #expect(verdict.credential.signCount == 8)
    #expect(verdict.credential.backedUp)
    #expect(verdict.userHandle == [5])
    #expect(!verdict.isSignCountMismatched)
    #expect(verdict.credential.publicKey == record.publicKey)
  }

  @Test func takesOverNoHandleThatIsNotSigned() throws {
    let ceremony = try Ceremony().authentication
    let verdict = try expectation.verify(try ceremony.assertion(userHandle: [5]), with: try ceremony.record())
    #expect(verdict.credential.userHandle == nil)
    #expect(verdict.userHandle == nil)
  }

  @Test func acceptsKnownAndUnknownAccounts() throws {
    let ceremony = try Ceremony().authentication
    let record = try ceremony.record(userHandle: [5])
    var expectation = expectation
    expectation.account = .known([5])
    _ = try expectation.verify(try ceremony.assertion(), with: record)
    _ = try expectation.verify(try ceremony.assertion(userHandle: [5]), with: record)
    expectation.account = .unknown
    _ = try expectation.verify(try ceremony.assertion(userHandle: [5]), with: record)
  }

  @Test func zeroCountersAlwaysPass() throws {
    var ceremony = try Ceremony().authentication
    ceremony.signCount = 0
    var record = try ceremony.record()
    record.signCount = 0
    #expect(try expectation.verify(try ceremony.assertion(), with: record).credential.signCount == 0)
  }

  @Test(arguments: [AuthenticationExpectation.SignCountPolicy.flag, .accept])
  func aMismatchNeverLowersTheCounter(policy: AuthenticationExpectation.SignCountPolicy) throws {
    var ceremony = try Ceremony().authentication
    ceremony.signCount = 3
    var expectation = expectation
    expectation.signCountPolicy = policy
    let verdict = try expectation.verify(try ceremony.assertion(), with: try ceremony.record())
    #expect(verdict.credential.signCount == 7)
    #expect(verdict.isSignCountMismatched == (policy == .flag))
  }

  @Test func upgradesEligibilityWhereAllowed() throws {
    var ceremony = try Ceremony().authentication
    ceremony.flags = 0x0D
    var expectation = expectation
    expectation.backupEligibilityPolicy = .allowUpgrade
    let verdict = try expectation.verify(try ceremony.assertion(), with: try ceremony.record())
    #expect(verdict.credential.backupEligible)
  }

  @Test func acceptsTheAppIDOnlyWhenSentAndUsed() throws {
    var ceremony = try Ceremony().authentication
    ceremony.relyingPartyID = "https://example.org/app"
    var expectation = expectation
    expectation.appID = "https://example.org/app"
    _ = try expectation.verify(
      try ceremony.assertion(extensionResults: ["appid": true]), with: try ceremony.record())
  }

  @Test func toleratesExtensionsThatNobodyAskedFor() throws {
    var ceremony = try Ceremony().authentication
    ceremony.flags |= 0x80
    ceremony.extensions = ["unknown": [1, 2]]
    let verdict = try expectation.verify(try ceremony.assertion(), with: try ceremony.record())
    #expect(verdict.authenticatorExtensions == ["unknown": [1, 2]])
  }
}
