import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestCertificates
import Testing

/// The statement formats, each from a valid statement of which one part is bent.
@Suite struct AttestationTests {
  static func authority() throws -> TestCertificate { try TestCertificate.authority("Attestation Root") }

  /// What a relying party that asks for attestation says; nil: it accepts.
  func verdict(
    _ response: ReceivedRegistration, root: TestCertificate? = nil, at time: Int64 = Ceremony.now,
    rule: AndroidKeyRule = .softwareOrTrustedEnvironment
  ) throws -> Code? {
    var expectation = RegistrationExpectation(ceremony: Ceremony.expectation, attestation: .direct)
    expectation.androidKeyRule = rule
    if let root { expectation.trustAnchors = try TrustAnchors([try root.certificate()]) }
    return refusal { () throws(WebAuthnVerificationError) in try expectation.verify(response, at: time) }
  }

  func expect(
    _ code: Code?, _ attestation: some TestAttestation, at time: Int64 = Ceremony.now,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let found = try verdict(try attestation.response(), root: attestation.root, at: time)
    #expect(found == code, sourceLocation: location)
  }

  // MARK: - none

  @Test func noneHasAnEmptyStatement() throws {
    let ceremony = try Ceremony()
    let expectation = RegistrationExpectation(ceremony: Ceremony.expectation)
    for statement in [["x": 1], [], "none"] as [CBORValue] {
      let code = refusal { () throws(WebAuthnVerificationError) in
        try expectation.verify(ceremony.registration(statement: statement), at: Ceremony.now)
      }
      #expect(code == .attestationStatementMalformed)
    }
  }

  // MARK: - packed

