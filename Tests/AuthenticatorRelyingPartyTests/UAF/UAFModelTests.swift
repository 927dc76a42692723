import AuthenticatorCoding
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// Metadata statements are read strictly: what is misspelled or left out would make a server believe too much.
@Suite struct UAFModelTests {
  private let valid: JSONObject

  init() throws { valid = try TestUAFAuthenticator().metadata() }

  private func model(_ bend: (inout JSONObject) -> Void = { _ in }) throws -> UAFModelStatement {
    var json = valid
    bend(&json)
    return try UAFModelStatement(json: .object(json))
  }

  @Test func readsAStatement() throws {
    let model = try model {
      $0["userVerificationDetails"] = [
        [["userVerification": 4, "caDesc": ["base": 10, "minLength": 4]]], [["userVerification": 2]],
      ]
    }
    #expect(model.aaid == "FFFF#F001" && model.userVerifications == [6])
    #expect(model.versions == [.uaf10, .uaf11] && model.signatureForm == .es256Raw && model.keyForm == .ecRaw)
  }

  @Test func aCombinationOfMethodsNeedsAll() throws {
    let model = try model { $0["userVerificationDetails"] = [[["userVerification": 4], ["userVerification": 2]]] }
    #expect(model.userVerifications == [0x406])
  }

  /// Two pairs of methods are not any of the four methods.
  @Test func aChoiceOfCombinationsIsNoChoiceOfMethods() throws {
    let model = try model {
      $0["userVerificationDetails"] = [
        [["userVerification": 2], ["userVerification": 4]], [["userVerification": 1]],
        [["userVerification": 16], ["userVerification": 4]],
      ]
    }
    #expect(model.userVerifications == [1, 0x406, 0x414])
    func matches(_ wanted: UInt32) -> Bool {
      var criterion = UAFAcceptanceCriteria()
      criterion.userVerification = wanted
      return criterion.matches(UAFCandidate(model))
    }
    #expect(matches(1) && matches(3) && matches(0x406) && matches(0x414))
    #expect(!matches(2) && !matches(4) && !matches(0x10) && !matches(0x6) && !matches(0x412))
  }

  @Test(arguments: [
    "aaid", "authenticatorVersion", "upv", "assertionScheme", "authenticationAlgorithm", "publicKeyAlgAndEncoding",
    "attestationTypes", "userVerificationDetails", "keyProtection", "matcherProtection", "attachmentHint",
    "isSecondFactorOnly", "tcDisplay", "attestationRootCertificates",
  ]) func wantsEveryMemberOfItsKind(name: String) throws {
    for value: JSONValue? in [nil, .null, .string("x"), .integer(-1), [[]], [.null]] {
      #expect(throws: ExpectationError.self, "\(name): \(value?.serializedString() ?? "absent")") {
        try model { $0[name] = value }
      }
    }
  }

  @Test func refusesUnknownMembersAndContradictions() {
    #expect(throws: ExpectationError("attestationRootCertificate", isUnknown: true)) {
      try model { $0["attestationRootCertificate"] = [] }
    }
    #expect(throws: ExpectationError("assertionScheme")) { try model { $0["assertionScheme"] = "APCV1CBOR" } }
    #expect(throws: ExpectationError("authenticationAlgorithm")) { try model { $0["authenticationAlgorithm"] = 5 } }
    #expect(throws: ExpectationError("attestationTypes")) { try model { $0["attestationTypes"] = [15880, 15880] } }
    #expect(throws: ExpectationError("attestationRootCertificates")) {
      try model { $0["attestationRootCertificates"] = ["AAAA"] }
    }
    #expect(throws: ExpectationError("userVerificationDetails")) {
      try model { $0["userVerificationDetails"] = [[["userVerification": 6]]] }
    }
  }

  @Test func knowsEachModelOnce() throws {
    let models = try UAFModels(json: [.object(valid)])
    #expect(models["ffff#f001"]?.aaid == "FFFF#F001" && models["FFFF#F002"] == nil && models["FFFF"] == nil)
    var other = valid
    other["aaid"] = "ffff#F001"
    #expect(throws: ExpectationError("metadata.1.aaid")) { try UAFModels(json: [.object(valid), .object(other)]) }
    #expect(throws: ExpectationError("metadata.0.upv")) {
      var bad = valid
      bad["upv"] = nil
      _ = try UAFModels(json: [.object(bad)])
    }
    #expect(throws: ExpectationError("metadata")) { try UAFModels(json: .null) }
  }
}
