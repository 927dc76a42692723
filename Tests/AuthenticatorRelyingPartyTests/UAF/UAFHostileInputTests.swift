import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// Cut, bent and oversized input: a typed error, never a trap, never accepted.
@Suite struct UAFHostileInputTests {
  /// One response that verifies, and what it takes to try others in its place.
  private struct Bench {
    let expectation: UAFExpectation
    let response: JSONObject
    let assertion: [UInt8]
    let records: [UAFRegistrationRecord]
    let operation: UAFServerOperation

    /// The check that refuses these bytes; nil: they are accepted.
    func code(_ bytes: [UInt8]) throws -> UAFVerificationError.Code? {
      var response = response
      response["assertions"] = [
        ["assertionScheme": "UAFV1TLV", "assertion": .string(Base64URL.encode(bytes))]
      ]
      return try code(message: JSONValue.array([.object(response)]).serializedString())
    }

    func code(message: String) throws -> UAFVerificationError.Code? {
      try uafRefusal {
        let received = try UAFReceivedResponse(message: message)
        if operation == .registration {
          _ = try expectation.verifyRegistration(received, at: UAFCeremony.seconds)
        } else {
          _ = try expectation.verifyAuthentication(received, registered: records)
        }
      }
    }
  }

  private static func bench(_ operation: UAFServerOperation) throws -> Bench {
    var ceremony = try UAFCeremony { $0.state = [1, 2, 3] }
    let party = try ceremony.prepared()
    let records = [try ceremony.record()]
    ceremony.authenticator.signCounter = 1
    let issued =
      operation == .registration
      ? try party.registrationRequest(for: "u1", username: "mira", at: UAFCeremony.now)
      : try party.authenticationRequest(for: "u1", registered: records, at: UAFCeremony.now)
    let request = try JSONValue.parse(issued.message)
    let final = ceremony.client.finalChallenge(for: request)
    let assertion =
      operation == .registration
      ? try ceremony.authenticator.registration(finalChallengeHash: final.hash)
      : try ceremony.authenticator.authentication(finalChallengeHash: final.hash)
    let response = ceremony.client.response(to: request, finalChallenge: final.text, assertions: [assertion])
    let received = try UAFReceivedResponse(json: [.object(response)])
    let expectation = try party.expectation(
      try party.pending(received, at: UAFCeremony.now), registered: records)
    let bench = Bench(
      expectation: expectation, response: response, assertion: assertion, records: records, operation: operation)
    #expect(try bench.code(assertion) == nil)
    return bench
  }

  private static let operations: [UAFServerOperation] = [.registration, .authentication]

  /// Where elements of the assertion begin, those inside others too.
  private static func heads(_ bytes: [UInt8], _ range: Range<Int>) -> [Int] {
    var heads: [Int] = []
    var place = range.lowerBound
    while place + 4 <= range.upperBound {
      heads.append(place)
      let tag = UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
      let end = place + 4 + Int(bytes[place + 2]) + Int(bytes[place + 3]) << 8
      if tag & 0x1000 != 0 { heads += self.heads(bytes, place + 4..<end) }
      place = end
    }
    return heads
  }

  @Test(arguments: operations) func everyPrefixIsRefused(operation: UAFServerOperation) throws {
    let bench = try Self.bench(operation)
    for count in 1..<bench.assertion.count {
      #expect(try bench.code(Array(bench.assertion[..<count])) == .assertionMalformed, "after \(count) bytes")
    }
    #expect(try bench.code([]) == .messageMalformed)
  }

  @Test(arguments: operations) func noFlippedBitIsAccepted(operation: UAFServerOperation) throws {
    let bench = try Self.bench(operation)
    var accepted: [Int] = []
    for index in bench.assertion.indices {
      for bit in 0..<8 {
        var bytes = bench.assertion
        bytes[index] ^= 1 << UInt8(bit)
        if try bench.code(bytes) == nil { accepted.append(index) }
      }
    }
    #expect(accepted.isEmpty)
  }

  @Test(arguments: operations) func noOtherLengthIsAccepted(operation: UAFServerOperation) throws {
    let bench = try Self.bench(operation)
    let heads = Self.heads(bench.assertion, 0..<bench.assertion.count)
    #expect(heads.count > 9)
    for head in heads {
      let length = UInt16(bench.assertion[head + 2]) | UInt16(bench.assertion[head + 3]) << 8
      for other in Set<UInt16>([length &- 1, length &+ 1, 0, .max]) where other != length {
        var bytes = bench.assertion
        bytes.replaceSubrange(head + 2..<head + 4, with: TestTLV.number(other))
        #expect(try bench.code(bytes) != nil, "length \(other) at \(head)")
      }
    }
  }

