import AuthenticatorCoding

/// The tags of assertions (UAF Authenticator Commands 1.1 section 4; Registry of Predefined Values).
enum UAFTag {
  /// Contains further elements.
  static let compositeBit: UInt16 = 0x1000
  /// Whoever does not know it must give up.
  static let criticalBit: UInt16 = 0x2000

  static let registrationAssertion: UInt16 = 0x3E01
  static let authenticationAssertion: UInt16 = 0x3E02
  static let keyRegistrationData: UInt16 = 0x3E03
  static let signedData: UInt16 = 0x3E04
  static let attestationCertificate: UInt16 = 0x2E05
  static let signature: UInt16 = 0x2E06
  static let basicFull: UInt16 = 0x3E07
  static let basicSurrogate: UInt16 = 0x3E08
  static let ecdaa: UInt16 = 0x3E09
  static let keyID: UInt16 = 0x2E09
  static let finalChallengeHash: UInt16 = 0x2E0A
  static let aaid: UInt16 = 0x2E0B
  static let publicKey: UInt16 = 0x2E0C
  static let counters: UInt16 = 0x2E0D
  static let assertionInfo: UInt16 = 0x2E0E
  static let nonce: UInt16 = 0x2E0F
  static let transactionContentHash: UInt16 = 0x2E10
  static let criticalExtension: UInt16 = 0x3E11
  static let optionalExtension: UInt16 = 0x3E12
  static let extensionID: UInt16 = 0x2E13
  static let extensionData: UInt16 = 0x2E14
  static let rawUserVerificationIndex: UInt16 = 0x0103
  static let userVerificationIndex: UInt16 = 0x0104
  static let rawUserVerificationState: UInt16 = 0x0105
  static let userVerificationState: UInt16 = 0x0106
}

/// One element of an assertion: UINT16 tag, UINT16 length, value, little endian. The verifying side's own reader, by
/// design another one than the client's.
struct UAFElement {
  let tag: UInt16
  /// Tag, length and value as they stand in the message.
  let encoded: ArraySlice<UInt8>

  static let headCount = 4

  var value: ArraySlice<UInt8> { encoded.dropFirst(Self.headCount) }

  /// An element that is all of these bytes.
  init(exactly bytes: ArraySlice<UInt8>) throws(UAFVerificationError) {
    let list = try UAFElements(bytes)
    guard list.all.count == 1, let element = list.all.first else {
      throw UAFVerificationError(.assertionMalformed, "there is not exactly one element")
    }
    self = element
  }

  fileprivate init(tag: UInt16, encoded: ArraySlice<UInt8>) {
    self.tag = tag
    self.encoded = encoded
  }

  /// The elements inside.
  func elements() throws(UAFVerificationError) -> UAFElements { try UAFElements(value) }
}

/// Elements one after the other, up to the last byte. Their order is free; the nesting is not.
struct UAFElements {
  /// More elements in one place than any assertion has.
  static let maximumCount = 64

  let all: [UAFElement]

  init(_ bytes: ArraySlice<UInt8>) throws(UAFVerificationError) {
    var elements: [UAFElement] = []
    var rest = bytes
    while !rest.isEmpty {
      guard rest.count >= UAFElement.headCount else {
        throw UAFVerificationError(.assertionMalformed, "an element ends before its length")
      }
      guard elements.count < Self.maximumCount else {
        throw UAFVerificationError(.assertionMalformed, "there are too many elements")
      }
      let start = rest.startIndex
      let tag = UInt16(rest[start]) | UInt16(rest[start + 1]) << 8
      let count = UAFElement.headCount + Int(rest[start + 2]) + Int(rest[start + 3]) << 8
      guard tag & 0xC000 == 0 else { throw UAFVerificationError(.assertionMalformed, "a tag has more than 14 bits") }
      guard count <= rest.count else {
        throw UAFVerificationError(.assertionMalformed, "an element is longer than what is left")
      }
      elements.append(UAFElement(tag: tag, encoded: rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    all = elements
  }

  /// The element of this tag, which must be there exactly once.
  func only(_ tag: UInt16) throws(UAFVerificationError) -> UAFElement {
    guard let element = try optional(tag) else {
      throw UAFVerificationError(.assertionMalformed, "an element is missing")
    }
    return element
  }

  /// The element of this tag, which may be there once.
  func optional(_ tag: UInt16) throws(UAFVerificationError) -> UAFElement? {
    var found: UAFElement?
    for element in all where element.tag == tag {
      guard found == nil else { throw UAFVerificationError(.assertionMalformed, "an element stands twice") }
      found = element
    }
    return found
  }

  /// Refuses what no assertion may hold and what must be understood and is not: every critical tag but those in
  /// `known`. Extensions that stand here are read for their form; a critical one must be one of `UAFExtensionID.known`.
  func check(known: Set<UInt16>) throws(UAFVerificationError) {
    for element in all {
      switch element.tag {
      case UAFTag.rawUserVerificationIndex, UAFTag.rawUserVerificationState:
        throw UAFVerificationError(.rawVerificationDataExposed, "raw verification data left the authenticator")
      case UAFTag.criticalExtension:
        guard UAFExtensionID.known.contains(try Self.extensionParts(of: element).id) else {
          throw UAFVerificationError(.extensionUnknown, "an extension of the assertion must be understood")
        }
      case UAFTag.optionalExtension: _ = try Self.extensionParts(of: element)
      case let tag where tag & UAFTag.criticalBit != 0 && !known.contains(tag):
        throw UAFVerificationError(.criticalTagUnknown, "a critical tag is not known here")
      default: break
      }
    }
  }

  /// What the extensions of this id say, in order.
  func extensionData(_ id: String) throws(UAFVerificationError) -> [ArraySlice<UInt8>] {
    var found: [ArraySlice<UInt8>] = []
    for element in all where element.tag == UAFTag.criticalExtension || element.tag == UAFTag.optionalExtension {
      let parts = try Self.extensionParts(of: element)
      if parts.id == id { found.append(parts.data) }
    }
    return found
  }

  private static func extensionParts(
    of element: UAFElement
  ) throws(UAFVerificationError) -> (id: String, data: ArraySlice<UInt8>) {
    let parts = try element.elements()
    let id = try parts.only(UAFTag.extensionID).value
    let data = try parts.only(UAFTag.extensionData).value
    guard parts.all.count == 2, let text = String(validating: id, as: UTF8.self), (1...32).contains(text.count) else {
      throw UAFVerificationError(.assertionMalformed, "an extension has not its two parts")
    }
    return (text, data)
  }
}
