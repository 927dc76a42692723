import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// Every check of an authentication refuses what it is there for, with its own error.
@Suite struct UAFAuthenticationTests {
  private let text: UAFTransactionContent
  private let records: [UAFRegistrationRecord]
  private var ceremony: UAFCeremony

  init() throws {
    text = try UAFTransactionContent(text: "Pay 10 EUR to Noor?")
    ceremony = try UAFCeremony()
    records = [try ceremony.record()]
    ceremony.authenticator.signCounter = 1
  }

  private func refusal(
    content: [UInt8]? = nil, _ bend: (inout UAFCeremony.Bends) -> Void
  ) throws -> UAFVerificationError.Code? {
    try uafRefusal { try ceremony.authenticate(records, content: content, bend) }
  }

  @Test func returnsTheRecordWithItsCounter() throws {
    let verdict = try ceremony.authenticate(records)
    #expect(verdict.facetID == "https://rp.example" && verdict.refused.isEmpty && !verdict.needsStepUp)
    let signer = try #require(verdict.signers.first)
    #expect(signer.registration.signCounter == 1 && !signer.isEnrollmentChanged && !signer.isCounterNotIncreased)
    #expect(verdict.confirmedHash == nil)
  }

  @Test func refusesAssertionsThatSayOtherThings() throws {
    for (tag, content, code): (UInt16, [UInt8], UAFVerificationError.Code) in [
      (0x2E0A, [UInt8](repeating: 1, count: 32), .finalChallengeHashMismatch),
      (0x2E0B, Array("FFFF#0BAD".utf8), .modelUnknown), (0x2E09, [UInt8](repeating: 1, count: 32), .keyUnknown),
      (0x2E0F, [1, 2, 3, 4, 5, 6, 7], .nonceTooShort), (0x2E0E, [0, 0, 1, 1, 0], .authenticatorVersionTooLow),
      (0x2E0E, [1, 0, 3, 1, 0], .authenticationModeInvalid), (0x2E0E, [1, 0, 2, 1, 0], .authenticationModeInvalid),
      (0x2E0E, [1, 0, 1, 2, 0], .algorithmMismatch),
    ] {
      #expect(try refusal { $0.assertion = { $0.signed.set(tag, content) } } == code)
    }
    #expect(try refusal { $0.assertion = { $0.signed.append(TestTLV(0x0103, [1])) } } == .rawVerificationDataExposed)
    #expect(try refusal { $0.assertion = { $0.message = { Array($0.dropFirst(4)) } } } == .signatureInvalid)
    #expect(try refusal { $0.assertion = { $0.signature = { _ in [] } } } == .signatureFormInvalid)
    #expect(try refusal { $0.response = { $0["assertions"] = [] } } == .messageMalformed)
  }

  @Test func aCounterThatDoesNotRiseIsRefusedOrFlagged() throws {
    var known = records
    known[0].signCounter = 1
    #expect(try uafRefusal { try ceremony.authenticate(known) } == .counterNotIncreased)
    let flagged = try ceremony.authenticate(known) { $0.expectation = { $0.signCounterPolicy = .flag } }
    #expect(flagged.signers.first?.isCounterNotIncreased == true)
    #expect(flagged.signers.first?.registration.signCounter == 1)
    var none = ceremony
    none.authenticator.signCounter = 0
    #expect(try uafRefusal { try none.authenticate(known) } == .counterNotIncreased)
    #expect(try uafRefusal { try none.authenticate(records) } == nil)
  }

  // MARK: Transactions