  @Test(arguments: operations) func noElementMayBeMissingOrTwice(operation: UAFServerOperation) throws {
    let ceremony = try UAFCeremony()
    let records = [try ceremony.record()]
    let tags: [UInt16] =
      operation == .registration
      ? [0x2E0B, 0x2E0E, 0x2E0A, 0x2E09, 0x2E0D, 0x2E0C]
      : [0x2E0B, 0x2E0E, 0x2E0F, 0x2E0A, 0x2E10, 0x2E09, 0x2E0D]
    func code(_ bend: @escaping TestUAFAuthenticator.Bend) throws -> UAFVerificationError.Code? {
      try uafRefusal {
        if operation == .registration {
          _ = try ceremony.register { $0.assertion = bend }
        } else {
          _ = try ceremony.authenticate(records) { $0.assertion = bend }
        }
      }
    }
    for tag in tags {
      #expect(try code { $0.signed.remove(tag) } == .assertionMalformed, "without \(tag)")
      #expect(try code { $0.signed += $0.signed.filter { $0.tag == tag } } == .assertionMalformed, "\(tag) twice")
      #expect(try code { $0.signed.set(tag, [UInt8](repeating: 0, count: 3)) } != nil, "\(tag) of three bytes")
    }
    #expect(try code { $0.signed.reverse() } == nil)
    #expect(try code { $0.trailing = [0, 0, 0, 0] } == .assertionMalformed)
    #expect(try code { $0.trailing = [0] } == .assertionMalformed)
    #expect(try code { $0.before = [TestTLV(0x0E7F, [1])] } == .assertionMalformed)
    #expect(try code { $0.after = [TestTLV(0x0E7F, [1])] } == nil)
    #expect(try code { $0.after = [TestTLV(0x2E7F, [1])] } == .criticalTagUnknown)
    #expect(try code { $0.after = [TestTLV($0.signedTag, parts: $0.signed)] } == .assertionMalformed)
    #expect(try code { $0.tag = operation == .registration ? 0x3E02 : 0x3E01 } == .assertionMalformed)
    #expect(try code { $0.signedTag = operation == .registration ? 0x3E04 : 0x3E03 } == .assertionMalformed)
    #expect(try code { $0.signed.append(TestTLV(0x4001, [])) } == .assertionMalformed)
    #expect(try code { $0.after = (0..<70).map { _ in TestTLV(0x0E7F, []) } } == .assertionMalformed)
    #expect(try code { $0.signed.append(TestTLV(0x0106, [UInt8](repeating: 1, count: 33))) } == .assertionMalformed)
    #expect(try code { $0.signed.append(TestTLV(0x0E7F, [UInt8](repeating: 1, count: 4000))) } == .messageMalformed)
    if operation == .registration {
      #expect(try code { $0.besideSignature = [TestTLV(0x2E05, [1])] } == .criticalTagUnknown)
      #expect(try code { $0.besideSignature = [TestTLV(0x2E06, [1])] } == .assertionMalformed)
      #expect(try code { $0.after = [TestTLV(0x3E08, parts: [TestTLV(0x2E06, [1])])] } == .assertionMalformed)
      #expect(try code { $0.after = [TestTLV(0x3E07, parts: [TestTLV(0x2E06, [1])])] } == .assertionMalformed)
    } else {
      #expect(try code { $0.after = [TestTLV(0x2E06, [1])] } == .assertionMalformed)
      #expect(try code { $0.signed.set(0x2E10, [1]) } == .assertionMalformed)
    }
  }

  // MARK: Messages

  @Test(arguments: operations) func everyPrefixOfAMessageIsRefused(operation: UAFServerOperation) throws {
    let bench = try Self.bench(operation)
    let message = Array(JSONValue.array([.object(bench.response)]).serialized())
    for count in message.indices {
      let text = String(decoding: message[..<count], as: UTF8.self)
      #expect(try bench.code(message: text) == .messageMalformed, "after \(count) bytes")
    }
  }

  @Test func messagesAreOfTheirForm() throws {
    let bench = try Self.bench(.authentication)
    func code(_ bend: (inout JSONObject) -> Void) throws -> UAFVerificationError.Code? {
      var response = bench.response
      bend(&response)
      return try bench.code(message: JSONValue.array([.object(response)]).serializedString())
    }
    #expect(try code { $0["note"] = "unknown members are not looked at" } == nil)
    for name in ["header", "fcParams", "assertions"] {
      for value: JSONValue? in [nil, .null, .string(""), .integer(1), [], [:]] {
        #expect(try code { $0[name] = value } != nil, "\(name) \(value?.serializedString() ?? "absent")")
      }
    }
    let assertion = try #require(bench.response["assertions"]?[0]?["assertion"]?.stringValue)
    for text in [assertion + "=", assertion + " ", assertion + "A", "+" + assertion.dropFirst(), "%"] {
      let list: JSONValue = [["assertionScheme": "UAFV1TLV", "assertion": .string(text)]]
      #expect(try code { $0["assertions"] = list } != nil, "\(text.suffix(4))")
    }
    let one = try #require(bench.response["assertions"]?[0])
    #expect(try code { $0["assertions"] = .array(Array(repeating: one, count: 33)) } == .messageMalformed)
    let whole = JSONValue.object(bench.response)
    for message: JSONValue in [whole, [whole, whole], [], .null, [[whole]]] {
      #expect(try bench.code(message: message.serializedString()) == .messageMalformed)
    }
    #expect(try bench.code(message: String(repeating: "[", count: 5000)) == .messageMalformed)
    #expect(try bench.code(message: String(repeating: " ", count: 200_000)) == .messageMalformed)
  }
}
