/// Extensions that attestation is judged by. Each is nil when absent and throws `CryptoError.Code.invalidCertificate`
/// when it has not its form.
extension X509Certificate {
  /// The names of the extensions read here, in dotted form.
  public enum ExtensionType {
    /// Further names of the subject.
    public static let subjectAlternativeName = "2.5.29.17"
    /// Whether the subject signs certificates.
    public static let basicConstraints = "2.5.29.19"
    /// Purposes of the key.
    public static let extendedKeyUsage = "2.5.29.37"
    /// An authenticator's model.
    public static let fidoAAGUID = "1.3.6.1.4.1.45724.1.1.4"
    /// A UAF authenticator's model.
    public static let fidoAAID = "1.3.6.1.4.1.45724.1.1.1"
    /// Apple's nonce.
    public static let appleNonce = "1.2.840.113635.100.8.2"
    /// Android's description of a key.
    public static let androidKeyDescription = "1.3.6.1.4.1.11129.2.1.17"
  }

  /// What the basic constraints say about signing certificates (RFC 5280 section 4.2.1.9); nil when they are absent.
  public func isCertificateAuthority() throws(CryptoError) -> Bool? {
    guard let value = self.extension(ExtensionType.basicConstraints)?.value else { return nil }
    var reader = ASN1Reader(try ASN1Reader.single(value[...], ASN1Element.Tag.sequence))
    let flag = try reader.nextIfUniversal(ASN1Element.Tag.boolean)?.boolean() ?? false
    if let length = try reader.nextIfUniversal(ASN1Element.Tag.integer) {
      guard try length.integer() >= 0 else { throw ASN1Reader.malformed }
    }
    try reader.expectEnd()
    return flag
  }

  /// The purposes of the key in dotted form (RFC 5280 section 4.2.1.12).
  public func extendedKeyUsage() throws(CryptoError) -> [String]? {
    guard let value = self.extension(ExtensionType.extendedKeyUsage)?.value else { return nil }
    var reader = ASN1Reader(try ASN1Reader.single(value[...], ASN1Element.Tag.sequence))
    var purposes: [String] = []
    repeat {
      purposes.append(try reader.next(ASN1Element.Tag.objectIdentifier).objectIdentifier())
    } while !reader.isAtEnd
    return purposes
  }

  /// The directory names among the subject's alternative names (RFC 5280 section 4.2.1.6).
  public func alternativeDirectoryNames() throws(CryptoError) -> [DistinguishedName]? {
    guard let value = self.extension(ExtensionType.subjectAlternativeName)?.value else { return nil }
    var reader = ASN1Reader(try ASN1Reader.single(value[...], ASN1Element.Tag.sequence))
    var names: [DistinguishedName] = []
    repeat {
      let name = try reader.next()
      guard name.isContext(4) else { continue }
      guard name.isConstructed else { throw ASN1Reader.malformed }
      names.append(try DistinguishedName(try ASN1Reader.single(name.content, ASN1Element.Tag.sequence)))
    } while !reader.isAtEnd
    return names
  }

  /// The model that a packed or TPM attestation certificate is bound to: 16 bytes (WebAuthn Level 3 section 8.2.1).
  public func fidoAAGUID() throws(CryptoError) -> [UInt8]? {
    guard let value = self.extension(ExtensionType.fidoAAGUID)?.value else { return nil }
    let content = try ASN1Reader.single(value[...], ASN1Element.Tag.octetString).content
    guard content.count == 16 else { throw ASN1Reader.malformed }
    return Array(content)
  }

  /// The model that a UAF attestation certificate is bound to, as it is written there (UAF Protocol 1.1 section
  /// 3.4.6.5).
  ///
  /// The specification names no type, so any of UTF8String, PrintableString, IA5String and OCTET STRING is read.
  public func fidoAAID() throws(CryptoError) -> String? {
    guard let value = self.extension(ExtensionType.fidoAAID)?.value else { return nil }
    var reader = ASN1Reader(value[...])
    let element = try reader.next()
    try reader.expectEnd()
    typealias Tag = ASN1Element.Tag
    guard [Tag.utf8String, Tag.printableString, Tag.ia5String, Tag.octetString].contains(where: element.isUniversal),
      let text = String(validating: element.content, as: UTF8.self)
    else { throw ASN1Reader.malformed }
    return text
  }

  /// The nonce of Apple's anonymous attestation: 32 bytes (WebAuthn Level 3 section 8.8).
  public func appleNonce() throws(CryptoError) -> [UInt8]? {
    guard let value = self.extension(ExtensionType.appleNonce)?.value else { return nil }
    var reader = ASN1Reader(try ASN1Reader.single(value[...], ASN1Element.Tag.sequence))
    guard let wrapper = try reader.nextIfContext(1), wrapper.isConstructed else { throw ASN1Reader.malformed }
    try reader.expectEnd()
    let content = try ASN1Reader.single(wrapper.content, ASN1Element.Tag.octetString).content
    guard content.count == 32 else { throw ASN1Reader.malformed }
    return Array(content)
  }
}
