import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import Testing

/// Every prefix and many single-bit flips of what is valid: a typed error, never a trap, never accepted.
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

  /// `none` signs nothing and U2F neither flags, counter nor model: a flip there may pass. Everywhere else it must not.
  @Test(arguments: vectors)
  func noFlippedAttestationObjectIsAccepted(vector: L3Vector) throws {
    let (expectation, valid) = (try vector.registrationExpectation(), try vector.registration())
    let isUnsigned = vector.id.hasPrefix("none")
    let dataHead: [UInt8] = Array("authData".utf8)
    let object = valid.attestationObject
    let dataStart = object.indices.first { object[$0...].starts(with: dataHead) }.map { $0 + dataHead.count + 2 } ?? 0
    let unsigned = vector.id.hasPrefix("fido-u2f") ? dataStart + 32..<dataStart + 53 : 0..<0
    var accepted: [Int] = []
    // Self attestation is short: all bits. The others: one bit of each byte.
    let bits: (Int) -> [Int] = { vector.id.hasPrefix("packed-self") ? Array(0..<8) : [$0 % 8] }
    for index in object.indices {
      for bit in bits(index) {
        var response = valid
        response.attestationObject[index] ^= 1 << UInt8(bit)
        let code = refusal { () throws(WebAuthnVerificationError) in try expectation.verify(response, at: Ceremony.now)
        }
        if code == nil, !isUnsigned, !unsigned.contains(index) { accepted.append(index) }
      }
    }
    #expect(accepted.isEmpty)
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
