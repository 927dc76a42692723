import AuthenticatorCoding
import AuthenticatorCrypto
import TestCertificates
import TestVectors
import Testing

@Suite struct X509CertificateTests {
  /// A leaf with every extension that is read.
  private func sample() throws -> TestCertificate {
    var leaf = try TestCertificate(subject: [
      ("2.5.4.6", "DE"), ("2.5.4.10", "Example"), ("2.5.4.11", "Authenticator Attestation"), ("2.5.4.3", "Model 1"),
    ])
    let tpm = TestCertificate.encode([
      ("2.23.133.2.1", "id:414D4400"), ("2.23.133.2.2", "Model"), ("2.23.133.2.3", "id:1"),
    ])
    leaf.extensions = [
      (TestCertificate.basicConstraints, true, TestCertificate.basicConstraints(isAuthority: false)),
      ("1.3.6.1.4.1.45724.1.1.4", false, DERWriting.octets([UInt8](1...16))),
      (
        "1.2.840.113635.100.8.2", false,
        DERWriting.sequence(DERWriting.context(1, DERWriting.octets([UInt8](repeating: 7, count: 32))))
      ),
      ("2.5.29.17", true, DERWriting.sequence(DERWriting.context(4, tpm))),
      ("2.5.29.37", false, DERWriting.sequence(DERWriting.identifier("2.23.133.8.3"))),
      (
        "1.3.6.1.4.1.11129.2.1.17", false,
        DERWriting.sequence(
          DERWriting.integer(3), DERWriting.enumerated(1), DERWriting.integer(4), DERWriting.enumerated(1),
          DERWriting.octets([9, 9, 9]), DERWriting.octets([]),
          DERWriting.sequence(DERWriting.context(600, DERWriting.element(0x05, []))),
          DERWriting.sequence(
            DERWriting.context(1, DERWriting.set(DERWriting.integer(2), DERWriting.integer(3))),
            DERWriting.context(702, DERWriting.integer(0))))
      ),
    ]
    return leaf
  }

  @Test func readsAllItNeeds() throws {
    let root = try TestCertificate.authority()
    let source = try sample()
    let certificate = try source.certificate(issuer: root)
    #expect(certificate.version == 3)
    #expect(certificate.serialNumber == [1, 2, 3])
    #expect(certificate.notBefore == 1_704_067_200)
    #expect(certificate.notAfter == 2_019_686_400)
    #expect(certificate.subject.texts(ofType: DistinguishedName.AttributeType.country) == ["DE"])
    #expect(certificate.issuer.texts(ofType: DistinguishedName.AttributeType.commonName) == ["Test Root"])
    #expect(try certificate.publicKey() == source.key.publicKey)
    #expect(try certificate.isCertificateAuthority() == false)
    #expect(try certificate.fidoAAGUID() == [UInt8](1...16))
    #expect(try certificate.appleNonce() == [UInt8](repeating: 7, count: 32))
    #expect(try certificate.extendedKeyUsage() == ["2.23.133.8.3"])
    let names = try #require(try certificate.alternativeDirectoryNames())
    #expect(names.map { $0.texts(ofType: DistinguishedName.AttributeType.tpmManufacturer) } == [["id:414D4400"]])
    let android = try #require(try certificate.androidKeyDescription())
    #expect(android.attestationChallenge == [9, 9, 9])
    #expect(android.softwareEnforced.allApplications)
    #expect(!android.teeEnforced.allApplications)
    #expect(android.teeEnforced.purposes == [2, 3])
    #expect(android.teeEnforced.origin == 0)
  }

  @Test func absentExtensionsAreNil() throws {
    let certificate = try TestCertificate(subject: []).certificate()
    #expect(certificate.subject.isEmpty)
    #expect(try certificate.isCertificateAuthority() == nil)
    #expect(try certificate.fidoAAGUID() == nil)
    #expect(try certificate.appleNonce() == nil)
    #expect(try certificate.extendedKeyUsage() == nil)
    #expect(try certificate.alternativeDirectoryNames() == nil)
    #expect(try certificate.androidKeyDescription() == nil)
  }

  @Test func readsTheVectorsCertificates() throws {
    let json = try JSONValue.parse(try Vectors.bytes("webauthn-l3.json"))
    let text = try #require(json["attestationRoot"]?["attestation_ca_cert"]?.stringValue)
    let root = try X509Certificate(derRepresentation: try Hex.decode(text))
    #expect(try root.isCertificateAuthority() == true)
    #expect(root.notAfter == 33_260_976_000)  // the year 3024
    try TrustAnchors([root]).verify([root], at: 1_800_000_000)
  }

