/// A certificate (RFC 5280), read strictly and as far as attestation needs it.
///
/// Nothing here says that it can be trusted: see `TrustAnchors`.
public struct X509Certificate: Hashable, Sendable {
  /// The greatest size of a certificate in bytes.
  public static let maximumSize = 16_384

  /// An extension, not looked into.
  public struct Extension: Hashable, Sendable {
    /// The extension's name in dotted form.
    public let type: String
    /// Whether one who does not know it must refuse the certificate.
    public let isCritical: Bool
    /// The content of the OCTET STRING around the extension.
    public let value: [UInt8]
  }

  /// The certificate as received.
  public let derRepresentation: [UInt8]
  /// 1, 2 or 3.
  public let version: Int
  /// The serial number in two's complement, big endian.
  public let serialNumber: [UInt8]
  /// Who signed.
  public let issuer: DistinguishedName
  /// Whose key it is.
  public let subject: DistinguishedName
  /// The first second of validity, counted from 1970-01-01T00:00:00Z.
  public let notBefore: Int64
  /// The last second of validity, counted from 1970-01-01T00:00:00Z.
  public let notAfter: Int64
  /// The key's SubjectPublicKeyInfo in DER.
  public let subjectPublicKeyInfo: [UInt8]
  /// In order; no name occurs twice.
  public let extensions: [Extension]

  /// Reads one certificate in strict DER with nothing after it.
  ///
  /// Throws `CryptoError.Code.invalidCertificate`.
  public init(derRepresentation bytes: [UInt8]) throws(CryptoError) {
    guard bytes.count <= Self.maximumSize else {
      throw CryptoError(.invalidCertificate, "the certificate is too large")
    }
    typealias Tag = ASN1Element.Tag
    var outer = ASN1Reader(try ASN1Reader.single(bytes[...], Tag.sequence))
    var body = ASN1Reader(try outer.next(Tag.sequence))
    let outerAlgorithm = try outer.next(Tag.sequence)
    _ = try outer.next(Tag.bitString).bitStringOctets()
    try outer.expectEnd()

    version = try Self.readVersion(&body)
    serialNumber = Array(try body.next(Tag.integer).integerOctets())
    guard serialNumber.count <= 64 else { throw CryptoError(.invalidCertificate, "the serial number is too long") }
    guard try body.next(Tag.sequence).encoded == outerAlgorithm.encoded else {
      throw CryptoError(.invalidCertificate, "the certificate names two signature algorithms")
    }
    issuer = try DistinguishedName(try body.next())
    var validity = ASN1Reader(try body.next(Tag.sequence))
    notBefore = try X509Time.seconds(try validity.next())
    notAfter = try X509Time.seconds(try validity.next())
    try validity.expectEnd()
    subject = try DistinguishedName(try body.next())
    subjectPublicKeyInfo = Array(try body.next(Tag.sequence).encoded)
    // The unique identifiers of version 2.
    if version > 1 {
      _ = try body.nextIfContext(1)
      _ = try body.nextIfContext(2)
    }
    extensions = version == 3 ? try Self.readExtensions(&body) : []
    try body.expectEnd()
    derRepresentation = bytes
  }

  private static func readVersion(_ body: inout ASN1Reader) throws(CryptoError) -> Int {
    guard let wrapper = try body.nextIfContext(0) else { return 1 }
    let number = try ASN1Reader.single(wrapper.content, ASN1Element.Tag.integer).integer()
    // Version 1 is the default, which DER leaves out.
    guard wrapper.isConstructed, (1...2).contains(number) else { throw ASN1Reader.malformed }
    return number + 1
  }

  private static func readExtensions(_ body: inout ASN1Reader) throws(CryptoError) -> [Extension] {
    guard let wrapper = try body.nextIfContext(3) else { return [] }
    guard wrapper.isConstructed else { throw ASN1Reader.malformed }
    var list = ASN1Reader(try ASN1Reader.single(wrapper.content, ASN1Element.Tag.sequence))
    var extensions: [Extension] = []
    var names: Set<String> = []
    repeat {
      var entry = ASN1Reader(try list.next(ASN1Element.Tag.sequence))
      let type = try entry.next(ASN1Element.Tag.objectIdentifier).objectIdentifier()
      // Many issuers write the default out, so FALSE is accepted although DER leaves it out.
      let isCritical = try entry.nextIfUniversal(ASN1Element.Tag.boolean)?.boolean() ?? false
      let value = try entry.next(ASN1Element.Tag.octetString).content
      try entry.expectEnd()
      guard names.insert(type).inserted else {
        throw CryptoError(.invalidCertificate, "an extension occurs twice")
      }
      extensions.append(Extension(type: type, isCritical: isCritical, value: Array(value)))
    } while !list.isAtEnd
    return extensions
  }

  /// The extension of a name; nil when there is none.
  public func `extension`(_ type: String) -> Extension? { extensions.first { $0.type == type } }

  /// The subject's key. Throws `CryptoError.Code.invalidKey` for kinds this module does not know.
  public func publicKey() throws(CryptoError) -> PublicKey {
    try PublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo)
  }

  /// The SHA-1 of the subject's key without its algorithm, by which lists name keys (RFC 5280 section 4.2.1.2, method
  /// 1); nil when the key is malformed.
  public func subjectKeyDigest() -> [UInt8]? {
    do throws(CryptoError) {
      var reader = ASN1Reader(try ASN1Reader.single(subjectPublicKeyInfo[...], ASN1Element.Tag.sequence))
      _ = try reader.next(ASN1Element.Tag.sequence)
      return LegacyAttestation.digest(of: Array(try reader.next(ASN1Element.Tag.bitString).bitStringOctets()), .sha1)
    } catch { return nil }
  }
}
