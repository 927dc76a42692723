import AuthenticatorCBOR
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorRelyingParty
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import DeviceAuthenticators
import TestCertificates
import Testing

@Suite("Attestation") struct AttestationMakingTests {
  private func made(
    _ policy: WebAuthnPlatformConfiguration.AttestationPolicy, formats: [AttestationStatementFormat] = []
  ) async throws -> AttestationObject {
    var platform = try Platform(.match())
    platform.configuration.attestation = policy
    platform.configuration.aaguid = try #require(AAGUID(Array(1...16)))
    var request = try platform.creation()
    request.attestationFormats = formats
    return try await platform.authenticator().makeCredential(request).attestationObject
  }

  @Test func signsItselfUnlessTold() async throws {
    let object = try await made(.selfSigned)
    #expect(object.format == .packed)
    let statement = try #require(object.statement.mapValue)
    #expect(statement.keys == ["alg", "sig"])
    let key = try #require(object.authenticatorData.attestedCredentialData?.credentialPublicKey)
    let signature = try Signature(der: try #require(statement["sig"]?.bytesValue), algorithm: .es256)
    #expect(
      try Verifier(key.publicKey, algorithm: .es256)
        .isValidSignature(signature, for: object.authenticatorData.rawBytes + SHA256.hash([1, 2, 3])))
  }

  @Test func theRelyingPartysFirstSupportedFormatDecides() async throws {
    #expect(try await made(.selfSigned, formats: [.apple, .none, .packed]).format == .none)
    #expect(try await made(.selfSigned, formats: [.tpm, .packed]).format == .packed)
    #expect(try await made(.none, formats: [.packed]).format == .none)
    #expect(try await made(.none).statement == [:])
  }

  @Test func keepsItsModelWithoutAStatement() async throws {
    let object = try await made(.selfSigned, formats: [.none])
    #expect(object.authenticatorData.attestedCredentialData?.aaguid.bytes == Array(1...16))
  }

  @Test func aKeyOfItsOwnVouchesWithCertificates() async throws {
    let key = try PrivateKey.generate(.es384)
    let root = try TestCertificate.authority()
    let leaf = try attestationLeaf(key, root)
    let object = try await made(.certified(AttestationKey(certificates: [leaf], key: key)))
    let statement = try #require(object.statement.mapValue)
    #expect(statement["alg"] == -35)
    #expect(statement["x5c"] == [.bytes(leaf)])
    let signature = try Signature(der: try #require(statement["sig"]?.bytesValue), algorithm: .es384)
    #expect(
      try Verifier(key.publicKey, algorithm: .es384)
        .isValidSignature(signature, for: object.authenticatorData.rawBytes + SHA256.hash([1, 2, 3])))
  }