  @Test func everyPrefixIsRefused() throws {
    let bytes = try sample().encoded()
    for count in 0..<bytes.count {
      #expect(throws: CryptoError(.invalidCertificate, "")) {
        try X509Certificate(derRepresentation: Array(bytes[..<count]))
      }
    }
    #expect(throws: CryptoError(.invalidCertificate, "")) { try X509Certificate(derRepresentation: bytes + [0]) }
  }

  /// Two bits of each byte: a flipped one either cannot be read or breaks the signature; reading every part never
  /// traps.
  @Test func noBitFlipIsTrusted() throws {
    let root = try TestCertificate.authority()
    let anchors = try TrustAnchors([try root.certificate()])
    let bytes = try sample().encoded(issuer: root)
    var refused: Set<CryptoError.Code> = []
    for index in bytes.indices {
      for bit in [index % 8, (index + 5) % 8] {
        var flipped = bytes
        flipped[index] ^= 1 << bit
        do throws(CryptoError) {
          let certificate = try X509Certificate(derRepresentation: flipped)
          _ = try? certificate.publicKey()
          _ = try? certificate.isCertificateAuthority()
          _ = try? certificate.fidoAAGUID()
          _ = try? certificate.appleNonce()
          _ = try? certificate.extendedKeyUsage()
          _ = try? certificate.alternativeDirectoryNames()
          _ = try? certificate.androidKeyDescription()
          try anchors.verify([certificate], at: 1_800_000_000)
          Issue.record("bit \(bit) of byte \(index) is not noticed")
        } catch { refused.insert(error.code) }
      }
    }
    #expect(refused.isSuperset(of: [.invalidCertificate, .certificateUntrusted]))
  }

  @Test(arguments: [
    "240230000000Z", "241301000000Z", "240101240000Z", "240101006000Z", "2401010000Z", "20240101000000+0100",
    "20240101000000.5Z", "24010100000aZ",
  ])
  func refusesTimesOutOfForm(time: String) throws {
    var leaf = try TestCertificate(subject: [])
    leaf.notBefore = time
    #expect(throws: CryptoError(.invalidCertificate, "")) { try leaf.certificate() }
  }

  @Test func readsLeapDaysAndCenturies() throws {
    var leaf = try TestCertificate(subject: [])
    leaf.notBefore = "000229000000Z"
    leaf.notAfter = "99991231235959Z"
    let certificate = try leaf.certificate()
    #expect(certificate.notBefore == 951_782_400)
    #expect(certificate.notAfter == 253_402_300_799)
  }

  @Test func refusesAnExtensionTwice() throws {
    var leaf = try TestCertificate(subject: [])
    let entry = (type: "1.2.3.4", isCritical: false, value: [UInt8]([5, 0]))
    leaf.extensions = [entry, entry]
    #expect(throws: CryptoError(.invalidCertificate, "")) { try leaf.certificate() }
  }

  @Test func refusesTooLargeCertificates() throws {
    var leaf = try TestCertificate(subject: [])
    leaf.extensions = [("1.2.3.4", false, [UInt8](repeating: 0, count: X509Certificate.maximumSize))]
    #expect(throws: CryptoError(.invalidCertificate, "")) { try leaf.certificate() }
  }

  @Test(arguments: [
    ("1.3.6.1.4.1.45724.1.1.4", [UInt8]([0x04, 0x02, 1, 2])), ("1.2.840.113635.100.8.2", [0x30, 0x00]),
    ("2.5.29.37", [0x30, 0x00]), ("2.5.29.17", [0x30, 0x00]), ("1.3.6.1.4.1.11129.2.1.17", [0x30, 0x00]),
    ("2.5.29.19", [0x30, 0x03, 0x01, 0x01, 0x01]), ("2.5.29.19", [0x30, 0x80, 0x00, 0x00]),
  ])
  func refusesExtensionsOutOfForm(type: String, value: [UInt8]) throws {
    var leaf = try TestCertificate(subject: [])
    leaf.extensions = [(type, false, value)]
    let certificate = try leaf.certificate()
    let readers: [(X509Certificate) throws -> Bool] = [
      { try $0.fidoAAGUID() != nil }, { try $0.appleNonce() != nil }, { try $0.extendedKeyUsage() != nil },
      { try $0.alternativeDirectoryNames() != nil }, { try $0.androidKeyDescription() != nil },
      { try $0.isCertificateAuthority() != nil },
    ]
    var failures = 0
    for read in readers {
      do { #expect(try !read(certificate)) } catch {
        #expect(error as? CryptoError == CryptoError(.invalidCertificate, ""))
        failures += 1
      }
    }
    #expect(failures == 1)
  }

  @Test func refusesAndroidListsWithAFieldTwice() throws {
    var leaf = try TestCertificate(subject: [])
    let origin = DERWriting.context(702, DERWriting.integer(0))
    leaf.extensions = [
      (
        "1.3.6.1.4.1.11129.2.1.17", false,
        DERWriting.sequence(
          DERWriting.integer(3), DERWriting.enumerated(1), DERWriting.integer(4), DERWriting.enumerated(1),
          DERWriting.octets([9]), DERWriting.octets([]), DERWriting.sequence(),
          DERWriting.sequence(origin, origin))
      )
    ]
    let certificate = try leaf.certificate()
    #expect(throws: CryptoError(.invalidCertificate, "")) { try certificate.androidKeyDescription() }
  }

  // MARK: - PEM

  @Test func readsWhatItWritesAsPEM() throws {
    let first = try sample().certificate()
    let second = try TestCertificate.authority().certificate()
    let text = "chain:\n" + first.pemRepresentation + "\nroot:\r\n" + second.pemRepresentation
    #expect(try X509Certificate.certificates(pem: text) == [first, second])
  }

  @Test(arguments: [
    "", "nothing here", "-----BEGIN CERTIFICATE-----\nMIIB", "-----END CERTIFICATE-----",
    "-----BEGIN CERTIFICATE-----\n***\n-----END CERTIFICATE-----",
    "-----BEGIN CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
  ])
  func refusesIncompletePEM(text: String) {
    #expect(throws: CryptoError(.invalidCertificate, "")) { try X509Certificate.certificates(pem: text) }
  }
}
