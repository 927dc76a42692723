import AuthenticatorCBOR
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestCertificates

/// A registration with a statement that is right; a test bends one part.
protocol TestAttestation {
  var root: TestCertificate { get }
  func response() throws -> ReceivedRegistration
}

struct TestPackedAttestation: TestAttestation {
  var ceremony: Ceremony
  let root: TestCertificate
  var leaf: TestCertificate
  /// Signs instead of the leaf's key.
  var signer: PrivateKey?
  var algorithm = -7
  /// Replaces the list of certificates.
  var certificates: CBORValue?

  init() throws {
    ceremony = try Ceremony()
    root = try AttestationTests.authority()
    leaf = try TestCertificate(subject: [
      ("2.5.4.6", "DE"), ("2.5.4.10", "Example"), ("2.5.4.11", "Authenticator Attestation"), ("2.5.4.3", "Model 1"),
    ])
    leaf.extensions = [
      (TestCertificate.basicConstraints, true, TestCertificate.basicConstraints(isAuthority: false)),
      ("1.3.6.1.4.1.45724.1.1.4", false, DERWriting.octets(ceremony.aaguid)),
    ]
  }

  func statement() throws -> CBORValue {
    let signature = try (signer ?? leaf.key).sign(ceremony.signedBytes).derRepresentation
    let list = try certificates ?? [.bytes(try leaf.encoded(issuer: root))]
    return ["alg": .integer(algorithm), "sig": .bytes(signature), "x5c": list]
  }

  func response() throws -> ReceivedRegistration {
    ceremony.registration(format: "packed", statement: try statement())
  }
}

struct TestU2FAttestation: TestAttestation {
  var ceremony: Ceremony
  let root: TestCertificate
  var leaf: TestCertificate
  var signer: PrivateKey?
  var hasTwoCertificates = false

  init(ceremony: Ceremony? = nil) throws {
    var ceremony = try ceremony ?? Ceremony()
    ceremony.aaguid = [UInt8](repeating: 0, count: 16)
    self.ceremony = ceremony
    root = try AttestationTests.authority()
    leaf = try TestCertificate(subject: [("2.5.4.3", "U2F")])
  }

  func response() throws -> ReceivedRegistration {
    let point = ceremony.key.publicKey.x963Representation ?? []
    let message =
      [0] + SHA256.hash(Array(ceremony.relyingPartyID.utf8)) + ceremony.clientDataHash + ceremony.credentialID + point
    let signature = try (signer ?? leaf.key).sign(message).derRepresentation
    let certificate = CBORValue.bytes(try leaf.encoded(issuer: root))
    return ceremony.registration(
      format: "fido-u2f",
      statement: [
        "sig": .bytes(signature), "x5c": .array([CBORValue](repeating: certificate, count: hasTwoCertificates ? 2 : 1)),
      ])
  }
}

struct TestAppleAttestation: TestAttestation {
  var ceremony: Ceremony
  let root: TestCertificate
  /// Replaces the nonce; empty: the extension is left out.
  var nonce: [UInt8]?
  /// Replaces the key in the certificate.
  var certifiedKey: PublicKey?
  var hasAlgorithm = false

  init() throws {
    ceremony = try Ceremony()
    root = try AttestationTests.authority()
  }

  func response() throws -> ReceivedRegistration {
    var leaf = try TestCertificate(subject: [("2.5.4.3", "Apple")], key: ceremony.key)
    leaf.subjectPublicKeyInfo = certifiedKey?.subjectPublicKeyInfo
    let nonce = nonce ?? SHA256.hash(ceremony.signedBytes)
    if !nonce.isEmpty {
      leaf.extensions = [
        (
          "1.2.840.113635.100.8.2", false,
          DERWriting.sequence(DERWriting.context(1, DERWriting.octets(nonce)))
        )
      ]
    }
    var statement: CBORMap = ["x5c": [.bytes(try leaf.encoded(issuer: root))]]
    if hasAlgorithm { statement["alg"] = -7 }
    return ceremony.registration(format: "apple", statement: .map(statement))
  }
}

struct TestAndroidAttestation: TestAttestation {
  enum Property {
    case purpose(UInt8)
    case origin(UInt8)
    case allApplications

    var encoded: [UInt8] {
      switch self {
      case .purpose(let value): DERWriting.context(1, DERWriting.set(DERWriting.integer(value)))
      case .origin(let value): DERWriting.context(702, DERWriting.integer(value))
      case .allApplications: DERWriting.context(600, [0x05, 0x00])
      }
    }
  }

  var ceremony: Ceremony
  let root: TestCertificate
  var challenge: [UInt8]?
  var software: [Property] = []
  var trusted: [Property] = [.purpose(2), .origin(0)]
  var hasDescription = true
  var usesAnotherKey = false
  var algorithm = -7

  init() throws {
    ceremony = try Ceremony()
    root = try AttestationTests.authority()
  }