  @Test func aKeyThatIsNotTheCertificatesIsRefused() throws {
    let root = try TestCertificate.authority()
    let leaf = try attestationLeaf(PrivateKey.generate(.es256), root)
    #expect(throws: CryptoError(.invalidKey, "")) {
      try AttestationKey(certificates: [leaf], key: try PrivateKey.generate(.es256))
    }
    #expect(throws: CryptoError(.invalidKey, "")) {
      try AttestationKey(certificates: [], key: try PrivateKey.generate(.es256))
    }
  }

  /// Looked at before any credential is made.
  @Test func certificatesThatCannotVouchAreToldBefore() throws {
    let (root, other) = (try TestCertificate.authority(), try TestCertificate.authority("Other"))
    var intermediate = try TestCertificate(subject: [("2.5.4.3", "Intermediate")])
    intermediate.extensions = root.extensions
    let now: Int64 = 1_800_000_000
    func complaint(
      notBefore: String = "240101000000Z", notAfter: String = "340101000000Z", by issuer: TestCertificate,
      _ rest: X509Certificate...
    ) throws -> String? {
      let leaf = try attestationLeaf(try PrivateKey.generate(.es256), issuer, notBefore: notBefore, notAfter: notAfter)
      return AttestationFitness.complaint(about: [try X509Certificate(derRepresentation: leaf)] + rest, at: now)
    }
    let second = try intermediate.certificate(issuer: root)
    #expect(try complaint(by: root) == nil)
    #expect(try complaint(by: intermediate, second) == nil)
    #expect(try complaint(by: intermediate, second, root.certificate()) == nil)
    #expect(try complaint(notAfter: "270114000000Z", by: root) == "certificate 1 has expired")
    #expect(try complaint(notBefore: "270116000000Z", by: root) == "certificate 1 is not valid yet")
    intermediate.notAfter = "270114000000Z"
    #expect(try complaint(by: intermediate, intermediate.certificate(issuer: root)) == "certificate 2 has expired")
    #expect(try complaint(by: root, other.certificate()) == "certificate 2 does not vouch for the one before it")
    #expect(
      try complaint(by: intermediate, second, other.certificate())
        == "certificate 3 does not vouch for the one before it")
  }

  @Test func certificatesThatNoAttestationObjectCouldHoldAreRefused() async throws {
    let key = try PrivateKey.generate(.es256)
    let leaf = try attestationLeaf(key, try TestCertificate.authority())
    let room = AttestationKey.maximumCertificateBytes - leaf.count
    #expect(throws: CryptoError(.invalidKey, "")) {
      try AttestationKey(certificates: [leaf, [UInt8](repeating: 1, count: room + 1)], key: key)
    }
    // What is not refused is made, read again and known to the caller.
    var platform = try Platform(.match())
    platform.configuration.attestation = .certified(
      try AttestationKey(certificates: [leaf, [UInt8](repeating: 1, count: room)], key: key))
    var options = OptionsJSON.creation
    options["attestation"] = "direct"
    options["pubKeyCredParams"] = [["type": "public-key", "alg": -257]]
    let json = try await platform.client().create(json: .object(options), caller: ClientCreateTests.caller)
    #expect(try RegistrationResponse(json: json).id.bytes == (await platform.records().first?.externalID))
  }

  /// A provider's chain has no bound of its own.
  @Test func anAttestationObjectThatNobodyCouldReadMakesNoCredential() async throws {
    let device = try TestDevice(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], steps: [.match(), .match()]), instance: "",
      providers: [CertifyingProvider(chain: [[UInt8](repeating: 8, count: 65_536)])])
    let authenticator = WebAuthnPlatformAuthenticator(
      wrapping: BiometricOnlyAuthenticator(context: device.context),
      configuration: WebAuthnPlatformConfiguration(attestation: .none))
    let old = try await authenticator.makeCredential(try Platform().creation()).credential
    authenticator.configuration.attestation = .tpm
    #expect(await code { try await authenticator.makeCredential(try Platform().creation()) } == .keyGenerationFailed)
    let records = try await device.store.records(matching: .everything)
    #expect(records.map(\.tag) == [old.record.tag] && records.map(\.state) == [.active])
  }

  @Test func aCredentialWhoseResponseCannotBeHandedOverIsTakenBack() async throws {
    let platform = try Platform(.match(), .match())
    let client = try await platform.client()
    let old = try await client.create(
      try PublicKeyCredentialCreationOptions(json: .object(OptionsJSON.creation)), caller: ClientCreateTests.caller)
    var new = try await client.create(
      try PublicKeyCredentialCreationOptions(json: .object(OptionsJSON.creation)), caller: ClientCreateTests.caller)
    new.attestationObject = []
    let response = new
    await #expect(throws: WebAuthnDataError(.attestationObjectNotAMap)) {
      try await client.authenticator.handingOver(response) { try response.json() }
    }
    #expect(try await platform.records().map(\.externalID) == [old.id.bytes])
  }

  @Test func whatTheProviderCertifiesBecomesATPMStatement() async throws {
    let device = try TestDevice(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], steps: [.match()]), instance: "",
      providers: [CertifyingProvider()])
    let authenticator = WebAuthnPlatformAuthenticator(
      wrapping: BiometricOnlyAuthenticator(context: device.context),
      configuration: WebAuthnPlatformConfiguration(attestation: .tpm))
    let object = try await authenticator.makeCredential(try Platform().creation()).attestationObject
    #expect(object.format == .tpm)
    let statement = try #require(object.statement.mapValue)
    #expect(statement.keys == ["alg", "sig", "ver", "x5c", "pubArea", "certInfo"])
    #expect(statement["certInfo"] == .bytes(SHA256.hash(object.authenticatorData.rawBytes + SHA256.hash([1, 2, 3]))))
    #expect(statement["pubArea"] == .bytes([9]) && statement["alg"] == -257 && statement["ver"] == "2.0")
  }

  @Test func withoutACertifyingProviderThereIsNoStatement() async throws {
    #expect(try await made(.tpm).format == .none)
    #expect(try await made(.tpm, formats: [.tpm, .packed]).format == .none)
    #expect(try await made(.tpm, formats: [.packed]).format == .packed)
  }
}

/// A leaf as the packed format wants it.
func attestationLeaf(
  _ key: PrivateKey, _ issuer: TestCertificate, notBefore: String = "240101000000Z", notAfter: String = "340101000000Z"
) throws -> [UInt8] {
  var leaf = try TestCertificate(
    subject: [
      ("2.5.4.6", "DE"), ("2.5.4.10", "Example"), ("2.5.4.11", "Authenticator Attestation"), ("2.5.4.3", "Leaf"),
    ], key: key)
  leaf.notBefore = notBefore
  leaf.notAfter = notAfter
  leaf.extensions = [
    (TestCertificate.basicConstraints, true, TestCertificate.basicConstraints(isAuthority: false))
  ]
  return try leaf.encoded(issuer: issuer)
}

/// States the data it was given, so that a test sees it.
private struct CertifyingProvider: AttestingKeyProvider {
  var chain: [[UInt8]] = [[8]]
  private let hardware = EmulatedHardware(residence: .tpm)
  var residence: KeyProtection.Residence { hardware.residence }
  var isHardware: Bool { true }
  var algorithms: Set<SignatureAlgorithm> { hardware.algorithms }
  var storage: MaterialStorage { .blob }

  func make(
    _ algorithm: SignatureAlgorithm, name: KeyTag, access: KeyAccess, authorization: KeyAuthorization
  ) async throws -> (material: KeyMaterial, publicKey: PublicKey) {
    try await hardware.make(algorithm, name: name, access: access, authorization: authorization)
  }

  func sign(
    _ message: [UInt8], with material: KeyMaterial, algorithm: SignatureAlgorithm, authorization: KeyAuthorization
  ) async throws -> Signature {
    try await hardware.sign(message, with: material, algorithm: algorithm, authorization: authorization)
  }

  func presence(of material: KeyMaterial) async throws -> Bool { true }
  func destroy(_ material: KeyMaterial) async throws {}

  func certify(_ material: KeyMaterial, qualifyingData: [UInt8]) async throws -> KeyCertification {
    KeyCertification(
      statement: qualifyingData, signature: [7], algorithm: .rs256, publicArea: [9], chain: chain)
  }
}
