import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestCertificates
import Testing

extension AttestationTests {
  // MARK: - fido-u2f

  @Test func u2fSignsItsOwnMessage() throws {
    let valid = try TestU2FAttestation()
    try expect(nil, valid)
    var bent = valid
    bent.signer = try PrivateKey.generate(.es256)
    try expect(.attestationSignatureInvalid, bent)
    bent = valid
    bent.hasTwoCertificates = true
    try expect(.attestationStatementMalformed, bent)
    bent = valid
    bent.leaf = try TestCertificate(subject: valid.leaf.subject, key: try PrivateKey.generate(.es384))
    try expect(.attestationCertificateInvalid, bent)
    bent = try TestU2FAttestation(ceremony: try Ceremony(.edDSA))
    try expect(.attestationKeyMismatch, bent)
  }

  // MARK: - apple

  @Test func appleBindsNonceAndKey() throws {
    let valid = try TestAppleAttestation()
    try expect(nil, valid)
    var bent = valid
    bent.hasAlgorithm = true
    try expect(nil, bent)
    bent = valid
    bent.nonce = [UInt8](repeating: 1, count: 32)
    try expect(.attestationChallengeMismatch, bent)
    bent.nonce = [1]
    try expect(.attestationCertificateInvalid, bent)
    bent.nonce = []
    try expect(.attestationCertificateInvalid, bent)
    bent = valid
    bent.certifiedKey = try PrivateKey.generate(.es256).publicKey
    try expect(.attestationKeyMismatch, bent)
  }

  // MARK: - android-key

  @Test func androidKeyMustBeGeneratedThereForSigning() throws {
    let valid = try TestAndroidAttestation()
    try expect(nil, valid)
    let bends: [(Code, (inout TestAndroidAttestation) -> Void)] = [
      (.attestationKeyUseNotAllowed, { $0.trusted = [] }),
      (.attestationKeyUseNotAllowed, { $0.trusted = [.purpose(2)] }),
      (.attestationKeyUseNotAllowed, { $0.trusted = [.origin(0)] }),
      (.attestationKeyUseNotAllowed, { $0.trusted = [.purpose(3), .origin(0)] }),
      (.attestationKeyUseNotAllowed, { $0.trusted = [.purpose(2), .origin(2)] }),
      (.attestationKeyUseNotAllowed, { $0.software = [.origin(1)] }),
      (.attestationKeyUseNotAllowed, { $0.software = [.allApplications] }),
      (.attestationKeyUseNotAllowed, { $0.trusted.append(.allApplications) }),
      (.attestationChallengeMismatch, { $0.challenge = [1, 2, 3] }),
      (.attestationCertificateInvalid, { $0.hasDescription = false }),
      (.attestationKeyMismatch, { $0.usesAnotherKey = true }),
      (.attestationAlgorithmMismatch, { $0.algorithm = -257 }),
    ]
    for (number, (code, bend)) in bends.enumerated() {
      var bent = valid
      bend(&bent)
      let found = try verdict(try bent.response(), root: bent.root)
      #expect(found == code, "bend \(number)")
    }
  }

  @Test func androidPropertiesOfSoftwareCountOnlyWhereAllowed() throws {
    var attestation = try TestAndroidAttestation()
    (attestation.software, attestation.trusted) = (attestation.trusted, [])
    try expect(nil, attestation)
    let strict = try verdict(try attestation.response(), root: attestation.root, rule: .trustedEnvironment)
    #expect(strict == .attestationKeyUseNotAllowed)
  }

  // MARK: - tpm

  @Test(arguments: [SignatureAlgorithm.es256, .es384, .rs256])
  func tpmCertifiesTheCredential(algorithm: SignatureAlgorithm) throws {
    try expect(nil, try TestTPMAttestation(ceremony: try Ceremony(algorithm)))
  }

  @Test func tpmChecksItsStructures() throws {
    let valid = try TestTPMAttestation()
    let stranger = try PrivateKey.generate(.es256)
    let bends: [(Code, (inout TestTPMAttestation) -> Void)] = [
      (.attestationStatementMalformed, { $0.version = "1.2" }),
      (.attestationStatementMalformed, { $0.magic = 0xFF54_4346 }),
      (.attestationStatementMalformed, { $0.type = 0x8014 }),
      (.attestationStatementMalformed, { $0.leftover = [0] }),
      (.attestationChallengeMismatch, { $0.extraData = [UInt8](repeating: 0, count: 32) }),
      (.attestationKeyMismatch, { $0.name = [0x00, 0x0B] + [UInt8](repeating: 0, count: 32) }),
      (.attestationKeyMismatch, { $0.publicAreaKey = stranger.publicKey }),
      (.attestationSignatureInvalid, { $0.signer = stranger }),
      (.attestationAlgorithmMismatch, { $0.algorithm = -8 }),
      (.attestationCertificateInvalid, { $0.leaf.subject = [("2.5.4.3", "TPM")] }),
      (.attestationCertificateInvalid, { $0.leaf.extensions[1].isCritical = false }),
      (.attestationCertificateInvalid, { $0.leaf.extensions.remove(at: 1) }),
      (.attestationCertificateInvalid, { $0.leaf.extensions.remove(at: 2) }),
      (.attestationCertificateInvalid, { $0.leaf.extensions.remove(at: 0) }),
      (
        .attestationCertificateInvalid,
        { $0.leaf.extensions[1].value = TestTPMAttestation.alternativeName(manufacturer: "AMD") }
      ),
      (
        .attestationAAGUIDMismatch,
        { $0.leaf.extensions.append(("1.3.6.1.4.1.45724.1.1.4", false, DERWriting.octets([UInt8](1...16)))) }
      ),
    ]
    for (number, (code, bend)) in bends.enumerated() {
      var bent = valid
      bend(&bent)
      let found = try verdict(try bent.response(), root: bent.root)
      #expect(found == code, "bend \(number)")
    }
  }

  @Test func everyPrefixOfATPMStructureIsRefused() throws {
    let valid = try TestTPMAttestation()
    for count in 0..<valid.certInfo.count {
      var bent = valid
      bent.certInfoPrefix = count
      #expect(try verdict(try bent.response(), root: bent.root) == .attestationStatementMalformed)
    }
    for count in 0..<valid.publicArea.count {
      var bent = valid
      bent.publicAreaPrefix = count
      #expect(try verdict(try bent.response(), root: bent.root) == .attestationStatementMalformed)
    }
  }

  // MARK: - compound

  @Test func compoundVerifiesEachPart() throws {
    let packed = try TestPackedAttestation()
    let (ceremony, root) = (packed.ceremony, packed.root)
    let own: CBORValue = [
      "fmt": "packed",
      "attStmt": ["alg": -7, "sig": .bytes(try ceremony.key.sign(ceremony.signedBytes).derRepresentation)],
    ]
    let certified: CBORValue = ["fmt": "packed", "attStmt": try packed.statement()]
    func code(_ statement: CBORValue) throws -> Code? {
      try verdict(ceremony.registration(format: "compound", statement: statement), root: root)
    }
    #expect(try code([own, certified]) == nil)
    #expect(try code([certified]) == .attestationStatementMalformed)
    #expect(try code([own, ["fmt": "compound", "attStmt": [own, own]]]) == .attestationStatementMalformed)
    #expect(
      try code([own, ["fmt": "packed", "attStmt": ["alg": -7, "sig": .bytes([1])]]])
        == .attestationSignatureInvalid)
  }
}
