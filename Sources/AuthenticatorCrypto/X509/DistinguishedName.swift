/// A distinguished name (RFC 5280 section 4.1.2.4): sets of attributes in order.
public struct DistinguishedName: Hashable, Sendable {
  /// One attribute.
  public struct Attribute: Hashable, Sendable {
    /// The attribute's type in dotted form, as in `2.5.4.3`.
    public let type: String
    /// The value when it is a string in ASCII or UTF-8; nil for other types.
    public let text: String?
  }

  /// The relative distinguished names; most have one attribute each.
  public let relativeNames: [[Attribute]]
  /// The name in DER.
  public let encoded: [UInt8]

  /// Whether there are no attributes.
  public var isEmpty: Bool { relativeNames.isEmpty }

  /// The texts of all attributes of a type, in order.
  public func texts(ofType type: String) -> [String] {
    relativeNames.joined().filter { $0.type == type }.compactMap(\.text)
  }

  /// The attribute types that attestation certificates are judged by.
  public enum AttributeType {
    /// CN.
    public static let commonName = "2.5.4.3"
    /// C.
    public static let country = "2.5.4.6"
    /// O.
    public static let organization = "2.5.4.10"
    /// OU.
    public static let organizationalUnit = "2.5.4.11"
    /// A TPM's manufacturer, as `id:` and eight hexadecimal digits.
    public static let tpmManufacturer = "2.23.133.2.1"
    /// A TPM's model.
    public static let tpmModel = "2.23.133.2.2"
    /// A TPM's firmware version.
    public static let tpmVersion = "2.23.133.2.3"
  }

  init(_ element: ASN1Element) throws(CryptoError) {
    guard element.isUniversal(ASN1Element.Tag.sequence) else { throw ASN1Reader.malformed }
    var names: [[Attribute]] = []
    var reader = ASN1Reader(element)
    while !reader.isAtEnd {
      var set = ASN1Reader(try reader.next(ASN1Element.Tag.set))
      var attributes: [Attribute] = []
      repeat {
        var pair = ASN1Reader(try set.next(ASN1Element.Tag.sequence))
        let type = try pair.next(ASN1Element.Tag.objectIdentifier).objectIdentifier()
        attributes.append(Attribute(type: type, text: Self.text(try pair.next())))
        try pair.expectEnd()
      } while !set.isAtEnd
      names.append(attributes)
    }
    relativeNames = names
    encoded = Array(element.encoded)
  }

  private static func text(_ element: ASN1Element) -> String? {
    let tags = [
      ASN1Element.Tag.utf8String, ASN1Element.Tag.printableString, ASN1Element.Tag.ia5String,
      ASN1Element.Tag.numericString,
    ]
    guard tags.contains(where: element.isUniversal) else { return nil }
    return String(validating: element.content, as: UTF8.self)
  }
}
