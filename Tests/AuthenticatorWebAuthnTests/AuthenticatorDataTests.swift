import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorWebAuthn
import Testing

@Suite struct AuthenticatorDataTests {
  private static let hash = SHA256.hash(Array("example.org".utf8))

  private func credential() throws -> AttestedCredentialData {
    AttestedCredentialData(
      aaguid: try #require(AAGUID(1...16)), credentialID: try #require(CredentialID([UInt8](repeating: 9, count: 20))),
      credentialPublicKey: try COSEKey(try PrivateKey.generate(.es256).publicKey, algorithm: .es256))
  }

  private func sample() throws -> AuthenticatorData {
    try AuthenticatorData(
      relyingPartyIDHash: Self.hash, flags: [.userPresent, .userVerified], signCount: 258,
      attestedCredentialData: try credential(), extensions: ["credProtect": 2, "minPinLength": 4])
  }

  @Test func layoutIsExact() throws {
    let data = try sample()
    let attested = try #require(data.attestedCredentialData)
    #expect(Array(data.rawBytes[..<32]) == Self.hash)
    #expect(data.rawBytes[32] == 0xC5)
    #expect(Array(data.rawBytes[33..<37]) == [0, 0, 1, 2])
    #expect(Array(data.rawBytes[37..<53]) == [UInt8](1...16))
    #expect(Array(data.rawBytes[53..<55]) == [0, 20])
    #expect(data.rawBytes.count == 55 + 20 + 77 + CBORValue.map(["credProtect": 2, "minPinLength": 4]).encodedSize)
    #expect(Array(data.rawBytes[37..<152]) == attested.rawBytes)
  }

  @Test func readsWhatItBuilds() throws {
    let data = try sample()
    #expect(try AuthenticatorData(rawBytes: data.rawBytes) == data)
    let short = try AuthenticatorData(relyingPartyIDHash: Self.hash, flags: .userPresent, signCount: .max)
    #expect(short.rawBytes.count == 37)
    #expect(try AuthenticatorData(rawBytes: short.rawBytes) == short)
  }

  @Test func flagsFollowFromTheContent() throws {
    let data = try AuthenticatorData(
      relyingPartyIDHash: Self.hash, flags: [.userPresent, .attestedCredentialData, .extensionData], signCount: 0,
      extensions: [:])
    #expect(data.flags == .userPresent)
    #expect(data.extensions == nil)
  }

  @Test func keepsReservedFlags() throws {
    let data = try AuthenticatorData(rawBytes: Self.hash + [0x23, 0, 0, 0, 0])
    #expect(data.flags.rawValue == 0x23)
    #expect(data.flags.contains(.userPresent))
  }

