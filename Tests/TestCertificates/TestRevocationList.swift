import AuthenticatorCrypto

/// A revocation list for tests, described by its parts: start from a valid one and bend a part.
public struct TestRevocationList: Sendable {
  /// The serial numbers that are revoked.
  public var revoked: [[UInt8]]
  public var thisUpdate = "240101000000Z"
  public var nextUpdate = "340101000000Z"
  /// Signs in place of the issuer's key.
  public var signer: PrivateKey
  /// Whose certificates they are.
  public let issuer: TestCertificate

  public init(of issuer: TestCertificate, revoking revoked: [UInt8]...) {
    self.issuer = issuer
    self.revoked = revoked
    signer = issuer.key
  }

  /// The list in DER.
  public func encoded() throws -> [UInt8] {
    func time(_ text: String) -> [UInt8] { DERWriting.text(text, tag: 0x17) }
    let algorithm = DERWriting.sequence(DERWriting.identifier("1.2.840.10045.4.3.2"))
    var body = [
      DERWriting.integer(1), algorithm, TestCertificate.encode(issuer.subject), time(thisUpdate), time(nextUpdate),
    ]
    let entries = revoked.map { DERWriting.sequence(DERWriting.element(0x02, $0), time(thisUpdate)) }
    if !entries.isEmpty { body.append(DERWriting.element(0x30, parts: entries)) }
    let signed = DERWriting.element(0x30, parts: body)
    return DERWriting.sequence(signed, algorithm, DERWriting.bits(try signer.sign(signed).derRepresentation))
  }

  /// The list as the library reads it.
  public func list() throws -> RevocationList { try RevocationList(derRepresentation: try encoded()) }
}
