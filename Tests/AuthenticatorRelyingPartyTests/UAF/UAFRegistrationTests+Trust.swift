import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestCertificates
import TestUAF
import Testing

/// What the policy admits, and who vouches for a model.
extension UAFRegistrationTests {
  // MARK: Policy

  @Test func refusesWhatThePolicyDoesNotAdmit() throws {
    var ceremony = try UAFCeremony()
    ceremony.policy = UAFAcceptancePolicy(anyOf: ["FFFF#F002"])
    #expect(try uafRefusal { try ceremony.register() } == .policyMismatch)
    ceremony.policy = UAFAcceptancePolicy(
      accepted: [[UAFAcceptanceCriteria(aaids: ["FFFF#F001"])]],
      disallowed: [UAFAcceptanceCriteria(aaids: ["FFFF#F001"])])
    #expect(try uafRefusal { try ceremony.register() } == .policyMismatch)
    var preferring = UAFAcceptanceCriteria(aaids: ["FFFF#F001"])
    preferring.aaids = nil
    preferring.attestationTypes = [15879]
    ceremony.policy = UAFAcceptancePolicy(accepted: [[preferring]])
    #expect(try uafRefusal { try ceremony.register() } == .policyMismatch)
    preferring.attestationTypes = [15879, 15880]
    ceremony.policy = UAFAcceptancePolicy(accepted: [[preferring]])
    #expect(try uafRefusal { try ceremony.register() } == nil)
    ceremony.metadata = { $0["attestationTypes"] = [15880, 15879] }
    #expect(try uafRefusal { try ceremony.register() } == .attestationTypeNotAllowed)
    ceremony.metadata = { $0["attestationTypes"] = [15879] }
    #expect(try uafRefusal { try ceremony.register() } == .attestationTypeNotAllowed)
  }

  @Test func aSetMustBeServedWholly() throws {
    var ceremony = try UAFCeremony()
    let first = ceremony.authenticator
    var other = try TestUAFAuthenticator()
    other.aaid = "FFFF#F002"
    let second = other
    ceremony.party.models = try UAFModels(json: [.object(first.metadata()), .object(second.metadata())])
    let both = [UAFAcceptanceCriteria(aaids: ["FFFF#F002"]), UAFAcceptanceCriteria(aaids: ["FFFF#F001"])]
    ceremony.policy = UAFAcceptancePolicy(accepted: [both])
    #expect(try uafRefusal { try ceremony.register() } == .policyMismatch)
    let (party, client) = (try ceremony.prepared(), ceremony.client)
    func verdict(_ party: UAFRelyingParty, bend: TestUAFAuthenticator.Bend = { _ in }) throws -> UAFRegistrationVerdict
    {
      let issued = try party.registrationRequest(for: "u1", username: "mira", at: UAFCeremony.now)
      let request = try JSONValue.parse(issued.message)
      let final = client.finalChallenge(for: request)
      let assertions = [
        try first.registration(finalChallengeHash: final.hash),
        try second.registration(finalChallengeHash: final.hash, bend),
      ]
      let response = client.response(to: request, finalChallenge: final.text, assertions: assertions)
      let received = try UAFReceivedResponse(json: [.object(response)])
      return try party.expectation(try party.pending(received, at: UAFCeremony.now))
        .verifyRegistration(received, at: 0)
    }
    #expect(try verdict(party).registrations.map(\.aaid) == ["FFFF#F002", "FFFF#F001"])
    // One failed assertion leaves the set incomplete; where one suffices, the other goes on.
    let broken: TestUAFAuthenticator.Bend = { $0.message = { $0 + [0] } }
    #expect(try uafRefusal { try verdict(party, bend: broken) } == .attestationSignatureInvalid)
    var either = party
    either.policy = UAFAcceptancePolicy(anyOf: ["FFFF#F001", "FFFF#F002"])
    let partial = try verdict(either, bend: broken)
    #expect(partial.registrations.map(\.aaid) == ["FFFF#F001"])
    #expect(partial.refused.map(\.error.code) == [.attestationSignatureInvalid])
    #expect(partial.refused.map(\.aaid) == ["FFFF#F002"])
    // What no set needs is not registered in passing.
    #expect(try verdict(either).registrations.map(\.aaid) == ["FFFF#F001"])
  }

  // MARK: Attestation

