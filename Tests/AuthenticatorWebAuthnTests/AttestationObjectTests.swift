import AuthenticatorCBOR
import AuthenticatorCrypto
import AuthenticatorWebAuthn
import Testing

@Suite struct AttestationObjectTests {
  private func data(hasCredential: Bool = true) throws -> AuthenticatorData {
    let key = try COSEKey(try PrivateKey.generate(.es256).publicKey, algorithm: .es256)
    let id = try #require(CredentialID([1, 2, 3]))
    return try AuthenticatorData(
      relyingPartyIDHash: [UInt8](repeating: 1, count: 32), flags: .userPresent, signCount: 0,
      attestedCredentialData: hasCredential
        ? AttestedCredentialData(aaguid: .zero, credentialID: id, credentialPublicKey: key) : nil)
  }

  @Test func writesMembersInOrder() throws {
    let object = try AttestationObject(format: .none, authenticatorData: try data())
    #expect(object.rawBytes.starts(with: [0xA3, 0x63] + Array("fmt".utf8) + [0x64] + Array("none".utf8)))
    #expect(try AttestationObject(rawBytes: object.rawBytes) == object)
  }

  @Test func readsOtherOrdersOnlyWhenAsked() throws {
    let data = try data()
    var bytes: [UInt8] = [0xA3]
    for (name, value) in [("authData", .bytes(data.rawBytes)), ("fmt", "none"), ("attStmt", [:])]
      as [(String, CBORValue)]
    { bytes += CBORValue.text(name).encoded() + value.encoded() }
    #expect(throws: WebAuthnDataError(.attestationObjectNotAMap)) { try AttestationObject(rawBytes: bytes) }
    let object = try AttestationObject(rawBytes: bytes, keyOrder: .any)
    #expect(object.authenticatorData == data)
    #expect(object.rawBytes == bytes)
  }

  @Test func buildsNothingThatItWouldNotRead() throws {
    func object(_ filling: Int) throws -> AttestationObject {
      try AttestationObject(
        format: .packed, statement: ["x": .bytes([UInt8](repeating: 1, count: filling))], authenticatorData: try data())
    }
    let room = 65_536 - (try object(60_000).rawBytes.count - 60_000)
    #expect(try AttestationObject(rawBytes: object(room).rawBytes).rawBytes.count == 65_536)
    #expect(throws: WebAuthnDataError(.attestationObjectSize)) { try object(room + 1) }
  }

  @Test func refusesOtherMembers() throws {
    let valid: CBORMap = ["fmt": "none", "attStmt": [:], "authData": .bytes(try data().rawBytes)]
    let bends: [(WebAuthnDataError.Code, (inout CBORMap) -> Void)] = [
      (.attestationObjectMembers, { $0["fmt"] = nil }), (.attestationObjectMembers, { $0["attStmt"] = nil }),
      (.attestationObjectMembers, { $0["authData"] = nil }), (.attestationObjectMembers, { $0["ep"] = true }),
      (.attestationObjectMembers, { $0["fmt"] = 1 }), (.attestationObjectMembers, { $0["authData"] = "x" }),
      (.attestationObjectMembers, { $0["attStmt"] = [] }),
      (.attestationObjectMembers, { $0["fmt"] = "compound" }), (.attestationFormatName, { $0["fmt"] = "" }),
      (.attestationFormatName, { $0["fmt"] = .text(String(repeating: "a", count: 33)) }),
      (.attestationFormatName, { $0["fmt"] = "a b" }), (.attestationFormatName, { $0["fmt"] = "é" }),
      (.authenticatorDataTruncated, { $0["authData"] = .bytes([]) }),
    ]
    for (number, (code, bend)) in bends.enumerated() {
      var map = valid
      bend(&map)
      let bytes = CBORValue.map(map).encoded()
      let found = refusal { () throws(WebAuthnDataError) in try AttestationObject(rawBytes: bytes) }
      #expect(found == code, "bend \(number)")
    }
    let assertion = try data(hasCredential: false)
    #expect(throws: WebAuthnDataError(.attestedCredentialDataMissing, member: "authData")) {
      try AttestationObject(format: .none, authenticatorData: assertion)
    }
  }

  @Test(arguments: L3Vector.supported)
  func everyPrefixIsRefusedAndEveryFlipThrowsOrDiffers(vector: L3Vector) throws {
    let object = try vector.attestationObject()
    for count in object.rawBytes.indices {
      #expect(throws: WebAuthnDataError(.attestationObjectNotAMap)) {
        try AttestationObject(rawBytes: Array(object.rawBytes[..<count]))
      }
    }
    for index in object.rawBytes.indices {
      var flipped = object.rawBytes
      flipped[index] ^= 1 << UInt8(index % 8)
      if let other = try? AttestationObject(rawBytes: flipped) { #expect(other != object) }
    }
  }

  @Test func aaguidHasATextualForm() throws {
    let aaguid = try #require(AAGUID(text: "a0000001-0002-0003-0004-00000000000F"))
    #expect(aaguid.description == "a0000001-0002-0003-0004-00000000000f")
    #expect(AAGUID(aaguid.bytes) == aaguid)
    for text in ["", "a0000001000200030004-00000000000f", "g0000001-0002-0003-0004-00000000000f"] {
      #expect(AAGUID(text: text) == nil)
    }
    #expect(AAGUID([1]) == nil)
  }
}
