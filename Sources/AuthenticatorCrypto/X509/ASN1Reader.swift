/// One element of DER (X.690 section 10) within a larger buffer.
struct ASN1Element {
  enum Class: UInt8 {
    case universal = 0
    case application = 1
    case contextSpecific = 2
    case `private` = 3
  }

  let tagClass: Class
  let isConstructed: Bool
  let number: Int
  let content: ArraySlice<UInt8>
  /// Head and content.
  let encoded: ArraySlice<UInt8>

  /// The universal tags that certificates use.
  enum Tag {
    static let boolean = 1
    static let integer = 2
    static let bitString = 3
    static let octetString = 4
    static let null = 5
    static let objectIdentifier = 6
    static let enumerated = 10
    static let utf8String = 12
    static let sequence = 16
    static let set = 17
    static let numericString = 18
    static let printableString = 19
    static let t61String = 20
    static let ia5String = 22
    static let utcTime = 23
    static let generalizedTime = 24
    static let bmpString = 30
  }

  func isUniversal(_ tag: Int) -> Bool {
    let wantsConstructed = tag == Tag.sequence || tag == Tag.set
    return tagClass == .universal && number == tag && isConstructed == wantsConstructed
  }

  func isContext(_ tag: Int) -> Bool { tagClass == .contextSpecific && number == tag }
}

/// Reads DER elements one after the other; every length is compared with what is left.
///
/// Strict: definite and shortest lengths, shortest tags. Whether a primitive's content is in its only form is checked
/// where it is read.
struct ASN1Reader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Reads the elements of a sequence or set.
  init(_ element: ASN1Element) { rest = element.content }

  var isAtEnd: Bool { rest.isEmpty }

  static let malformed = CryptoError(.invalidCertificate, "not strict DER")

  /// The next element.
  mutating func next() throws(CryptoError) -> ASN1Element {
    let start = rest
    guard let first = rest.popFirst(), let tagClass = ASN1Element.Class(rawValue: first >> 6) else {
      throw Self.malformed
    }
    var number = Int(first & 0x1F)
    if number == 31 { number = try longTag() }
    let length = try self.length()
    guard length <= rest.count else { throw Self.malformed }
    let content = rest.prefix(length)
    rest = rest.dropFirst(length)
    return ASN1Element(
      tagClass: tagClass, isConstructed: first & 0x20 != 0, number: number, content: content,
      encoded: start[start.startIndex..<content.endIndex])
  }

  /// A tag number of two or three octets: at least 31, without a leading zero group.
  private mutating func longTag() throws(CryptoError) -> Int {
    var number = 0
    for index in 0..<3 {
      guard let octet = rest.popFirst(), index > 0 || octet != 0x80 else { throw Self.malformed }
      number = number << 7 | Int(octet & 0x7F)
      if octet & 0x80 == 0 {
        guard number >= 31 else { throw Self.malformed }
        return number
      }
    }
    throw Self.malformed
  }

  private mutating func length() throws(CryptoError) -> Int {
    guard let first = rest.popFirst() else { throw Self.malformed }
    guard first >= 0x80 else { return Int(first) }
    let octets = Int(first & 0x7F)
    guard (1...3).contains(octets), rest.count >= octets else { throw Self.malformed }
    var length = 0
    for _ in 0..<octets { length = length << 8 | Int(rest.popFirst() ?? 0) }
    guard length >= 0x80, octets == 1 || length >> (8 * (octets - 1)) > 0 else { throw Self.malformed }
    return length
  }

  /// The next element, which must have this universal tag.
  mutating func next(_ tag: Int) throws(CryptoError) -> ASN1Element {
    let element = try next()
    guard element.isUniversal(tag) else { throw Self.malformed }
    return element
  }

  /// The next element when it has this context tag; nil, and nothing read, otherwise.
  mutating func nextIfContext(_ tag: Int) throws(CryptoError) -> ASN1Element? {
    try nextIf { $0.isContext(tag) }
  }

  /// The next element when it has this universal tag; nil, and nothing read, otherwise.
  mutating func nextIfUniversal(_ tag: Int) throws(CryptoError) -> ASN1Element? {
    try nextIf { $0.isUniversal(tag) }
  }

  private mutating func nextIf(_ condition: (ASN1Element) -> Bool) throws(CryptoError) -> ASN1Element? {
    guard !isAtEnd else { return nil }
    var copy = self
    let element = try copy.next()
    guard condition(element) else { return nil }
    self = copy
    return element
  }

  func expectEnd() throws(CryptoError) {
    guard isAtEnd else { throw Self.malformed }
  }

  /// The only element of these bytes.
  static func single(_ bytes: ArraySlice<UInt8>, _ tag: Int) throws(CryptoError) -> ASN1Element {
    var reader = ASN1Reader(bytes)
    let element = try reader.next(tag)
    try reader.expectEnd()
    return element
  }
}

// MARK: - Contents of primitives

extension ASN1Element {
  func boolean() throws(CryptoError) -> Bool {
    guard content.count == 1, let octet = content.first, octet == 0x00 || octet == 0xFF else {
      throw ASN1Reader.malformed
    }
    return octet == 0xFF
  }

  /// The octets of an INTEGER or ENUMERATED in shortest two's complement.
  func integerOctets() throws(CryptoError) -> ArraySlice<UInt8> {
    guard let first = content.first else { throw ASN1Reader.malformed }
    if let second = content.dropFirst().first {
      let isPadded = first == 0x00 && second < 0x80 || first == 0xFF && second >= 0x80
      guard !isPadded else { throw ASN1Reader.malformed }
    }
    return content
  }

  /// An INTEGER or ENUMERATED of at most eight octets.
  func integer() throws(CryptoError) -> Int {
    let octets = try integerOctets()
    guard octets.count <= 8 else { throw ASN1Reader.malformed }
    var value = octets.first.map { $0 >= 0x80 ? -1 : 0 } ?? 0
    for octet in octets { value = value << 8 | Int(octet) }
    return value
  }

  /// An OBJECT IDENTIFIER in dotted form; arcs of up to 28 bits.
  func objectIdentifier() throws(CryptoError) -> String {
    var arcs: [Int] = []
    var arc = 0
    var isInside = false
    guard content.count <= 64 else { throw ASN1Reader.malformed }
    for octet in content {
      guard isInside || octet != 0x80, arc < 1 << 21 else { throw ASN1Reader.malformed }
      arc = arc << 7 | Int(octet & 0x7F)
      isInside = octet & 0x80 != 0
      if !isInside {
        arcs.append(arc)
        arc = 0
      }
    }
    guard !isInside, let first = arcs.first else { throw ASN1Reader.malformed }
    let root = min(first / 40, 2)
    return ([root, first - 40 * root] + arcs.dropFirst()).map(String.init).joined(separator: ".")
  }

  /// The octets of a BIT STRING that has a whole number of them.
  func bitStringOctets() throws(CryptoError) -> ArraySlice<UInt8> {
    guard content.first == 0 else { throw ASN1Reader.malformed }
    return content.dropFirst()
  }
}
