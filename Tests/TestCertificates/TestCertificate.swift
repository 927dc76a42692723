import AuthenticatorCrypto

/// A certificate for tests, described by its parts: start from a valid one and bend a part.
public struct TestCertificate: Sendable {
  /// A name as a list of attribute types and texts, one set each.
  public typealias Name = [(type: String, text: String)]

  public var version: UInt8 = 3
  public var serialNumber: [UInt8] = [0x01, 0x02, 0x03]
  public var subject: Name
  public var notBefore = "240101000000Z"
  public var notAfter = "340101000000Z"
  /// Extensions in order: the type, whether it is critical, the content of its OCTET STRING.
  public var extensions: [(type: String, isCritical: Bool, value: [UInt8])] = []
  /// Replaces the subject's key, which otherwise belongs to `key`.
  public var subjectPublicKeyInfo: [UInt8]?
  /// The subject's key; signs what it issues.
  public let key: PrivateKey

  public init(subject: Name, key: PrivateKey? = nil) throws {
    self.subject = subject
    self.key = try key ?? PrivateKey.generate(.es256)
  }

  public static let basicConstraints = "2.5.29.19"

  /// Basic constraints' content.
  public static func basicConstraints(isAuthority: Bool) -> [UInt8] {
    isAuthority ? DERWriting.sequence(DERWriting.boolean(true)) : DERWriting.sequence()
  }

  /// A self-signed authority.
  public static func authority(_ name: String = "Test Root") throws -> TestCertificate {
    var certificate = try TestCertificate(subject: [("2.5.4.3", name)])
    certificate.extensions = [(basicConstraints, true, basicConstraints(isAuthority: true))]
    return certificate
  }

  // MARK: - Encoding

  public static func encode(_ name: Name) -> [UInt8] {
    DERWriting.element(
      0x30,
      parts:
        name.map { DERWriting.set(DERWriting.sequence(DERWriting.identifier($0.type), DERWriting.text($0.text))) })
  }

  /// ecdsa-with-SHA256, with which all test certificates are signed.
  private static let algorithm = DERWriting.sequence(DERWriting.identifier("1.2.840.10045.4.3.2"))

  /// The certificate in DER, issued by another one or by itself.
  public func encoded(issuer: TestCertificate? = nil) throws -> [UInt8] {
    let issuer = issuer ?? self
    func time(_ text: String) -> [UInt8] { DERWriting.text(text, tag: text.utf8.count == 13 ? 0x17 : 0x18) }
    var body: [[UInt8]] = []
    if version > 1 { body.append(DERWriting.context(0, DERWriting.integer(version - 1))) }
    body += [
      DERWriting.element(0x02, serialNumber), Self.algorithm, Self.encode(issuer.subject),
      DERWriting.sequence(time(notBefore), time(notAfter)), Self.encode(subject),
      subjectPublicKeyInfo ?? key.publicKey.subjectPublicKeyInfo,
    ]
    if !extensions.isEmpty {
      let list = extensions.map { entry in
        DERWriting.sequence(
          DERWriting.identifier(entry.type), entry.isCritical ? DERWriting.boolean(true) : [],
          DERWriting.octets(entry.value))
      }
      body.append(DERWriting.context(3, DERWriting.element(0x30, parts: list)))
    }
    let signed = DERWriting.element(0x30, parts: body)
    return DERWriting.sequence(
      signed, Self.algorithm, DERWriting.bits(try issuer.key.sign(signed).derRepresentation))
  }

  /// The certificate as the library reads it.
  public func certificate(issuer: TestCertificate? = nil) throws -> X509Certificate {
    try X509Certificate(derRepresentation: try encoded(issuer: issuer))
  }
}
