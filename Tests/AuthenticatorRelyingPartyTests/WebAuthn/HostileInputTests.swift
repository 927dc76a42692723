import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import Foundation
import TestMachine
import Testing

/// Every prefix and every single-bit flip of what is valid: a typed error, never a trap, never accepted.
@Suite struct HostileInputTests {
  private static let vectors = L3Vector.all.filter { !["packed-ed448", "android-key-es256"].contains($0.id) }

  @Test(arguments: vectors)
  func everyPrefixOfARegistrationIsRefused(vector: L3Vector) throws {
    let (expectation, valid) = (try vector.registrationExpectation(), try vector.registration())
    var accepted = 0
    for count in 0..<valid.attestationObject.count {
      var response = valid
      response.attestationObject = Array(valid.attestationObject[..<count])
      let code = refusal { () throws(WebAuthnVerificationError) in try expectation.verify(response, at: Ceremony.now) }
      if code != .attestationObjectMalformed { accepted += 1 }
    }
    for count in 0..<valid.clientDataJSON.count {
      var response = valid
      response.clientDataJSON = Array(valid.clientDataJSON[..<count])
      let code = refusal { () throws(WebAuthnVerificationError) in try expectation.verify(response, at: Ceremony.now) }
      if code != .clientDataMalformed { accepted += 1 }
    }
    #expect(accepted == 0)
  }

  @Test(arguments: vectors)
  func everyPrefixOfAuthenticatorDataIsRefused(vector: L3Vector) throws {
    let (expectation, valid) = (try vector.registrationExpectation(), try vector.registration())
    guard var map = try CBORValue.decode(valid.attestationObject, limits: .attestationObject).mapValue,
      let data = map["authData"]?.bytesValue
    else { throw WebAuthnVerificationError(.attestationObjectMalformed) }
    for count in 0..<data.count {
      map["authData"] = .bytes(Array(data[..<count]))
      var response = valid
      response.attestationObject = CBORValue.map(map).encoded()
      let code = refusal { () throws(WebAuthnVerificationError) in try expectation.verify(response, at: Ceremony.now) }
      #expect(code == .authenticatorDataMalformed, "after \(count) bytes")
    }
  }

  /// Neither `none` nor U2F signs flags, counter and model: a flip there may pass. Everywhere else it must not.
  @Test(arguments: vectors)
  func noFlippedAttestationObjectIsAccepted(vector: L3Vector) async throws {
    let (expectation, valid) = (try vector.registrationExpectation(), try vector.registration())
    let dataHead: [UInt8] = Array("authData".utf8)
    let object = valid.attestationObject
    let dataStart = object.indices.first { object[$0...].starts(with: dataHead) }.map { $0 + dataHead.count + 2 } ?? 0
    let unsigned = ["none", "fido-u2f"].contains(where: vector.id.hasPrefix) ? dataStart + 32..<dataStart + 53 : 0..<0
    // Two halves, because that is much to verify.
    let accepted = await withTaskGroup(of: [Int].self) { group in
      for half in 0..<2 {
        group.addTask {
          object.indices.filter { $0 % 2 == half && !unsigned.contains($0) }.filter { index in
            (0..<8).contains { bit in
              var response = valid
              response.attestationObject[index] ^= 1 << UInt8(bit)
              return refusal { () throws(WebAuthnVerificationError) in
                try expectation.verify(response, at: Ceremony.now)
              } == nil
            }
          }
        }
      }
      return await group.reduce([], +)
    }
    #expect(accepted.isEmpty)
  }