  func response() throws -> ReceivedRegistration {
    let key = try usesAnotherKey ? PrivateKey.generate(.es256) : ceremony.key
    var leaf = try TestCertificate(subject: [("2.5.4.3", "Android Keystore Key")], key: key)
    if hasDescription {
      let description = DERWriting.sequence(
        DERWriting.integer(3), DERWriting.enumerated(1), DERWriting.integer(4), DERWriting.enumerated(1),
        DERWriting.octets(challenge ?? ceremony.clientDataHash), DERWriting.octets([]),
        DERWriting.element(0x30, parts: software.map(\.encoded)),
        DERWriting.element(0x30, parts: trusted.map(\.encoded)))
      leaf.extensions = [("1.3.6.1.4.1.11129.2.1.17", false, description)]
    }
    let signature = try key.sign(ceremony.signedBytes).derRepresentation
    return ceremony.registration(
      format: "android-key",
      statement: [
        "alg": .integer(algorithm), "sig": .bytes(signature), "x5c": [.bytes(try leaf.encoded(issuer: root))],
      ])
  }
}

struct TestTPMAttestation: TestAttestation {
  var ceremony: Ceremony
  let root: TestCertificate
  var leaf: TestCertificate
  var signer: PrivateKey?
  var version = "2.0"
  var algorithm = -7
  var magic: UInt32 = 0xFF54_4347
  var type: UInt16 = 0x8017
  var extraData: [UInt8]?
  var name: [UInt8]?
  var publicAreaKey: PublicKey?
  var leftover: [UInt8] = []
  /// How much of a structure is sent; nil: all.
  var certInfoPrefix: Int?
  var publicAreaPrefix: Int?

  init(ceremony: Ceremony? = nil) throws {
    self.ceremony = try ceremony ?? Ceremony()
    root = try AttestationTests.authority()
    leaf = try TestCertificate(subject: [])
    leaf.extensions = [
      (TestCertificate.basicConstraints, true, TestCertificate.basicConstraints(isAuthority: false)),
      ("2.5.29.17", true, Self.alternativeName(manufacturer: "id:414D4400")),
      ("2.5.29.37", false, DERWriting.sequence(DERWriting.identifier("2.23.133.8.3"))),
    ]
  }

  static func alternativeName(manufacturer: String) -> [UInt8] {
    let name = TestCertificate.encode([
      ("2.23.133.2.1", manufacturer), ("2.23.133.2.2", "Model"), ("2.23.133.2.3", "id:00010002"),
    ])
    return DERWriting.sequence(DERWriting.context(4, name))
  }

  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian, Array.init)
  }

  private static func sized(_ content: [UInt8]) -> [UInt8] { bytes(UInt16(content.count)) + content }

  var publicArea: [UInt8] {
    let tail: [UInt8]
    let type: UInt16
    switch (publicAreaKey ?? ceremony.key.publicKey).kind {
    case .ec(let curve, let x, let y):
      type = 0x0023
      let number: UInt16 = curve == .p256 ? 3 : curve == .p384 ? 4 : 5
      // Leading zeros of a coordinate are left out, as some TPMs do.
      tail =
        Self.bytes(number) + Self.bytes(UInt16(0x0010)) + Self.sized(Array(x.drop { $0 == 0 }))
        + Self.sized(Array(y.drop { $0 == 0 }))
    case .rsa(let modulus, _):
      type = 0x0001
      tail = Self.bytes(UInt16(2048)) + Self.bytes(UInt32(0)) + Self.sized(modulus)
    case .ed25519: return []
    }
    return Self.bytes(type) + Self.bytes(UInt16(0x000B)) + Self.bytes(UInt32(0x0006_0472)) + Self.sized([])
      + Self.bytes(UInt16(0x0010)) + Self.bytes(UInt16(0x0010)) + tail
  }

  var certInfo: [UInt8] {
    let name = name ?? [0x00, 0x0B] + SHA256.hash(publicArea)
    return Self.bytes(magic) + Self.bytes(type) + Self.sized([1, 2, 3])
      + Self.sized(extraData ?? SHA256.hash(ceremony.signedBytes)) + [UInt8](repeating: 0x33, count: 25)
      + Self.sized(name) + Self.sized([]) + leftover
  }

  func response() throws -> ReceivedRegistration {
    let certInfo = Array(certInfo.prefix(certInfoPrefix ?? .max))
    let publicArea = Array(publicArea.prefix(publicAreaPrefix ?? .max))
    let signature = try (signer ?? leaf.key).sign(certInfo).derRepresentation
    return ceremony.registration(
      format: "tpm",
      statement: [
        "ver": .text(version), "alg": .integer(algorithm), "sig": .bytes(signature),
        "x5c": [.bytes(try leaf.encoded(issuer: root))], "certInfo": .bytes(certInfo), "pubArea": .bytes(publicArea),
      ])
  }
}
