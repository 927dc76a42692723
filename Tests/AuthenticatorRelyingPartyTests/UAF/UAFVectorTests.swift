import AuthenticatorCoding
import AuthenticatorCrypto
import TestVectors
import Testing

@testable import AuthenticatorRelyingParty

/// The relying party's verdict on every sample.
@Suite struct UAFVectorTests {
  /// 2026-06-01, when the composed certificates are valid.
  private static let time: Int64 = 1_780_272_000

  private static let isDER: Set<String> = ["pub-reg-surrogate-der", "pub-auth-der"]

  @Test func everySampleIsThere() {
    #expect(UAFVector.of("registrationAssertion").count == 13)
    #expect(UAFVector.of("authenticationAssertion").count == 10)
    #expect(UAFVector.of("policy").count == 25)
    #expect(UAFVector.of("fetchedAssertion").count == 8)
  }

  @Test(arguments: UAFVector.of("registrationAssertion"))
  func judgesRegistrations(vector: UAFVector) throws {
    let isDER = Self.isDER.contains(vector.id)
    let expectation = try vector.expectation(algorithm: isDER ? 2 : 1, keyForm: isDER ? 0x101 : 0x100)
    let code = try uafRefusal {
      try expectation.verifyRegistration(try vector.response(.registration), at: Self.time)
    }
    let expected: [String: UAFVerificationError.Code] = [
      "pub-reg-full-chain-reversed": .attestationCertificateInvalid,
      "pub-reg-full-missing-intermediate": .attestationUntrusted,
      "pub-reg-full-signed-by-uauth": .attestationSignatureInvalid,
      "pub-reg-surrogate-when-roots": .surrogateNotAllowed,
      "pub-reg-critical-extension": .extensionUnknown,
      "pub-reg-hash-of-json": .finalChallengeHashMismatch,
      "pub-reg-sig-without-header": .attestationSignatureInvalid,
      "pub-reg-big-endian": .assertionMalformed,
      "pub-reg-trailing": .assertionMalformed,
    ]
    #expect(code == expected[vector.id])
    #expect((code == nil) == (vector["expect"] == "valid"))
  }

