import AuthenticatorCoding
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// What a registration says beside its key: extensions, versions, counters, and how somebody was verified.
@Suite struct UAFRegistrationFactsTests {
  private func refusal(_ bend: (inout UAFCeremony.Bends) -> Void) throws -> UAFVerificationError.Code? {
    let ceremony = try UAFCeremony()
    return try uafRefusal { try ceremony.register(bend) }
  }

  /// A client copies the header of the request, with the extensions that it understood.
  @Test func acceptsExtensionsThatAreKnownOrWereAskedFor() throws {
    func exts(_ id: String) -> (inout UAFCeremony.Bends) -> Void {
      {
        $0.response = { response in
          var header = response["header"]?.objectValue ?? [:]
          header["exts"] = [["id": .string(id), "data": "", "fail_if_unknown": true]]
          response["header"] = .object(header)
        }
      }
    }
    #expect(try refusal(exts("fido.uaf.uvm")) == nil)
    #expect(try refusal(exts("com.example.own")) == .extensionUnknown)
    let asked = try refusal {
      exts("com.example.own")(&$0)
      $0.expectation = { $0.extensionIDs = ["com.example.own"] }
    }
    #expect(asked == nil)
    func assertion(_ id: String) -> (inout UAFCeremony.Bends) -> Void {
      {
        $0.response = { response in
          var one = response["assertions"]?[0]?.objectValue ?? [:]
          one["exts"] = [["id": .string(id), "data": "", "fail_if_unknown": true]]
          response["assertions"] = [.object(one)]
        }
      }
    }
    #expect(try refusal(assertion("fido.uaf.uvm")) == nil)
    #expect(try refusal(assertion("other")) == .extensionUnknown)
  }

  @Test func readsHowTheUserWasVerified() throws {
    let uvm = { (tag: UInt16, data: [UInt8]) in
      TestTLV(tag, parts: [TestTLV(0x2E13, Array("fido.uaf.uvm".utf8)), TestTLV(0x2E14, data)])
    }
    for tag: UInt16 in [0x3E11, 0x3E12] {
      let verdict = try UAFCeremony().register {
        $0.assertion = { $0.signed.append(uvm(tag, [2, 0, 0, 0, 1, 0, 4, 0])) }
      }
      let method = try #require(verdict.reportedMethods.first?.first)
      #expect(method.userVerification == 2 && method.keyProtection == 1 && method.matcherProtection == 4)
      #expect(try refusal { $0.assertion = { $0.signed.append(uvm(tag, [2, 0])) } } == .assertionMalformed)
      let twice = try refusal {
        $0.assertion = { $0.signed += [uvm(tag, [UInt8](repeating: 0, count: 8)), uvm(0x3E12, [])] }
      }
      #expect(twice == .assertionMalformed)
    }
    #expect(try UAFCeremony().register().reportedMethods == [[]])
  }

  @Test func refusesVersionsThatTheModelDoesNotSpeak() throws {
    var ceremony = try UAFCeremony()
    ceremony.party.versions = [.uaf10]
    #expect(try uafRefusal { try ceremony.register() } == nil)
    var statement = ceremony.authenticator.metadata()
    statement["upv"] = [["major": 1, "minor": 1]]
    let models = try UAFModels(json: [.object(statement)])
    #expect(
      try uafRefusal { try ceremony.register { $0.expectation = { $0.models = models } } } == .modelVersionMismatch)
    ceremony.party.models = models
    #expect(throws: UAFRelyingParty.RequestError.policy) { try ceremony.register() }
    ceremony.party.versions = [.uaf11]
    #expect(try uafRefusal { try ceremony.register() } == nil)
  }

  /// Counters are judged by how far they can have come, not by how far anybody ever comes.
  @Test func registrationCountersMayBeFarOnWhenTheyWereBefore() throws {
    var ceremony = try UAFCeremony { $0.registrationCounter = 65_535 }
    let before = try ceremony.record()
    ceremony.authenticator.registrationCounter = 131_070
    #expect(try uafRefusal { try ceremony.register() } == .counterImplausible)
    ceremony.authenticator.keyID = [UInt8](repeating: 0x4C, count: 32)
    #expect(try uafRefusal { try ceremony.register(knowing: [before]) } == nil)
    ceremony.authenticator.registrationCounter = 131_071
    #expect(try uafRefusal { try ceremony.register(knowing: [before]) } == .counterImplausible)
    // Another device of the model begins anew, and one without the counter says zero.
    for counter: UInt32 in [0, 1, 65_534] {
      ceremony.authenticator.registrationCounter = counter
      #expect(try uafRefusal { try ceremony.register(knowing: [before]) } == nil)
    }
    ceremony.authenticator.registrationCounter = .max
    ceremony.party.maximumRegistrationCounter = .max
    #expect(try uafRefusal { try ceremony.register() } == nil)
  }
}
