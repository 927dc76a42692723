import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestCertificates
import Testing

typealias Code = WebAuthnVerificationError.Code

/// One way to spoil a valid registration.
struct RegistrationBend: Sendable, CustomTestStringConvertible {
  let name: String
  let code: Code
  var ceremony: @Sendable (inout Ceremony) -> Void = { _ in }
  var expectation: @Sendable (inout RegistrationExpectation) -> Void = { _ in }
  var response: @Sendable (inout ReceivedRegistration) -> Void = { _ in }
  var testDescription: String { "\(name) → \(code.rawValue)" }

  static let all: [RegistrationBend] = [
    // Client data
    .init(name: "client data is no JSON", code: .clientDataMalformed, ceremony: { $0.clientData = [0x7B] }),
    .init(name: "client data is a list", code: .clientDataMalformed, ceremony: { $0.clientData = Array("[]".utf8) }),
    .init(
      name: "client data has a member twice", code: .clientDataMalformed,
      ceremony: { ceremony in
        let text = String(decoding: ceremony.clientDataJSON, as: UTF8.self)
        ceremony.clientData = Array(text.dropLast().utf8) + Array(#","origin":"https://example.org"}"#.utf8)
      }),
    .init(
      name: "client data without an origin", code: .clientDataMalformed,
      ceremony: { $0.clientData = Array(#"{"type":"webauthn.create","challenge":"AQ"}"#.utf8) }),
    .init(name: "crossOrigin is text", code: .clientDataMalformed, ceremony: { $0.crossOrigin = "false" }),
    .init(name: "topOrigin is a number", code: .clientDataMalformed, ceremony: { $0.topOrigin = 1 }),
    .init(name: "type of the other ceremony", code: .ceremonyMismatch, ceremony: { $0.type = "webauthn.get" }),
    .init(name: "type in capitals", code: .ceremonyMismatch, ceremony: { $0.type = "WebAuthn.Create" }),
    .init(name: "another challenge", code: .challengeMismatch, ceremony: { $0.challenge[31] ^= 1 }),
    .init(name: "a challenge that goes on", code: .challengeMismatch, ceremony: { $0.challenge.append(0) }),
    .init(name: "an empty challenge", code: .challengeMismatch, ceremony: { $0.challenge = [] }),
    .init(
      name: "a padded challenge", code: .challengeMismatch,
      ceremony: { $0.challengeText = Base64URL.encode($0.challenge) + "=" }),
    .init(
      name: "an empty challenge expected", code: .challengeMismatch, ceremony: { $0.challenge = [] },
      expectation: { $0.ceremony.challenge = [] }),
    .init(name: "another origin", code: .originMismatch, ceremony: { $0.origin = "https://example.com" }),
    .init(name: "a subdomain", code: .originMismatch, ceremony: { $0.origin = "https://login.example.org" }),
    .init(name: "an origin with a port", code: .originMismatch, ceremony: { $0.origin = "https://example.org:443" }),
    .init(name: "an origin with a slash", code: .originMismatch, ceremony: { $0.origin = "https://example.org/" }),
    .init(name: "http", code: .originMismatch, ceremony: { $0.origin = "http://example.org" }),
    .init(name: "in a frame", code: .crossOriginNotAllowed, ceremony: { $0.crossOrigin = true }),
    .init(
      name: "an unexpected outermost page", code: .crossOriginNotAllowed,
      ceremony: { $0.topOrigin = "https://example.com" }),
    .init(
      name: "another outermost page", code: .topOriginMismatch,
      ceremony: {
        $0.crossOrigin = true
        $0.topOrigin = "https://evil.example"
      }, expectation: { $0.ceremony.topOrigins = ["https://example.com"] }),

    // Authenticator data
    .init(
      name: "bytes after the attestation object", code: .attestationObjectMalformed,
      response: { $0.attestationObject.append(0) }),
    .init(
      name: "no attestation object", code: .attestationObjectMalformed, response: { $0.attestationObject = [] }),
    .init(
      name: "a member more", code: .attestationObjectMalformed,
      response: {
        guard var map = try? CBORValue.decode($0.attestationObject).mapValue else { return }
        map["ep"] = true
        $0.attestationObject = CBORValue.map(map).encoded()
      }),
    .init(name: "a byte left over", code: .authenticatorDataMalformed, ceremony: { $0.leftover = [0] }),
    .init(
      name: "extensions without their flag", code: .authenticatorDataMalformed,
      ceremony: { $0.extensions = ["credProtect": 2] }),
    .init(name: "the extension flag alone", code: .authenticatorDataMalformed, ceremony: { $0.flags |= 0x80 }),
    .init(
      name: "an empty map of extensions", code: .authenticatorDataMalformed,
      ceremony: {
        $0.flags |= 0x80
        $0.extensions = [:]
      }),
    .init(
      name: "extensions as a list", code: .authenticatorDataMalformed,
      ceremony: {
        $0.flags |= 0x80
        $0.extensions = [1]
      }),
    .init(
      name: "attested data without its flag", code: .authenticatorDataMalformed, ceremony: { $0.flags &= ~0x40 }),
    .init(
      name: "the attested data flag alone", code: .authenticatorDataMalformed,
      ceremony: { $0.hasAttestedData = false }),
    .init(
      name: "another relying party", code: .relyingPartyIDMismatch, ceremony: { $0.relyingPartyID = "example.com" }),
    .init(name: "nobody there", code: .userNotPresent, ceremony: { $0.flags &= ~0x01 }),
    .init(
      name: "nobody verified", code: .userNotVerified, ceremony: { $0.flags &= ~0x04 },
      expectation: { $0.ceremony.requiresUserVerification = true }),
    .init(name: "backed up, not eligible", code: .backupFlagsInvalid, ceremony: { $0.flags |= 0x10 }),
    .init(
      name: "no credential", code: .attestedCredentialDataMissing,
      ceremony: {
        $0.flags &= ~0x40
        $0.hasAttestedData = false
      }),
    .init(
      name: "an algorithm not offered", code: .algorithmNotAllowed, expectation: { $0.algorithms = [-8, -257] }),
    .init(
      name: "an unknown algorithm", code: .algorithmUnsupported, ceremony: { $0.algorithm = -47 },
      expectation: { $0.algorithms = [] }),

    // Credential
    .init(
      name: "another credential ID in the response", code: .credentialIDMismatch, response: { $0.id[0] ^= 1 }),
    .init(name: "an empty credential ID", code: .credentialIDMismatch, ceremony: { $0.credentialID = [] }),
    .init(
      name: "a credential ID of 1,024 bytes", code: .credentialIDMismatch,
      ceremony: { $0.credentialID = [UInt8](repeating: 1, count: 1024) }),
    .init(
      name: "a credential ID that is taken", code: .credentialAlreadyRegistered,
      expectation: { $0.registeredCredentialIDs = [[UInt8](repeating: 0xC0, count: 32)] }),

    // Attestation in general
    .init(
      name: "no attestation where asked for", code: .attestationMissing, expectation: { $0.attestation = .direct }),
    .init(
      name: "a format not known", code: .attestationFormatUnsupported,
      response: { $0.attestationObject = Self.renamed($0.attestationObject, "android-safetynet") }),
    .init(
      name: "a format in capitals", code: .attestationFormatUnsupported,
      response: { $0.attestationObject = Self.renamed($0.attestationObject, "None") }),
  ]

  private static func renamed(_ object: [UInt8], _ format: String) -> [UInt8] {
    guard var map = try? CBORValue.decode(object).mapValue else { return [] }
    map["fmt"] = .text(format)
    return CBORValue.map(map).encoded()
  }
}

@Suite struct RegistrationTests {
  private let expectation = RegistrationExpectation(ceremony: Ceremony.expectation, algorithms: [-7, -257])

  @Test(arguments: RegistrationBend.all)
  func refuses(bend: RegistrationBend) throws {
    var ceremony = try Ceremony()
    var expectation = expectation
    bend.ceremony(&ceremony)
    bend.expectation(&expectation)
    var response = ceremony.registration()
    bend.response(&response)
    let verdict = refusal { () throws(WebAuthnVerificationError) in
      try expectation.verify(response, at: Ceremony.now)
    }
    #expect(verdict == bend.code)
  }

  @Test func tellsWhatItVerified() throws {
    var ceremony = try Ceremony()
    ceremony.flags = 0x5D | 0x80
    ceremony.extensions = ["credProtect": 2]
    var expectation = expectation
    expectation.userHandle = [1, 2]
    let verdict = try expectation.verify(ceremony.registration(), at: Ceremony.now)
    let record = verdict.credential
    #expect(record.id == ceremony.credentialID)
    #expect(record.publicKey.publicKey == ceremony.key.publicKey)
    #expect(record.publicKey.coseBytes == ceremony.credentialKey.encoded())
    #expect(record.signCount == 7)
    #expect(record.backupEligible && record.backedUp && record.isUserVerificationInitialized)
    #expect(record.aaguid == ceremony.aaguid)
    #expect(record.userHandle == [1, 2])
    #expect(record.transports == ["internal"])
    #expect(record.attestation == AttestationSummary(format: "none", type: .none, isTrusted: false))
    #expect(verdict.authenticatorExtensions == ["credProtect": 2])
    #expect(verdict.attestationCertificates.isEmpty)
    #expect(
      verdict.json["flags"] == ["UP": true, "UV": true, "BE": true, "BS": true, "AT": true, "ED": true])
    #expect(try WebAuthnCredentialRecord(json: try #require(verdict.json["credential"])) == record)
  }

  @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512, .edDSA, .rs256, .ps256])
  func acceptsEveryAlgorithm(algorithm: SignatureAlgorithm) throws {
    let ceremony = try Ceremony(algorithm)
    var expectation = expectation
    expectation.algorithms = []
    expectation.attestation = .direct
    let verdict = try expectation.verify(try ceremony.selfAttested(), at: Ceremony.now)
    #expect(verdict.credential.attestation == AttestationSummary(format: "packed", type: .self, isTrusted: false))
    let authentication = ceremony.authentication
    let result = try AuthenticationExpectation(ceremony: Ceremony.expectation)
      .verify(try authentication.assertion(), with: verdict.credential)
    #expect(result.credential.signCount == 8)
  }

  @Test func conditionalRegistrationNeedsNobodyThere() throws {
    var ceremony = try Ceremony()
    ceremony.flags = 0x40
    var expectation = expectation
    expectation.isConditional = true
    let verdict = try expectation.verify(ceremony.registration(), at: Ceremony.now)
    #expect(!verdict.flags.contains(.userPresent))
  }

  @Test func readsClientDataTolerantly() throws {
    var ceremony = try Ceremony()
    let challenge = Base64URL.encode(ceremony.challenge)
    ceremony.clientData =
      [0xEF, 0xBB, 0xBF]
      + Array(
        """
         { "tokenBinding": {"status":"supported"}, "new": [1], "origin":"https:\\/\\/example.org",
         "challenge":"\(challenge)", "type" : "webauthn.create" }
        """.utf8)
    _ = try expectation.verify(ceremony.registration(), at: Ceremony.now)
  }

  @Test func acceptsFramesThatAreExpected() throws {
    var ceremony = try Ceremony()
    ceremony.crossOrigin = true
    ceremony.topOrigin = "https://example.com"
    var expectation = expectation
    expectation.ceremony.topOrigins = ["https://example.com"]
    _ = try expectation.verify(ceremony.registration(), at: Ceremony.now)
    ceremony.topOrigin = nil
    expectation.ceremony.topOrigins = []
    expectation.ceremony.allowsCrossOrigin = true
    _ = try expectation.verify(ceremony.registration(), at: Ceremony.now)
  }

  @Test func acceptsNativeOrigins() throws {
    var ceremony = try Ceremony()
    ceremony.origin = "ios:bundle-id:org.example.app"
    var expectation = expectation
    expectation.ceremony.origins.insert("ios:bundle-id:org.example.app")
    _ = try expectation.verify(ceremony.registration(), at: Ceremony.now)
  }

  @Test func acceptsMembersInAnyOrder() throws {
    let ceremony = try Ceremony()
    var response = ceremony.registration()
    // authData, fmt, attStmt, as some platforms write it.
    var bytes: [UInt8] = [0xA3]
    bytes += CBORValue.text("authData").encoded() + CBORValue.bytes(ceremony.authenticatorData).encoded()
    bytes += CBORValue.text("fmt").encoded() + CBORValue.text("none").encoded()
    bytes += CBORValue.text("attStmt").encoded() + [0xA0]
    response.attestationObject = bytes
    _ = try expectation.verify(response, at: Ceremony.now)
  }

  private static let malformedKeys: [CBORMap] = [
    [3: -7, -1: 1], [1: 2, 3: -7, -1: 2], [1: 3, 3: -7, -1: 1], [1: 2, 3: -7, -1: 1, 2: .bytes([1])], [1: 2, -1: 1],
    [1: 2, 3: "ES256", -1: 1],
  ]

  @Test(arguments: malformedKeys)
  func refusesMalformedKeys(members: CBORMap) throws {
    var ceremony = try Ceremony()
    var map = members
    let valid = ceremony.credentialKey
    map[-2] = valid[-2]
    map[-3] = valid[-3]
    ceremony.coseKey = .map(map)
    let code = refusal { () throws(WebAuthnVerificationError) in
      try expectation.verify(ceremony.registration(), at: Ceremony.now)
    }
    #expect(code == .publicKeyInvalid)
  }

  @Test func refusesPointsThatAreNone() throws {
    let valid = try Ceremony().credentialKey
    var x = try #require(valid[-2]?.bytesValue)
    let y = try #require(valid[-3]?.bytesValue)
    x[5] ^= 1
    for (x, y) in [
      (x, y), (Array(x.dropFirst()), y), ([0] + x, y), ([], y), (x, []), ([UInt8](repeating: 0xFF, count: 32), y),
    ] as [([UInt8], [UInt8])] {
      let key: CBORValue = [1: 2, 3: -7, -1: 1, -2: .bytes(x), -3: .bytes(y)]
      #expect(throws: WebAuthnVerificationError(.publicKeyInvalid)) {
        try WebAuthnPublicKey(coseBytes: key.encoded())
      }
    }
    let compressed: CBORValue = [1: 2, 3: -7, -1: 1, -2: .bytes(x), -3: true]
    #expect(throws: WebAuthnVerificationError(.publicKeyInvalid)) {
      try WebAuthnPublicKey(coseBytes: compressed.encoded())
    }
  }
}