  @Test func readsWhatTheSamplesSay() throws {
    let vector = try #require(UAFVector.all.first { $0.id == "pub-reg-tag-order" })
    let verdict = try vector.expectation(algorithm: 1, keyForm: 0x100).verifyRegistration(
      try vector.response(.registration), at: Self.time)
    #expect(
      verdict.registrations.first?.userVerificationState == (try Hex.decode(try vector.text("userVerificationState"))))
  }

  @Test func judgesTheMessage() throws {
    let vector = try #require(UAFVector.all.first { $0.id == "pub-reg-message" })
    let raw = try #require(UAFVector.all.first { $0.id == "pub-reg-surrogate-raw" })
    let statement = try raw.expectation(algorithm: 1, keyForm: 0x100)
    let job = try UAFVerificationJob(
      request: try #require(vector["request"]),
      expect: ["metadata": .array([Self.statement(of: statement)]), "facets": ["ios:bundle-id:com.example.app"]])
    let response = try UAFReceivedResponse(json: try #require(vector["message"]))
    let verdict = try job.verify(response, at: Self.time)
    #expect(verdict["verified"] == true && verdict["operation"] == "Reg" && verdict["statusCode"] == 1200)
    #expect(verdict["registrations"]?[0]?["keyID"] == .string(try raw.text("keyID")))
  }

  /// The statement of the F001 samples.
  private static func statement(of _: UAFExpectation) -> JSONValue {
    [
      "aaid": "FFFF#F001", "authenticatorVersion": 1, "upv": [["major": 1, "minor": 1]],
      "assertionScheme": "UAFV1TLV", "authenticationAlgorithm": 1, "publicKeyAlgAndEncoding": 256,
      "attestationTypes": [15880], "userVerificationDetails": [[["userVerification": 4]]], "keyProtection": 1,
      "matcherProtection": 1, "attachmentHint": 1, "isSecondFactorOnly": false, "tcDisplay": 3,
      "attestationRootCertificates": [],
    ]
  }

  @Test(arguments: UAFVector.of("authenticationAssertion"))
  func judgesAuthentications(vector: UAFVector) throws {
    let isDER = Self.isDER.contains(vector.id)
    let key = try Hex.decode(try vector.text(isDER ? "publicKeyDer" : "publicKeyRaw"))
    var expectation = try vector.expectation(algorithm: isDER ? 2 : 1, keyForm: isDER ? 0x101 : 0x100)
    if let transaction = vector["transaction"] {
      let content = try Base64URL.decode(try #require(transaction[0]?["content"]?.stringValue))
      expectation.transactions = [try UAFTransactionContent(text: String(decoding: content, as: UTF8.self))]
    }
    let response = try vector.response(.authentication)
    let record = UAFRegistrationRecord(
      aaid: try vector.text("aaid"), keyID: try Self.keyID(in: vector), publicKey: key,
      keyForm: isDER ? .ecDER : .ecRaw, signatureForm: isDER ? .es256DER : .es256Raw,
      signCounter: UInt32(try #require(vector["storedSignCounter"]?.intValue)), registrationCounter: 1,
      authenticatorVersion: 0, attestationType: 15880)
    let code = try uafRefusal { try expectation.verifyAuthentication(response, registered: [record]) }
    let expected: [String: UAFVerificationError.Code] = [
      "pub-auth-tx-hash-of-b64": .transactionMismatch, "pub-auth-counter-replay": .counterNotIncreased,
      "pub-auth-short-nonce": .nonceTooShort, "pub-auth-der-under-raw-alg": .signatureFormInvalid,
    ]
    #expect(code == expected[vector.id])
    #expect((code == nil) == (vector["expect"] == "valid"))
  }

  /// The KeyID where it stands in the bytes.
  private static func keyID(in vector: UAFVector) throws -> [UInt8] {
    let bytes = try vector.bytes("assertion")
    let head: [UInt8] = [0x09, 0x2E, 0x20, 0x00]
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: head) }) + head.count
    return Array(bytes[start..<start + 32])
  }

  @Test(arguments: UAFVector.of("finalChallenge"))
  func hashesTheTextOfTheFinalChallenge(vector: UAFVector) throws {
    let text = try vector.text("fcParams")
    #expect(Hex.encode(SHA256.hash(Array(text.utf8))) == (try vector.text("finalChallengeHash")))
    #expect(String(decoding: try Base64URL.decode(text), as: UTF8.self) == (try vector.text("json")))
  }

  // MARK: Other people's

  @Test func verifiesTheSpecificationsOwnExample() throws {
    let vector = try #require(UAFVector.all.first { $0.id == "ext-spec-reg" })
    let certificate = try Self.certificate(in: vector)
    // Its issuer is unknown and its time is over: the certificate itself is taken for an anchor, at a time in its life.
    let expectation = try vector.expectation(
      algorithm: 1, keyForm: 0x100, aaid: "ABCD#ABCD", roots: [.string(Base64.encode(certificate.derRepresentation))])
    let time = certificate.notBefore + 60
    let verdict = try expectation.verifyRegistration(try vector.response(.registration), at: time)
    let record = try #require(verdict.registrations.first)
    #expect(record.signCounter == 1 && record.registrationCounter == 1 && record.authenticatorVersion == 256)
    #expect(
      try uafRefusal { try expectation.verifyRegistration(try vector.response(.registration), at: Self.time) }
        == .attestationCertificateExpired)

    let signed = try #require(UAFVector.all.first { $0.id == "ext-spec-auth" })
    let verified = try signed.expectation(algorithm: 1, keyForm: 0x100, aaid: "ABCD#ABCD").verifyAuthentication(
      try signed.response(.authentication), registered: [record])
    #expect(verified.signers.first?.registration.signCounter == 2)
  }

  @Test func verifiesVendorsSignatures() throws {
    // They came without their final challenge, so it is the signatures that are looked at.
    for (id, form, keyForm): (String, UAFSignatureForm, UAFKeyForm) in [
      ("ext-synaptics-reg", .es256DER, .ecDER), ("ext-raon-reg", .ps256DER, .rsaDER),
    ] {
      let vector = try #require(UAFVector.all.first { $0.id == id })
      let assertion = try UAFRegistrationAssertion(try vector.bytes("assertion"))
      #expect(assertion.facts.signatureForm == form && assertion.keyForm == keyForm)
      let certificate = try X509Certificate(derRepresentation: Array(try #require(assertion.certificates.first)))
      let signed = assertion.facts.signedBytes
      #expect(try form.isValid(assertion.signature, for: signed, by: try certificate.publicKey()))
      #expect(try !form.isValid(assertion.signature, for: signed.dropLast(), by: try certificate.publicKey()))
      // RAON says PKCS #1 and writes a SubjectPublicKeyInfo.
      let key = try keyForm.key(assertion.publicKey, for: form)
      guard id == "ext-synaptics-reg" else { continue }
      let other = try #require(UAFVector.all.first { $0.id == "ext-synaptics-auth" })
      let authentication = try UAFAuthenticationAssertion(try other.bytes("assertion"))
      #expect(try form.isValid(authentication.signature, for: authentication.facts.signedBytes, by: key))
      #expect(authentication.facts.signCounter == 0 && assertion.facts.signCounter == 0)
    }
  }

  /// A raw key of secp256k1 looks like one of P-256: the curve follows from the algorithm, which is refused by name.
  @Test func doesNotGuessTheCurve() throws {
    let vector = try #require(UAFVector.all.first { $0.id == "ext-samsung-reg" })
    let assertion = try UAFRegistrationAssertion(try vector.bytes("assertion"))
    #expect(assertion.facts.signatureForm.rawValue == 6 && assertion.keyForm == .ecRaw)
    #expect(
      try uafRefusal { try assertion.keyForm.key(assertion.publicKey, for: assertion.facts.signatureForm) }
        == .algorithmUnsupported)
    #expect(
      try uafRefusal { try assertion.keyForm.key(assertion.publicKey, for: .es256DER) } == .publicKeyInvalid)
  }

  @Test func refusesAnOldClientsRegistration() throws {
    let vector = try #require(UAFVector.all.first { $0.id == "ext-ebayclient-reg" })
    // The sample's text ends with the escape of an equals sign, as its client wrote it.
    let text = try vector.text("assertion")
    #expect(throws: TextDecodingError.self) { try Base64URL.decode(text) }
    let bytes = try Base64URL.decode(String(text.prefix { $0 != "\\" }))
    // A nonce, which is of an authentication, stands in the signed object, and it must be understood.
    #expect(try uafRefusal { try UAFRegistrationAssertion(bytes) } == .criticalTagUnknown)
    #expect(try uafRefusal { try UAFRegistrationAssertion(bytes + [0, 0, 0, 0]) } == .assertionMalformed)
  }

  @Test func aCounterOfEightBytesIsNoneOfAnAuthentication() throws {
    let vector = try #require(UAFVector.all.first { $0.id == "ext-ebayclient-auth" })
    let spec = try #require(UAFVector.all.first { $0.id == "ext-spec-auth" })
    let response = try UAFReceivedResponse(json: [
      [
        "header": ["upv": ["major": 1, "minor": 1], "op": "Auth"], "fcParams": .string(try spec.text("fcParams")),
        "assertions": [["assertionScheme": "UAFV1TLV", "assertion": .string(try vector.text("assertion"))]],
      ]
    ])
    let expectation = try spec.expectation(algorithm: 1, keyForm: 0x100, aaid: "EBA0#0001")
    #expect(try uafRefusal { try expectation.verifyAuthentication(response, registered: []) } == .assertionMalformed)
  }

  private static func certificate(in vector: UAFVector) throws -> X509Certificate {
    let bytes = try vector.bytes("assertion")
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x05, 0x2E]) })
    let count = Int(bytes[start + 2]) | Int(bytes[start + 3]) << 8
    return try X509Certificate(derRepresentation: Array(bytes[start + 4..<start + 4 + count]))
  }
}