  /// Where nothing is signed, what does not concern the ceremony may change, such as the name of a member that may be
  /// left out.
  @Test(arguments: vectors)
  func noFlippedClientDataOfARegistrationIsAccepted(vector: L3Vector) throws {
    let (expectation, valid) = (try vector.registrationExpectation(), try vector.registration())
    let isUnsigned = vector.id.hasPrefix("none")
    func members(_ bytes: [UInt8]) throws -> [JSONValue?] {
      let json = try JSONValue.parse(bytes)
      return [json["type"], json["challenge"], json["origin"]]
    }
    let meant = try members(valid.clientDataJSON)
    for index in valid.clientDataJSON.indices {
      for bit in 0..<8 {
        var response = valid
        response.clientDataJSON[index] ^= 1 << UInt8(bit)
        let code = refusal { () throws(WebAuthnVerificationError) in try expectation.verify(response, at: Ceremony.now)
        }
        guard code == nil else { continue }
        #expect(try isUnsigned && members(response.clientDataJSON) == meant, "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test(arguments: [SignatureAlgorithm.es256, .edDSA])
  func noPrefixAndNoFlipOfAnAssertionIsAccepted(algorithm: SignatureAlgorithm) throws {
    let ceremony = try Ceremony(algorithm).authentication
    let (record, valid) = (try ceremony.record(), try ceremony.assertion())
    let expectation = AuthenticationExpectation(ceremony: Ceremony.expectation)
    let parts: [WritableKeyPath<ReceivedAuthentication, [UInt8]>] = [
      \.clientDataJSON, \.authenticatorData, \.signature, \.id,
    ]
    var accepted = 0
    for part in parts {
      for index in valid[keyPath: part].indices {
        var cut = valid
        cut[keyPath: part] = Array(valid[keyPath: part][..<index])
        let code = refusal { () throws(WebAuthnVerificationError) in try expectation.verify(cut, with: record) }
        if code == nil { accepted += 1 }
        for bit in 0..<8 {
          var flipped = valid
          flipped[keyPath: part][index] ^= 1 << UInt8(bit)
          let code = refusal { () throws(WebAuthnVerificationError) in try expectation.verify(flipped, with: record) }
          if code == nil { accepted += 1 }
        }
      }
    }
    #expect(accepted == 0)
    #expect(throws: Never.self) { try expectation.verify(valid, with: record) }
  }

  /// In a process of its own, so that its memory can be looked at.
  @Test func sizeBombsStayWithinSixteenMebibytes() async {
    await #expect(processExitsWith: .success) {
      let expectation = RegistrationExpectation(ceremony: Ceremony.expectation, attestation: .direct)
      guard let ceremony = try? Ceremony() else { exit(2) }
      func refuse(_ response: ReceivedRegistration) {
        if (try? expectation.verify(response, at: Ceremony.now)) != nil { exit(3) }
      }
      // What is needed once is not counted.
      refuse(ceremony.registration(format: "packed", statement: ["x5c": [.bytes([0x30, 0])]]))
      let before = try peakMemory()
      // Announced: up to 2^64 elements, at each place where an item may begin.
      for head in [0x5A, 0x5B, 0x7A, 0x7B, 0x9A, 0x9B, 0xBA, 0xBB] as [UInt8] {
        let bomb = [head, 0x7F] + [UInt8](repeating: 0xFF, count: head & 1 == 0 ? 3 : 7)
        var response = ceremony.registration()
        response.attestationObject = bomb
        refuse(response)
        response.attestationObject = [0xA3, 0x63, 0x66, 0x6D, 0x74] + bomb
        refuse(response)
        var bent = ceremony
        bent.flags |= 0x80
        bent.leftover = bomb
        refuse(bent.registration())
      }
      // There: as much as a response may hold.
      let many = CBORValue.array([CBORValue](repeating: .bytes([0x30, 0]), count: 20_000))
      refuse(ceremony.registration(format: "packed", statement: ["alg": -7, "sig": .bytes([1]), "x5c": many]))
      refuse(ceremony.registration(format: "compound", statement: ["x": many]))
      let certificate = CBORValue.array([.bytes([0x30, 0x82, 0xFF, 0xFF] + [UInt8](repeating: 0x30, count: 60_000))])
      refuse(ceremony.registration(format: "packed", statement: ["alg": -7, "sig": .bytes([1]), "x5c": certificate]))
      for text in [String(repeating: "[", count: 60_000), "{\"a\":\"" + String(repeating: "\\u0000", count: 10_000)] {
        var large = ceremony
        large.clientData = Array(text.utf8)
        refuse(large.registration())
      }
      #expect(try peakMemory() - before <= 16 << 20)
    }
  }

  @Test func sizeBombsAreRefused() throws {
    let expectation = RegistrationExpectation(ceremony: Ceremony.expectation)
    let ceremony = try Ceremony()
    for bomb in ["9a7fffffff00", "ba7fffffff0000", "5b7fffffffffffffff00", "9b20000000000000000000"] {
      var response = ceremony.registration()
      response.attestationObject = try Hex.decode(bomb)
      let code = refusal { () throws(WebAuthnVerificationError) in try expectation.verify(response, at: Ceremony.now) }
      #expect(code == .attestationObjectMalformed)
      var bent = ceremony
      bent.flags |= 0x80
      bent.leftover = try Hex.decode(bomb)
      let inner = refusal { () throws(WebAuthnVerificationError) in
        try expectation.verify(bent.registration(), at: Ceremony.now)
      }
      #expect(inner == .authenticatorDataMalformed)
    }
    var large = ceremony
    large.clientData = Array("{\"a\":\"".utf8) + [UInt8](repeating: 0x61, count: 1 << 17) + Array("\"}".utf8)
    let code = refusal { () throws(WebAuthnVerificationError) in
      try expectation.verify(large.registration(), at: Ceremony.now)
    }
    #expect(code == .clientDataMalformed)
  }
}
