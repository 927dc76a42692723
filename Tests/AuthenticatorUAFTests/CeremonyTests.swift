import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorUAF
import TestCertificates
import Testing

struct CeremonyTests {
  @Test(arguments: UAFKit.Model.allCases)
  func registersAuthenticatesAndDeregisters(_ model: UAFKit.Model) async throws {
    let kit = try UAFKit()
    let steps: [ScriptedStep] =
      switch model {
      case .passcode: [.passcode(UAFKit.passcode)]
      case .state, .deletion, .either, .presence: [.match()]
      case .silent: []
      }
    kit.device.verifier.script(steps)
    let response = try await kit.client.process(UAFKit.registration(model), facetID: UAFKit.facet)
    let data = try UAFKit.registered(response)
    #expect(data.aaid.rawValue == model.rawValue)
    #expect(data.signCounter == 0)
    #expect(data.registrationCounter == 1)
    try await kit.client.notify(status: .ok, of: response, facetID: UAFKit.facet)
    kit.device.verifier.script(steps)
    let result = await kit.client.authenticate(UAFKit.authentication(model), facetID: UAFKit.facet)
    let signed = try UAFKit.signed(result.message)
    #expect(result.outcome == .success)
    #expect(signed.keyID == data.keyID)
    #expect(signed.signCounter >= 1)
    #expect(signed.info.mode == .userVerified)
    #expect(signed.transactionContentHash.isEmpty)
    let answer = try await kit.client.process(
      UAFKit.deregistration(model.rawValue, data.keyID.description), facetID: UAFKit.facet)
    #expect(answer.uafProtocolMessage.isEmpty)
    #expect(try await kit.records().isEmpty)
    #expect(kit.device.verifier.remainingSteps == 0)
  }

  @Test func answersWithTheRequestsHeaderAndTheTextItHashed() async throws {
    let kit = try UAFKit()
    kit.device.verifier.script([.passcode(UAFKit.passcode)])
    let binding = ChannelBinding(serverEndPoint: "AAAA", cidPublicKey: "unused")
    let message = UAFKit.registration(.passcode)
    let response = try UAFResponse(
      try await kit.client.process(message, facetID: UAFKit.facet, channelBinding: binding).uafProtocolMessage)
    #expect(response.header == (try UAFRequest(message.uafProtocolMessage).header))
    let assertion = try RegistrationAssertion(try #require(response.assertions.first).assertion)
    #expect(assertion.keyRegistrationData.finalChallengeHash == SHA256.hash(Array(response.fcParams.utf8)))
    let parameters = try JSONValue.parse(try Base64URL.decode(response.fcParams))
    #expect(
      parameters == [
        "appID": .string(UAFKit.facet), "challenge": .string(UAFKit.challenge), "facetID": .string(UAFKit.facet),
        "channelBinding": ["serverEndPoint": "AAAA", "cid_pubkey": "unused"],
      ])
  }

  @Test(arguments: UAFAlgorithm.supported)
  func signsWithEveryAlgorithmInItsEncoding(_ algorithm: UAFAlgorithm) async throws {
    let kit = try UAFKit(algorithms: [.es256, .ps256, .rs256]) { configuration in
      configuration.authenticators = [
        UAFAuthenticatorModel(
          aaid: try UAFKit.Model.presence.aaid, behavior: .presence, authenticationAlgorithm: algorithm)
      ]
    }
    kit.device.verifier.script([.approve, .approve])
    let response = try await kit.client.process(UAFKit.registration(.presence), facetID: UAFKit.facet)
    let assertion = try RegistrationAssertion(try UAFKit.assertion(response))
    let key = try Self.publicKey(assertion.keyRegistrationData)
    guard case .basicSurrogate(let signature) = assertion.attestation else {
      Issue.record("another attestation")
      return
    }
    #expect(assertion.keyRegistrationData.info.signatureAlgorithm == algorithm)
    #expect(try Self.isValid(signature, of: assertion.signedBytes, key, algorithm))
    let result = await kit.client.authenticate(UAFKit.authentication(.presence), facetID: UAFKit.facet)
    let signed = try AuthenticationAssertion(try UAFKit.assertion(result.message))
    #expect(try Self.isValid(signed.signature, of: signed.signedBytes, key, algorithm))
    var bent = signed.signedBytes
    bent[bent.count - 1] ^= 1
    #expect(try !Self.isValid(signed.signature, of: bent, key, algorithm))
  }