  @Test func confirmsTheContentThatWasAskedFor() throws {
    var ceremony = ceremony
    ceremony.transactions = [text]
    #expect(try ceremony.authenticate(records, content: text.content).confirmedHash == text.hash)
    #expect(try uafRefusal { try ceremony.authenticate(records) } == .transactionNotConfirmed)
    #expect(
      try uafRefusal { try ceremony.authenticate(records, content: Array("Pay 99 EUR".utf8)) } == .transactionMismatch)
    // Over the text of its base64url instead of the content.
    let wrong = Array(Base64URL.encode(text.content).utf8)
    #expect(try uafRefusal { try ceremony.authenticate(records, content: wrong) } == .transactionMismatch)
  }

  @Test func anyFormOfTheContentWillDo() throws {
    var ceremony = ceremony
    let picture = TestPNG().bytes
    let png = try UAFTransactionContent(png: picture)
    #expect(png.characteristics?.width == 4 && png.characteristics?.height == 2)
    ceremony.transactions = [text, png]
    #expect(try ceremony.authenticate(records, content: picture).confirmedHash == png.hash)
    #expect(try ceremony.authenticate(records, content: text.content).confirmedHash == text.hash)
  }

  @Test func nothingIsConfirmedThatNobodyAskedFor() throws {
    #expect(try refusal(content: text.content) { _ in } == .transactionUnexpected)
  }

  @Test func contentsAreBounded() throws {
    #expect(throws: UAFTransactionContent.Refusal.length) { try UAFTransactionContent(text: "") }
    #expect(throws: UAFTransactionContent.Refusal.length) {
      try UAFTransactionContent(text: String(repeating: "a", count: 201))
    }
    #expect(try UAFTransactionContent(text: String(repeating: "a", count: 200)).content.count == 200)
    #expect(throws: UAFTransactionContent.Refusal.notASCII) { try UAFTransactionContent(text: "10 €") }
    #expect(throws: UAFTransactionContent.Refusal.notASCII) { try UAFTransactionContent(text: "a\u{1B}[2J") }
    #expect(throws: UAFTransactionContent.Refusal.notPNG) { try UAFTransactionContent(png: [1, 2, 3]) }
    #expect(throws: UAFTransactionContent.Refusal.length) {
      try UAFTransactionContent(png: [UInt8](repeating: 0, count: 12_001))
    }
  }

  // MARK: Changed enrollment

  @Test(arguments: UAFExpectation.EnrollmentPolicy.allCases)
  func aChangedSetIsTreatedAsThePolicySays(policy: UAFExpectation.EnrollmentPolicy) throws {
    var ceremony = ceremony
    ceremony.authenticator.state = [2]
    var known = records
    known[0].userVerificationState = [1]
    let bend: (inout UAFCeremony.Bends) -> Void = { $0.expectation = { $0.enrollmentPolicy = policy } }
    guard policy != .reject else {
      #expect(try uafRefusal { try ceremony.authenticate(known, bend) } == .enrollmentChanged)
      return
    }
    let verdict = try ceremony.authenticate(known, bend)
    let signer = try #require(verdict.signers.first)
    #expect(signer.isEnrollmentChanged && signer.reportedState == [2])
    #expect(verdict.needsStepUp == (policy == .stepUp))
    #expect(signer.registration.userVerificationState == (policy == .accept ? [2] : [1]))
    // A state that is not told any more is a change too; one that was never told is none.
    ceremony.authenticator.state = nil
    #expect(try ceremony.authenticate(known, bend).signers.first?.isEnrollmentChanged == true)
    ceremony.authenticator.state = [1]
    #expect(try ceremony.authenticate(known, bend).signers.first?.isEnrollmentChanged == false)
    #expect(try ceremony.authenticate(records, bend).signers.first?.isEnrollmentChanged == false)
  }

  // MARK: Policy

  @Test func onlyTheUsersKeysMayAnswer() throws {
    let another = UAFAcceptanceCriteria(aaids: ["FFFF#F001"], keyIDs: ["other"])
    #expect(try refusal { $0.expectation = { $0.policy.accepted = [[another]] } } == .policyMismatch)
    let party = try ceremony.prepared()
    #expect(throws: UAFRelyingParty.RequestError.noKeys) {
      try party.authenticationRequest(for: "u1", registered: [], at: UAFCeremony.now)
    }
    var elsewhere = party
    elsewhere.policy = UAFAcceptancePolicy(anyOf: ["FFFF#F002"])
    #expect(throws: UAFRelyingParty.RequestError.noKeys) {
      try elsewhere.authenticationRequest(for: "u1", registered: records, at: UAFCeremony.now)
    }
  }

  @Test func oneKeyDoesNotAnswerTwice() throws {
    let verdict = try ceremony.authenticate(records) {
      $0.response = { response in
        let one = response["assertions"]?[0] ?? .null
        response["assertions"] = [one, one]
      }
    }
    #expect(verdict.signers.count == 1 && verdict.refused.map(\.error.code) == [.policyMismatch])
  }

  // MARK: What the model's statement says

  @Test func aSecondFactorAnswersOnlyToItsKeysName() throws {
    var ceremony = try UAFCeremony()
    ceremony.metadata = { $0["isSecondFactorOnly"] = true }
    let record = try ceremony.record()
    ceremony.authenticator.signCounter = 1
    let signer = try #require(try ceremony.authenticate([record]).signers.first)
    #expect(signer.isSecondFactorOnly)
    let anybody = try uafRefusal {
      try ceremony.authenticate([record]) {
        $0.expectation = { $0.policy = UAFAcceptancePolicy(anyOf: [ceremony.authenticator.aaid]) }
      }
    }
    #expect(anybody == .policyMismatch)
    ceremony.metadata = { $0["isSecondFactorOnly"] = false }
    #expect(try ceremony.authenticate([record]).signers.first?.isSecondFactorOnly == false)
  }

  @Test func aModelWithoutADisplayConfirmsNothing() throws {
    var ceremony = try UAFCeremony()
    let record = try ceremony.record()
    ceremony.authenticator.signCounter = 1
    let content = try UAFTransactionContent(text: "Pay 5 EUR")
    ceremony.transactions = [content]
    #expect(try uafRefusal { try ceremony.authenticate([record], content: content.content) } == nil)
    ceremony.metadata = { $0["tcDisplay"] = 0 }
    #expect(
      try uafRefusal { try ceremony.authenticate([record], content: content.content) } == .transactionNotConfirmed)
  }

  @Test func refusesVersionsThatTheModelDoesNotSpeak() throws {
    var ceremony = try UAFCeremony()
    let record = try ceremony.record()
    ceremony.authenticator.signCounter = 1
    // No request is made that such a model would answer, so the metadata are others by the time the response comes.
    var statement = ceremony.authenticator.metadata()
    statement["upv"] = [["major": 1, "minor": 0]]
    let models = try UAFModels(json: [.object(statement)])
    #expect(
      try uafRefusal { try ceremony.authenticate([record]) { $0.expectation = { $0.models = models } } }
        == .modelVersionMismatch)
    ceremony.party.models = models
    #expect(throws: UAFRelyingParty.RequestError.noKeys) { try ceremony.authenticate([record]) }
  }

  @Test func readsHowTheUserWasVerified() throws {
    var ceremony = try UAFCeremony()
    let record = try ceremony.record()
    ceremony.authenticator.signCounter = 1
    let verdict = try ceremony.authenticate([record]) {
      $0.assertion = {
        $0.signed.append(
          TestTLV(
            0x3E12,
            parts: [
              TestTLV(0x2E13, Array("fido.uaf.uvm".utf8)),
              TestTLV(0x2E14, [4, 0, 0, 0, 1, 0, 1, 0, 2, 0, 0, 0, 1, 0, 1, 0]),
            ]))
      }
    }
    #expect(verdict.signers.first?.reportedMethods.map(\.userVerification) == [4, 2])
  }
}
