import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestCertificates
import Testing

@Suite struct ModelPolicyTests {
  private typealias TestBLOB = MetadataTests.TestBLOB

  private let model = [UInt8](repeating: 0xA0, count: 16)
  private let packed: TestPackedAttestation

  init() throws { packed = try TestPackedAttestation() }

  /// A list with the model and the root of `packed`.
  private func blob(_ statuses: [(String, String?)] = [("FIDO_CERTIFIED_L1", "2020-01-01")]) throws -> MetadataBLOB {
    try TestBLOB(model: model, statuses: statuses, roots: [try packed.root.encoded()]).read()
  }

  private func verdict(
    _ policy: ModelPolicy, _ response: ReceivedRegistration, at time: Int64 = Ceremony.now,
    _ attestation: RegistrationExpectation.AttestationRequirement = .direct, anchors: TrustAnchors? = nil
  ) -> Code? {
    let expectation = RegistrationExpectation(
      ceremony: Ceremony.expectation, attestation: attestation, trustAnchors: anchors, modelPolicy: policy)
    return refusal { () throws(WebAuthnVerificationError) in try expectation.verify(response, at: time) }
  }

  @Test func theModelsRootsVouchForIt() throws {
    let response = try packed.response()
    #expect(verdict(ModelPolicy(metadata: try blob()), response) == nil)
    #expect(verdict(ModelPolicy(metadata: try TestBLOB(model: model).read()), response) == .attestationUntrusted)
  }

  /// Anybody can write the AAGUID of a good model.
  @Test(arguments: [RegistrationExpectation.AttestationRequirement.none, .indirect, .direct, .enterprise])
  func aClaimedModelIsNotBelieved(_ attestation: RegistrationExpectation.AttestationRequirement) throws {
    let policy = ModelPolicy(metadata: try blob(), requiredStatuses: [.certified])
    var ceremony = try Ceremony()
    ceremony.aaguid = model
    #expect(verdict(policy, ceremony.registration(), attestation) == .attestationMissing)
    #expect(verdict(policy, try ceremony.selfAttested(), attestation) == .attestationUntrusted)
    let forged = try TestPackedAttestation()
    #expect(verdict(policy, try forged.response(), attestation) == .attestationUntrusted)
    // What the caller trusts vouches for its own models, not for this one.
    let anchors = try TrustAnchors([try forged.root.certificate()])
    #expect(verdict(policy, try forged.response(), attestation, anchors: anchors) == .attestationUntrusted)
    #expect(verdict(policy, try packed.response(), attestation, anchors: anchors) == nil)
  }

  @Test func aModelWithoutCertificatesMayAttestItself() throws {
    let blob = try TestBLOB(model: model, attestationTypes: ["basic_surrogate"]).read()
    var ceremony = try Ceremony()
    ceremony.aaguid = model
    #expect(verdict(ModelPolicy(metadata: blob), try ceremony.selfAttested()) == nil)
    #expect(verdict(ModelPolicy(metadata: blob), ceremony.registration(), .none) == .attestationMissing)
    #expect(verdict(ModelPolicy(metadata: blob), try packed.response()) == .attestationUntrusted)
  }

  @Test func unknownModelsAreRefusedUnlessAccepted() throws {
    let response = try Ceremony().selfAttested()
    var policy = ModelPolicy(metadata: try TestBLOB(model: [UInt8](repeating: 1, count: 16)).read())
    #expect(verdict(policy, response) == .modelUnknown)
    policy.acceptsUnknownModels = true
    #expect(verdict(policy, response) == nil)
    #expect(verdict(policy, try packed.response()) == .attestationUntrusted)
    let anchors = try TrustAnchors([try packed.root.certificate()])
    #expect(verdict(policy, try packed.response(), anchors: anchors) == nil)
  }

  @Test(arguments: [
    "REVOKED", "USER_VERIFICATION_BYPASS", "ATTESTATION_KEY_COMPROMISE", "USER_KEY_REMOTE_COMPROMISE",
    "USER_KEY_PHYSICAL_COMPROMISE",
  ])
  func brokenModelsAreRefusedFromTheDayItHolds(status: String) throws {
    let blob = try blob([("FIDO_CERTIFIED", nil), (status, "2027-01-15")])
    let response = try packed.response()
    // 2027-01-15T08:00:00Z, and the day before.
    #expect(verdict(ModelPolicy(metadata: blob), response) == .modelNotAllowed)
    #expect(verdict(ModelPolicy(metadata: blob), response, at: Ceremony.now - 86_400) == nil)
    #expect(verdict(ModelPolicy(metadata: blob, refusedStatuses: []), response) == nil)
  }

  @Test func aStatusCanBeRequired() throws {
    let response = try packed.response()
    let plain = try blob([("NOT_FIDO_CERTIFIED", nil)])
    #expect(verdict(ModelPolicy(metadata: try blob(), requiredStatuses: [.certified]), response) == nil)
    #expect(verdict(ModelPolicy(metadata: plain, requiredStatuses: [.certified]), response) == .modelNotAllowed)
  }

  // MARK: - Models of U2F, which have no AAGUID

  /// A list whose one model is named by the key of its attestation certificate.
  private func blob(_ u2f: TestU2FAttestation, key: [UInt8]? = nil, status: String = "FIDO_CERTIFIED") throws
    -> MetadataBLOB
  {
    var blob = try TestBLOB(model: model)
    let point = try #require(u2f.leaf.key.publicKey.x963Representation)
    let name = Hex.encode(key ?? LegacyAttestation.digest(of: point, .sha1))
    blob.entries = [
      [
        "attestationCertificateKeyIdentifiers": [.string(name)], "statusReports": [["status": .string(status)]],
        "metadataStatement": [
          "attestationRootCertificates": [.string(Base64.encode(try u2f.root.encoded()))],
          "attestationTypes": ["basic_full"],
        ],
      ]
    ]
    return try blob.read()
  }

  @Test func aModelOfU2FIsFoundByItsCertificatesKey() throws {
    let u2f = try TestU2FAttestation()
    let response = try u2f.response()
    #expect(verdict(ModelPolicy(metadata: try blob(u2f)), response) == nil)
    #expect(verdict(ModelPolicy(metadata: try blob(u2f, status: "REVOKED")), response) == .modelNotAllowed)
    #expect(verdict(ModelPolicy(metadata: try blob(u2f, key: [1, 2, 3])), response) == .modelUnknown)
    // Accepting unknown models does not let a known, revoked one pass.
    let policy = ModelPolicy(metadata: try blob(u2f, status: "REVOKED"), acceptsUnknownModels: true)
    #expect(verdict(policy, response) == .modelNotAllowed)
  }

  @Test func aNameOfAKeyThatIsNotHexadecimalIsMalformed() throws {
    var list = try TestBLOB(model: model)
    list.entries = [["attestationCertificateKeyIdentifiers": ["xyz"], "statusReports": []]]
    #expect(throws: MetadataError.malformed) { try list.read() }
    list.entries = [["attestationCertificateKeyIdentifiers": ["ab"]]]
    #expect(throws: MetadataError.malformed) { try list.read() }
  }
}