  /// Reads a key in the form that the registration names.
  private static func publicKey(_ data: KeyRegistrationData) throws -> PublicKey {
    switch data.info.publicKeyFormat {
    case .eccX962Raw?: return try PublicKey(x963Representation: data.publicKey)
    case .eccX962DER?: return try PublicKey(subjectPublicKeyInfo: data.publicKey)
    case .rsa2048Raw?:
      return try PublicKey(
        rsaModulus: Array(data.publicKey.prefix(256)), exponent: Array(data.publicKey.dropFirst(256)))
    default:
      // SEQUENCE { INTEGER n, INTEGER e } of a 2048-bit key: 30 82 .. .. 02 82 01 01 00 n 02 .. e
      let modulus = Array(data.publicKey[9..<265])
      return try PublicKey(rsaModulus: modulus, exponent: Array(data.publicKey[267...]))
    }
  }

  private static func isValid(
    _ signature: [UInt8], of message: [UInt8], _ key: PublicKey, _ algorithm: UAFAlgorithm
  ) throws -> Bool {
    let kind = try #require(algorithm.signatureAlgorithm)
    let parsed: Signature
    switch algorithm {
    case .secp256r1ECDSASHA256DER: parsed = try Signature(der: signature, algorithm: kind)
    case .rsaPSSSHA256DER, .rsaPKCS1SHA256DER:
      try #require(signature.starts(with: [0x04, 0x82, 0x01, 0x00]))
      parsed = try Signature(raw: Array(signature.dropFirst(4)), algorithm: kind)
    default: parsed = try Signature(raw: signature, algorithm: kind)
    }
    return try Verifier(key, algorithm: kind).isValidSignature(parsed, for: message)
  }

  @Test func attestsWithTheVendorsKeyWhereThePolicyAsks() async throws {
    let vendor = try PrivateKey.generate(.es256)
    let certificate = try TestCertificate(subject: [("2.5.4.3", "Vendor")], key: vendor).encoded()
    let kit = try UAFKit { configuration in
      configuration.authenticators = [
        UAFAuthenticatorModel(
          aaid: try UAFKit.Model.silent.aaid, behavior: .silent, attestationTypes: [.basicSurrogate, .basicFull],
          attestationKey: try UAFAttestationKey(
            key: vendor, algorithm: .secp256r1ECDSASHA256DER, chain: [certificate]))
      ]
    }
    let attest = { (types: JSONValue?) async throws -> RegistrationAssertion in
      var criteria: JSONObject = ["authenticationAlgorithms": [1], "assertionSchemes": ["UAFV1TLV"]]
      if let types { criteria["attestationTypes"] = types }
      let policy: JSONValue = ["accepted": [[.object(criteria)]]]
      let response = try await kit.client.process(
        UAFKit.registration(policy: policy), facetID: UAFKit.facet)
      return try RegistrationAssertion(try UAFKit.assertion(response))
    }
    let full = try await attest([15879, 15880])
    guard case .basicFull(let signature, let chain) = full.attestation else {
      Issue.record("no full attestation")
      return
    }
    #expect(chain == [certificate])
    #expect(full.keyRegistrationData.info.signatureAlgorithm == .secp256r1ECDSASHA256DER)
    #expect(try Self.isValid(signature, of: full.signedBytes, vendor.publicKey, .secp256r1ECDSASHA256DER))
    guard case .basicSurrogate = try await attest([15880, 15879]).attestation else {
      Issue.record("the server's order was not kept")
      return
    }
    guard case .basicSurrogate = try await attest(nil).attestation else {
      Issue.record("the model's order was not kept")
      return
    }
  }