  @Test func refusesToBuildWhatContradictsItself() throws {
    #expect(throws: WebAuthnDataError(.backupStateWithoutEligibility)) {
      try AuthenticatorData(relyingPartyIDHash: Self.hash, flags: .backedUp, signCount: 0)
    }
    #expect(throws: WebAuthnDataError(.relyingPartyIDHashSize)) {
      try AuthenticatorData(relyingPartyIDHash: [1], flags: .userPresent, signCount: 0)
    }
    #expect(throws: WebAuthnDataError(.invalidExtensions)) {
      try AuthenticatorData(relyingPartyIDHash: Self.hash, flags: [], signCount: 0, extensions: [1: 2])
    }
  }

  @Test func everyPrefixIsTruncated() throws {
    let bytes = try sample().rawBytes
    for count in bytes.indices {
      #expect(throws: WebAuthnDataError(.authenticatorDataTruncated)) {
        try AuthenticatorData(rawBytes: Array(bytes[..<count]))
      }
    }
  }

  @Test func everyBitFlipThrowsOrRoundTrips() throws {
    let valid = try sample()
    for index in valid.rawBytes.indices {
      for bit in 0..<8 {
        var bytes = valid.rawBytes
        bytes[index] ^= 1 << UInt8(bit)
        guard let data = try? AuthenticatorData(rawBytes: bytes) else { continue }
        #expect(data != valid && data.rawBytes == bytes)
        let rebuilt = try AuthenticatorData(
          relyingPartyIDHash: data.relyingPartyIDHash, flags: data.flags, signCount: data.signCount,
          attestedCredentialData: data.attestedCredentialData, extensions: data.extensions)
        #expect(rebuilt.rawBytes == bytes)
      }
    }
  }

  @Test func refusesFlagsThatTheContentDoesNotBearOut() throws {
    let head = Self.hash
    let key = try credential().rawBytes
    let counter: [UInt8] = [0, 0, 0, 0]
    func code(_ bytes: [UInt8]) -> WebAuthnDataError.Code? {
      refusal { () throws(WebAuthnDataError) in try AuthenticatorData(rawBytes: bytes) }
    }
    #expect(code(head + [0x01] + counter + [0]) == .authenticatorDataTrailingBytes)
    #expect(code(head + [0x01] + counter + key) == .authenticatorDataTrailingBytes)
    #expect(code(head + [0x41] + counter) == .authenticatorDataTruncated)
    #expect(code(head + [0x41] + counter + key + [0xA0]) == .authenticatorDataTrailingBytes)
    #expect(code(head + [0xC1] + counter + key) == .authenticatorDataTruncated)
    #expect(code(head + [0x81] + counter + [0xA0]) == .invalidExtensions)
    #expect(code(head + [0x81] + counter + [0x80]) == .invalidExtensions)
    #expect(code(head + [0x81] + counter + [0xA1, 0x01, 0x02]) == .invalidExtensions)
    #expect(code(head + [0x81] + counter + [0xBF, 0xFF]) == .invalidExtensions)
    #expect(code(head + [0x11] + counter) == .backupStateWithoutEligibility)
  }

  @Test(arguments: [0, 1024, 65_535])
  func refusesCredentialIDsOfOtherSizes(size: Int) throws {
    let key = try credential().credentialPublicKey.encoded()
    let bytes =
      Self.hash + [0x41, 0, 0, 0, 0] + [UInt8](1...16) + [UInt8(size >> 8), UInt8(size & 0xFF)]
      + [UInt8](repeating: 1, count: size) + key
    #expect(throws: WebAuthnDataError(.credentialIDSize)) { try AuthenticatorData(rawBytes: bytes) }
  }

  /// A known fault of some keys: the map's head says three pairs, and four follow.
  @Test func refusesAKeyThatIsLongerThanItsHeadSays() throws {
    var key = try COSEKey(try PrivateKey.generate(.edDSA).publicKey, algorithm: .edDSA).encoded()
    key[0] = 0xA3
    let bytes = Self.hash + [0x41, 0, 0, 0, 0] + [UInt8](1...16) + [0, 1, 7] + key
    #expect(throws: WebAuthnDataError(.keyParameterMissing, member: "x")) { try AuthenticatorData(rawBytes: bytes) }
  }

  // MARK: - Vectors

  @Test(arguments: L3Vector.supported)
  func readsAndRebuildsTheVectors(vector: L3Vector) throws {
    let object = try vector.attestationObject()
    let data = object.authenticatorData
    let decoded = try #require(vector.json["decoded"]?["registration"])
    #expect(data.flags.rawValue == UInt8(try #require(decoded["flags"]?.intValue)))
    #expect(Hex.encode(data.relyingPartyIDHash) == decoded["rpIdHash"]?.stringValue)
    let attested = try #require(data.attestedCredentialData)
    #expect(attested.aaguid.bytes == (try vector.bytes("registration", "aaguid")))
    #expect(attested.credentialID.bytes == (try vector.bytes("registration", "credential_id")))
    #expect(Hex.encode(attested.credentialPublicKey.encoded()) == decoded["coseKey"]?.stringValue)
    let rebuilt = try AuthenticatorData(
      relyingPartyIDHash: SHA256.hash(Array("example.org".utf8)), flags: data.flags, signCount: 0,
      attestedCredentialData: AttestedCredentialData(
        aaguid: attested.aaguid, credentialID: attested.credentialID,
        credentialPublicKey: attested.credentialPublicKey))
    #expect(rebuilt == data)
    let assertion = try AuthenticatorData(rawBytes: try vector.bytes("authentication", "authenticatorData"))
    #expect(assertion.attestedCredentialData == nil)
    let again = try AttestationObject(
      format: object.format, statement: object.statement, authenticatorData: rebuilt)
    #expect(again.rawBytes == object.rawBytes)
  }

  @Test(arguments: L3Vector.all.filter { $0.id == "packed-ed448" })
  func namesEd448AsUnsupported(vector: L3Vector) throws {
    #expect(throws: WebAuthnDataError(.keyAlgorithmUnsupported, member: "alg")) { try vector.attestationObject() }
  }
}