  @Test func packedSelfIsSignedByTheCredential() throws {
    let ceremony = try Ceremony()
    #expect(try verdict(try ceremony.selfAttested()) == nil)
    let signature = try ceremony.key.sign(ceremony.signedBytes).derRepresentation
    let stranger = try PrivateKey.generate(.es256).sign(ceremony.signedBytes).derRepresentation
    func code(_ statement: CBORValue) throws -> Code? {
      try verdict(ceremony.registration(format: "packed", statement: statement))
    }
    #expect(try code(["alg": -7, "sig": .bytes(stranger)]) == .attestationSignatureInvalid)
    #expect(try code(["alg": -7, "sig": .bytes([])]) == .attestationSignatureInvalid)
    #expect(try code(["alg": -35, "sig": .bytes(signature)]) == .attestationAlgorithmMismatch)
    #expect(try code(["sig": .bytes(signature)]) == .attestationStatementMalformed)
    #expect(try code(["alg": -7]) == .attestationStatementMalformed)
    #expect(try code(["alg": "ES256", "sig": .bytes(signature)]) == .attestationStatementMalformed)
    #expect(try code(["alg": -7, "sig": "text"]) == .attestationStatementMalformed)
    #expect(
      try code(["alg": -7, "sig": .bytes(signature), "ecdaaKeyId": .bytes([1])]) == .attestationStatementMalformed)
  }

  @Test func packedWithCertificateNeedsAnAnchor() throws {
    var packed = try TestPackedAttestation()
    try expect(nil, packed)
    #expect(try verdict(try packed.response()) == .attestationUntrusted)
    #expect(try verdict(try packed.response(), root: try Self.authority()) == .attestationUntrusted)
    try expect(.attestationCertificateExpired, packed, at: 2_100_000_000)
    try expect(.attestationCertificateExpired, packed, at: 1_000_000_000)
    packed.signer = try PrivateKey.generate(.es256)
    try expect(.attestationSignatureInvalid, packed)
  }

  @Test func trustIsToldEvenWhereItIsNotAskedFor() throws {
    let packed = try TestPackedAttestation()
    var expectation = RegistrationExpectation(ceremony: Ceremony.expectation)
    #expect(
      try expectation.verify(try packed.response(), at: Ceremony.now).credential.attestation
        == AttestationSummary(format: "packed", type: .basic, isTrusted: false))
    expectation.trustAnchors = try TrustAnchors([try packed.root.certificate()])
    let verdict = try expectation.verify(try packed.response(), at: Ceremony.now)
    #expect(verdict.credential.attestation == AttestationSummary(format: "packed", type: .basic, isTrusted: true))
    #expect(verdict.attestationCertificates.count == 1)
    // Even a wrong signature is refused where trust does not matter.
    var bent = packed
    bent.signer = try PrivateKey.generate(.es256)
    #expect(throws: WebAuthnVerificationError(.attestationSignatureInvalid)) {
      try expectation.verify(try bent.response(), at: Ceremony.now)
    }
  }

  @Test func heedsRevocationLists() throws {
    let packed = try TestPackedAttestation()
    let response = try packed.response()
    func code(
      _ lists: [TestRevocationList], required: Bool = false,
      _ attestation: RegistrationExpectation.AttestationRequirement = .direct
    ) throws -> Code? {
      var expectation = RegistrationExpectation(ceremony: Ceremony.expectation, attestation: attestation)
      expectation.trustAnchors = try TrustAnchors(
        [try packed.root.certificate()], revocationLists: try lists.map { try $0.list() })
      expectation.requiresRevocationLists = required
      return refusal { () throws(WebAuthnVerificationError) in try expectation.verify(response, at: Ceremony.now) }
    }
    let serial = packed.leaf.serialNumber
    let revoking = TestRevocationList(of: packed.root, revoking: serial)
    #expect(try code([]) == nil && code([TestRevocationList(of: packed.root)], required: true) == nil)
    #expect(try code([revoking]) == .attestationCertificateRevoked)
    #expect(try code([revoking], required: true) == .attestationCertificateRevoked)
    #expect(try code([], required: true) == .attestationRevocationUnknown)
    // Where trust does not matter, it is not given.
    #expect(try code([revoking], .none) == nil)
  }

  @Test func packedChecksItsCertificate() throws {
    let valid = try TestPackedAttestation()
    let bends: [(Code, (inout TestCertificate) -> Void)] = [
      (
        .attestationCertificateInvalid,
        {
          $0.version = 1
          $0.extensions = []
        }
      ),
      (.attestationCertificateInvalid, { $0.subject[0].text = "DEU" }),
      (.attestationCertificateInvalid, { $0.subject[0].text = "1A" }),
      (.attestationCertificateInvalid, { $0.subject.remove(at: 0) }),
      (.attestationCertificateInvalid, { $0.subject.remove(at: 1) }),
      (.attestationCertificateInvalid, { $0.subject[2].text = "authenticator attestation" }),
      (.attestationCertificateInvalid, { $0.subject.remove(at: 2) }),
      (.attestationCertificateInvalid, { $0.subject.remove(at: 3) }),
      (.attestationCertificateInvalid, { $0.extensions.remove(at: 0) }),
      (
        .attestationCertificateInvalid, { $0.extensions[0].value = TestCertificate.basicConstraints(isAuthority: true) }
      ),
      (.attestationCertificateInvalid, { $0.extensions[1].isCritical = true }),
      (.attestationCertificateInvalid, { $0.extensions[1].value = [0x04, 0x01, 0xA0] }),
      (
        .attestationAAGUIDMismatch,
        { $0.extensions[1].value = DERWriting.octets([UInt8](repeating: 0xA1, count: 16)) }
      ),
    ]
    for (number, (code, bend)) in bends.enumerated() {
      var packed = valid
      bend(&packed.leaf)
      let found = try verdict(try packed.response(), root: packed.root)
      #expect(found == code, "bend \(number)")
    }
    var packed = valid
    packed.leaf.extensions.remove(at: 1)  // the model may be left out
    try expect(nil, packed)
  }

  @Test func packedAlgorithmMustBeOneOfTheCertificatesKey() throws {
    var packed = try TestPackedAttestation()
    for algorithm in [-35, -257, -8, -65535, -47, 7] {
      packed.algorithm = algorithm
      try expect(.attestationAlgorithmMismatch, packed)
    }
    packed.algorithm = -9
    try expect(nil, packed)
  }

  @Test func certificatesAreAList() throws {
    let packed = try TestPackedAttestation()
    let leaf = try packed.leaf.encoded(issuer: packed.root)
    let bends: [(Code, CBORValue)] = [
      (.attestationStatementMalformed, []), (.attestationStatementMalformed, .bytes(leaf)),
      (.attestationStatementMalformed, ["text"]), (.attestationCertificateInvalid, [.bytes(Array(leaf.dropLast()))]),
      (.attestationStatementMalformed, .array([CBORValue](repeating: .bytes(leaf), count: 11))),
    ]
    for (code, list) in bends {
      var bent = packed
      bent.certificates = list
      try expect(code, bent)
    }
  }
}
