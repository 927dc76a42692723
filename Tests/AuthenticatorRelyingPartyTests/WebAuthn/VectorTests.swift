import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestVectors
import Testing

/// A vector of the WebAuthn Level 3 specification.
struct L3Vector: Sendable, CustomTestStringConvertible {
  let id: String
  let json: JSONValue
  let root: X509Certificate
  var testDescription: String { id }

  static let all: [L3Vector] = (try? load()) ?? []

  private static func load() throws -> [L3Vector] {
    let json = try JSONValue.parse(try Vectors.bytes("webauthn-l3.json"))
    let text = try #require(json["attestationRoot"]?["attestation_ca_cert"]?.stringValue)
    let root = try X509Certificate(derRepresentation: try Hex.decode(text))
    return try #require(json["vectors"]?.arrayValue).map {
      L3Vector(id: try #require($0["id"]?.stringValue), json: $0, root: root)
    }
  }

  func bytes(_ ceremony: String, _ name: String) throws -> [UInt8] {
    try Hex.decode(try #require(json[ceremony]?[name]?.stringValue))
  }

  func expectation(_ ceremony: String) throws -> CeremonyExpectation {
    CeremonyExpectation(
      challenge: try bytes(ceremony, "challenge"), origins: ["https://example.org"], relyingPartyID: "example.org",
      topOrigins: id == "none-es256-topOrigin" ? ["https://example.com"] : [])
  }

  func registration() throws -> ReceivedRegistration {
    ReceivedRegistration(
      id: try bytes("registration", "credential_id"), clientDataJSON: try bytes("registration", "clientDataJSON"),
      attestationObject: try bytes("registration", "attestationObject"))
  }

  func registrationExpectation() throws -> RegistrationExpectation {
    var expectation = RegistrationExpectation(ceremony: try expectation("registration"))
    expectation.trustAnchors = try TrustAnchors([root])
    expectation.attestation = id.hasPrefix("none") ? .none : .direct
    return expectation
  }

  func assertion() throws -> ReceivedAuthentication {
    ReceivedAuthentication(
      id: try bytes("registration", "credential_id"), clientDataJSON: try bytes("authentication", "clientDataJSON"),
      authenticatorData: try bytes("authentication", "authenticatorData"),
      signature: try bytes("authentication", "signature"))
  }
}

@Suite struct VectorTests {
  @Test func allVectorsAreThere() { #expect(L3Vector.all.count == 10) }

  @Test(arguments: L3Vector.all.filter { !["packed-ed448", "android-key-es256"].contains($0.id) })
  func accepts(vector: L3Vector) throws {
    let verdict = try vector.registrationExpectation().verify(try vector.registration(), at: Ceremony.now)
    let attestation = verdict.credential.attestation
    #expect(attestation.isTrusted == !(vector.id.hasPrefix("none") || vector.id.hasPrefix("packed-self")))
    #expect(verdict.credential.aaguid == (try vector.bytes("registration", "aaguid")))
    let decoded = try #require(vector.json["decoded"]?["registration"])
    #expect(verdict.flags.rawValue == UInt8(try #require(decoded["flags"]?.intValue)))
    #expect(Hex.encode(verdict.credential.publicKey.coseBytes) == decoded["coseKey"]?.stringValue)
    let result = try AuthenticationExpectation(ceremony: try vector.expectation("authentication"))
      .verify(try vector.assertion(), with: verdict.credential)
    #expect(result.credential.signCount == 0)
  }

  /// The certificate's lists of properties are empty, so nothing says where the key is from and what it is for.
  @Test(arguments: L3Vector.all.filter { $0.id == "android-key-es256" })
  func refusesAnAndroidKeyWithoutOriginAndPurpose(vector: L3Vector) throws {
    let error = #expect(throws: WebAuthnVerificationError.self) {
      try vector.registrationExpectation().verify(try vector.registration(), at: Ceremony.now)
    }
    #expect(error?.code == .attestationKeyUseNotAllowed)
  }

  @Test(
    .disabled("Ed448 is optional and not computed here"), arguments: L3Vector.all.filter { $0.id == "packed-ed448" })
  func acceptsEd448(vector: L3Vector) throws {
    _ = try vector.registrationExpectation().verify(try vector.registration(), at: Ceremony.now)
  }

  @Test(arguments: L3Vector.all.filter { $0.id == "packed-ed448" })
  func namesEd448AsUnsupported(vector: L3Vector) throws {
    #expect(throws: WebAuthnVerificationError(.algorithmUnsupported)) {
      try vector.registrationExpectation().verify(try vector.registration(), at: Ceremony.now)
    }
  }

  @Test(arguments: L3Vector.all)
  func refusesTheVectorUnderAnotherChallenge(vector: L3Vector) throws {
    var expectation = try vector.registrationExpectation()
    expectation.ceremony.challenge[0] ^= 1
    #expect(throws: WebAuthnVerificationError(.challengeMismatch)) {
      try expectation.verify(try vector.registration(), at: Ceremony.now)
    }
  }
}
