/// What Android's key store says about a key in an attestation certificate (WebAuthn Level 3 section 8.4.1).
public struct AndroidKeyDescription: Hashable, Sendable {
  /// The properties of a key that one part of the system enforces.
  public struct AuthorizationList: Hashable, Sendable {
    /// What the key may be used for; 2 is signing.
    public internal(set) var purposes: Set<Int> = []
    /// Where the key comes from; 0 is generated on the device.
    public internal(set) var origin: Int?
    /// Whether every app may use the key.
    public internal(set) var allApplications = false
  }

  /// The purpose of signing.
  public static let signPurpose = 2
  /// The origin of a key that was generated on the device.
  public static let generatedOrigin = 0

  /// The challenge the key was made with.
  public let attestationChallenge: [UInt8]
  /// What Android itself enforces.
  public let softwareEnforced: AuthorizationList
  /// What the trusted environment enforces.
  public let teeEnforced: AuthorizationList

  init(_ bytes: ArraySlice<UInt8>) throws(CryptoError) {
    typealias Tag = ASN1Element.Tag
    var reader = ASN1Reader(try ASN1Reader.single(bytes, Tag.sequence))
    _ = try reader.next(Tag.integer).integer()  // attestationVersion
    _ = try reader.next(Tag.enumerated).integer()  // attestationSecurityLevel
    _ = try reader.next(Tag.integer).integer()  // keymasterVersion
    _ = try reader.next(Tag.enumerated).integer()  // keymasterSecurityLevel
    attestationChallenge = Array(try reader.next(Tag.octetString).content)
    _ = try reader.next(Tag.octetString)  // uniqueId
    softwareEnforced = try Self.readList(try reader.next(Tag.sequence))
    teeEnforced = try Self.readList(try reader.next(Tag.sequence))
    try reader.expectEnd()
  }

  private static func readList(_ element: ASN1Element) throws(CryptoError) -> AuthorizationList {
    var list = AuthorizationList()
    var reader = ASN1Reader(element)
    var seen: Set<Int> = []
    while !reader.isAtEnd {
      let field = try reader.next()
      guard field.tagClass == .contextSpecific, seen.insert(field.number).inserted else { throw ASN1Reader.malformed }
      switch field.number {
      case 1:
        var purposes = ASN1Reader(try ASN1Reader.single(field.content, ASN1Element.Tag.set))
        while !purposes.isAtEnd { list.purposes.insert(try purposes.next(ASN1Element.Tag.integer).integer()) }
      case 600: list.allApplications = true
      case 702: list.origin = try ASN1Reader.single(field.content, ASN1Element.Tag.integer).integer()
      default: break
      }
    }
    return list
  }
}

extension X509Certificate {
  /// The description of an Android key; nil when the certificate has none. Throws
  /// `CryptoError.Code.invalidCertificate` when it has not its form.
  public func androidKeyDescription() throws(CryptoError) -> AndroidKeyDescription? {
    guard let value = self.extension(ExtensionType.androidKeyDescription)?.value else { return nil }
    return try AndroidKeyDescription(value[...])
  }
}