  /// A model with a root, an authority below it, and a certificate for the attestation key.
  private func attested(
    _ adjust: (inout TestCertificate) -> Void = { _ in }
  ) throws -> (ceremony: UAFCeremony, root: [UInt8]) {
    let (root, middle) = (try TestCertificate.authority("Root"), try TestCertificate.authority("Middle"))
    var leaf = try TestCertificate(subject: [("2.5.4.3", "Attestation")])
    adjust(&leaf)
    var ceremony = try UAFCeremony()
    ceremony.authenticator.attestation = (
      leaf.key, 0x0001, [try leaf.encoded(issuer: middle), try middle.encoded(issuer: root)]
    )
    ceremony.roots = [try root.encoded()]
    return (ceremony, try root.encoded())
  }

  @Test func believesABasicAttestationOfTheModelsRoot() throws {
    let (ceremony, _) = try attested()
    #expect(try ceremony.record().attestationType == 15879)
  }

  @Test func readsTheModelInTheCertificate() throws {
    let type = "1.3.6.1.4.1.45724.1.1.1"
    for (value, code): ([UInt8], UAFVerificationError.Code?) in [
      (DERWriting.text("FFFF#F001"), nil), (DERWriting.text("ffff#f001", tag: 0x16), nil),
      (DERWriting.octets(Array("FFFF#F001".utf8)), nil), (DERWriting.text("FFFF#F002"), .attestationModelMismatch),
      (DERWriting.text("FFFF"), .attestationModelMismatch), (DERWriting.integer(1), .attestationCertificateInvalid),
      ([], .attestationCertificateInvalid),
    ] {
      let (ceremony, _) = try attested { $0.extensions.append((type, false, value)) }
      #expect(try uafRefusal { try ceremony.register() } == code)
    }
  }

  @Test func refusesAttestationsThatNobodyVouchesFor() throws {
    var (ceremony, _) = try attested()
    let chain = try #require(ceremony.authenticator.attestation).certificates
    #expect(
      try uafRefusal { try ceremony.register { $0.assertion = { $0.certificates = [chain[0]] } } }
        == .attestationUntrusted)
    #expect(
      try uafRefusal { try ceremony.register { $0.assertion = { $0.certificates = chain.reversed() } } }
        == .attestationCertificateInvalid)
    #expect(
      try uafRefusal { try ceremony.register { $0.assertion = { $0.certificates = [[0x30, 0x00]] } } }
        == .attestationCertificateInvalid)
    #expect(
      try uafRefusal { try ceremony.register { $0.assertion = { $0.certificates = [] } } } == .assertionMalformed)
    #expect(
      try uafRefusal {
        try ceremony.register {
          $0.assertion = { $0.certificates = Array(repeating: chain[1], count: 1) + [chain[0]] }
        }
      } == .attestationCertificateInvalid)
    // By the new key, which only a surrogate may do.
    let uauth = ceremony.authenticator.key
    ceremony.authenticator.attestation?.key = uauth
    #expect(try uafRefusal { try ceremony.register() } == .attestationSignatureInvalid)
  }

  @Test func refusesCertificatesOutsideTheirTime() throws {
    let (late, _) = try attested { $0.notAfter = "250101000000Z" }
    #expect(try uafRefusal { try late.register() } == .attestationCertificateExpired)
    let (early, _) = try attested { $0.notBefore = "330101000000Z" }
    #expect(try uafRefusal { try early.register() } == .attestationCertificateExpired)
  }

  @Test func aModelAttestsInOneWay() throws {
    var (ceremony, root) = try attested()
    ceremony.metadata = { $0["attestationRootCertificates"] = [] }
    #expect(try uafRefusal { try ceremony.register() } == .attestationRootsMissing)
    ceremony.metadata = { $0["attestationTypes"] = [15879, 15880] }
    ceremony.authenticator.attestation = nil
    ceremony.roots = [root]
    #expect(try uafRefusal { try ceremony.register() } == .surrogateNotAllowed)
    // ECDAA is refused by name.
    let plain = try UAFCeremony()
    #expect(
      try uafRefusal { try plain.register { $0.assertion = { $0.attestationTag = 0x3E09 } } }
        == .attestationTypeNotAllowed)
  }

  @Test func theAttestationsAlgorithmGoesWithItsKey() throws {
    var (ceremony, _) = try attested()
    ceremony.authenticator.attestation?.algorithm = 0x0008
    #expect(try uafRefusal { try ceremony.register() } == .algorithmMismatch)
    ceremony.authenticator.attestation?.algorithm = 0x0005
    #expect(try uafRefusal { try ceremony.register() } == .algorithmUnsupported)
    ceremony.authenticator.attestation?.algorithm = 0x0002
    #expect(try uafRefusal { try ceremony.register() } == nil)
  }
}