  @Test func refusesAnAttestationKeyThatIsNotItsCertificates() throws {
    let certificate = try TestCertificate(subject: [("2.5.4.3", "Vendor")]).encoded()
    let other = try PrivateKey.generate(.es256)
    #expect(throws: AuthenticatorError(.invalidRequest)) {
      try UAFAttestationKey(key: other, algorithm: .secp256r1ECDSASHA256Raw, chain: [certificate])
    }
    #expect(throws: AuthenticatorError(.invalidRequest)) {
      try UAFAttestationKey(key: other, algorithm: .rsaPSSSHA256Raw, chain: [certificate])
    }
    #expect(throws: AuthenticatorError(.invalidRequest)) {
      try UAFAttestationKey(key: other, algorithm: .secp256r1ECDSASHA256Raw, chain: [])
    }
  }

  @Test func refusesAChainWhoseCertificatesDidNotIssueEachOther() throws {
    let key = try PrivateKey.generate(.es256)
    var root = try TestCertificate(subject: [("2.5.4.3", "Root")])
    root.extensions = [("2.5.29.19", true, [0x30, 0x03, 0x01, 0x01, 0xFF])]
    let leaf = try TestCertificate(subject: [("2.5.4.3", "Vendor")], key: key)
    let (issued, anchor) = (try leaf.encoded(issuer: root), try root.encoded())
    let make = { (chain: [[UInt8]]) in
      _ = try UAFAttestationKey(key: key, algorithm: .secp256r1ECDSASHA256DER, chain: chain)
    }
    try make([issued])
    try make([issued, anchor])
    let stranger = try TestCertificate(subject: [("2.5.4.3", "Root")]).encoded()
    for chain in [[issued, stranger], [issued, issued], [issued, anchor, stranger], [issued, [1, 2, 3]]] {
      #expect(throws: AuthenticatorError(.invalidRequest)) { try make(chain) }
    }
  }

  @Test func runsEveryAuthenticatorOfASetOrNone() async throws {
    let kit = try UAFKit()
    let policy: JSONValue = ["accepted": [[["aaid": ["FFFF#A006"]], ["aaid": ["FFFF#A001"]]]]]
    kit.device.verifier.script([.passcode(UAFKit.passcode)])
    let response = try UAFResponse(
      try await kit.client.process(UAFKit.registration(policy: policy), facetID: UAFKit.facet).uafProtocolMessage)
    #expect(response.assertions.count == 2)
    let before = try await kit.records().count
    kit.device.verifier.script([.cancel])
    await #expect(throws: AuthenticatorError(.userCanceled)) {
      try await kit.client.process(
        UAFKit.registration(username: "bob", policy: policy), facetID: UAFKit.facet)
    }
    #expect(try await kit.records().count == before)
  }

  @Test func countsRegistrationsForEachModel() async throws {
    let kit = try UAFKit()
    // Gaps are allowed, repeats are not.
    #expect(try await kit.register(.silent).registrationCounter == 1)
    #expect(try await kit.register(.silent, username: "bob").registrationCounter > 1)
    #expect(try await kit.register(.passcode, steps: .passcode(UAFKit.passcode)).registrationCounter == 1)
  }

  @Test func neverRepeatsASignatureCounter() async throws {
    let kit = try UAFKit()
    try await kit.register(.silent)
    var last: UInt32 = 0
    for run in 0..<5 {
      let client = run == 3 ? try kit.restarted().client : kit.client
      let result = await client.authenticate(UAFKit.authentication(.silent), facetID: UAFKit.facet)
      let counter = try UAFKit.signed(result.message).signCounter
      #expect(counter > last)
      last = counter
    }
  }

  @Test func reportsMethodsInsideWhatIsSigned() async throws {
    let kit = try UAFKit()
    let exts: JSONValue = [["id": "fido.uaf.uvm", "data": "", "fail_if_unknown": true]]
    kit.device.verifier.script([.match()])
    let response = try await kit.client.process(
      UAFKit.registration(.state, header: UAFKit.header("Reg", exts: exts)), facetID: UAFKit.facet)
    let data = try UAFKit.registered(response)
    #expect(data.extensions == [AssertionExtension(id: "fido.uaf.uvm", data: [2, 0, 0, 0, 10, 0, 1, 0])])
  }

  @Test func refusesExtensionsThatMustBeKnown() async throws {
    let kit = try UAFKit()
    let exts = { (fails: Bool) -> JSONValue in
      [["id": "com.example.other", "data": "x", "fail_if_unknown": .bool(fails)]]
    }
    await #expect(throws: AuthenticatorError(.invalidMessage)) {
      try await kit.client.process(
        UAFKit.registration(.silent, header: UAFKit.header("Reg", exts: exts(true))), facetID: UAFKit.facet)
    }
    #expect(try await kit.records().isEmpty)
    let response = try await kit.client.process(
      UAFKit.registration(.silent, header: UAFKit.header("Reg", exts: exts(false))), facetID: UAFKit.facet)
    #expect(try UAFResponse(response.uafProtocolMessage).header.exts.first?.data == "x")
  }

  @Test func speaksVersionOneZero() async throws {
    let kit = try UAFKit()
    let header = UAFKit.header("Reg", version: ["major": 1, "minor": 0])
    let response = try await kit.client.process(
      UAFKit.registration(.silent, header: header), facetID: UAFKit.facet)
    #expect(try UAFResponse(response.uafProtocolMessage).header.upv == .v10)
  }
}
