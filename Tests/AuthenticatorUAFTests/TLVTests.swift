import AuthenticatorCoding
import Testing

@testable import AuthenticatorUAF

struct TLVTests {
  private static func registration() throws -> [UInt8] {
    try UAFVectors().vector("pub-reg-full-chain").base64URL("assertion")
  }
  private static func authentication() throws -> [UInt8] {
    try UAFVectors().vector("pub-auth-tx").base64URL("assertion")
  }

  @Test func refusesEveryPrefix() throws {
    let (registration, authentication) = (try Self.registration(), try Self.authentication())
    for count in 0..<registration.count {
      #expect(throws: TLVError.self) { try RegistrationAssertion(Array(registration.prefix(count))) }
    }
    for count in 0..<authentication.count {
      #expect(throws: TLVError.self) { try AuthenticationAssertion(Array(authentication.prefix(count))) }
    }
  }

  /// Where the lengths of all elements stand.
  private static func lengthOffsets(_ element: TLVElement, at start: Int = 0) -> [Int] {
    var offsets = [start + 2]
    var position = start + 4
    for child in element.elements {
      offsets += lengthOffsets(child, at: position)
      position += child.rawBytes.count
    }
    return offsets
  }

  @Test func refusesEveryWrongLength() throws {
    for (bytes, isRegistration) in [(try Self.registration(), true), (try Self.authentication(), false)] {
      for offset in Self.lengthOffsets(try TLVElement(bytes)) {
        let length = UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
        for wrong in [length &- 1, length &+ 1, 0, 0xFFFF] where wrong != length {
          var bent = bytes
          bent[offset] = UInt8(truncatingIfNeeded: wrong)
          bent[offset + 1] = UInt8(truncatingIfNeeded: wrong >> 8)
          #expect(throws: TLVError.self, "length \(wrong) at \(offset)") {
            if isRegistration { _ = try RegistrationAssertion(bent) } else { _ = try AuthenticationAssertion(bent) }
          }
        }
      }
    }
  }

  /// Every flipped bit is refused as TLV, or stands in a field that was read: writing the fields gives it back. Only
  /// what became a tag that nobody knows and that is not critical is passed over.
  private static func flipEveryBit(
    of bytes: [UInt8], _ rewritten: ([UInt8]) throws -> [UInt8]
  ) throws -> (refused: Int, read: Int) {
    var (refused, read) = (0, 0)
    #expect(try rewritten(bytes) == bytes)
    for index in bytes.indices {
      for bit in 0..<8 {
        var bent = bytes
        bent[index] ^= 1 << bit
        do {
          let again = try rewritten(bent)
          if again == bent {
            read += 1
          } else if tags(of: try TLVElement(bent)).isSubset(of: UAFTag.known) {
            Issue.record("bit \(bit) of byte \(index) was not read")
          }
        } catch is TLVError {
          refused += 1
        }
      }
    }
    return (refused, read)
  }

  @Test func everyFlippedBitIsRefusedOrRead() throws {
    // Certificates are not looked into, so that short ones prove as much.
    let full = try RegistrationAssertion.encode(
      try RegistrationAssertion(try Self.registration()).signedBytes,
      .basicFull(signature: [1, 2, 3], chain: [[4, 5], [6]]))
    let registration = try Self.flipEveryBit(of: full) { bytes in
      let read = try RegistrationAssertion(bytes)
      return try RegistrationAssertion.encode(try read.keyRegistrationData.encoded(), read.attestation)
    }
    let authentication = try Self.flipEveryBit(of: try Self.authentication()) { bytes in
      let read = try AuthenticationAssertion(bytes)
      return try AuthenticationAssertion.encode(try read.signedData.encoded(), signature: read.signature)
    }
    // Tags and lengths are four bytes of each element; the mode, or the shape of a name, refuses some bits more.
    #expect(registration.refused > 32 * 10 && registration.read > 8 * 100)
    #expect(authentication.refused > 32 * 9 && authentication.read > 8 * 100)
  }

  private static func rebuilt(_ element: TLVElement, _ change: (TLVElement) -> [TLVElement]) throws -> [UInt8] {
    guard element.tag.isComposite else { return element.rawBytes }
    var content: [UInt8] = []
    for child in element.elements.flatMap(change) { content += try rebuilt(child, change) }
    var writer = TLVWriter()
    try writer.write(element.tag, content)
    return writer.bytes
  }

  @Test func refusesDoubledTags() throws {
    let root = try TLVElement(try Self.authentication())
    for tag: UAFTag in [
      .signedData, .signature, .aaid, .assertionInfo, .authenticatorNonce, .finalChallengeHash,
      .transactionContentHash, .keyID, .counters,
    ] {
      let bent = try Self.rebuilt(root) { $0.tag == tag ? [$0, $0] : [$0] }
      #expect(throws: TLVError.repeated(tag)) { try AuthenticationAssertion(bent) }
    }
    for bytes in try Self.registrations() {
      let root = try TLVElement(bytes)
      for tag in Self.tags(of: root) where tag != root.tag && tag != .attestationCertificate {
        let bent = try Self.rebuilt(root) { $0.tag == tag ? [$0, $0] : [$0] }
        #expect(throws: TLVError.repeated(tag)) { try RegistrationAssertion(bent) }
      }
    }
  }

  @Test func refusesMissingTags() throws {
    let root = try TLVElement(try Self.authentication())
    for tag: UAFTag in [
      .signature, .aaid, .assertionInfo, .authenticatorNonce, .finalChallengeHash, .transactionContentHash, .keyID,
      .counters,
    ] {
      let bent = try Self.rebuilt(root) { $0.tag == tag ? [] : [$0] }
      #expect(throws: TLVError.missing(tag)) { try AuthenticationAssertion(bent) }
    }
    for bytes in try Self.registrations() {
      let root = try TLVElement(bytes)
      for tag in Self.tags(of: root) where tag != root.tag {
        let bent = try Self.rebuilt(root) { $0.tag == tag ? [] : [$0] }
        // Either kind of attestation would do, so the one that every reader knows is told.
        let missing = tag == .attestationBasicFull ? UAFTag.attestationBasicSurrogate : tag
        #expect(throws: TLVError.missing(missing)) { try RegistrationAssertion(bent) }
      }
    }
  }

  /// One of each kind of attestation.
  private static func registrations() throws -> [[UInt8]] {
    let full = try Self.registration()
    let read = try RegistrationAssertion(full)
    let surrogate = try RegistrationAssertion.encode(
      read.signedBytes, .basicSurrogate(signature: [UInt8](repeating: 7, count: 64)))
    return [full, surrogate]
  }

  private static func tags(of element: TLVElement) -> Set<UAFTag> {
    element.elements.reduce(into: [element.tag]) { $0.formUnion(tags(of: $1)) }
  }

  @Test func refusesSignatureBeforeSignedData() throws {
    let root = try TLVElement(try Self.authentication())
    var writer = TLVWriter()
    try writer.write(root.tag, Array(root.elements.reversed().map(\.rawBytes).joined()))
    #expect(throws: TLVError.outOfOrder(.signedData)) { try AuthenticationAssertion(writer.bytes) }
  }

  @Test func readsSignedTagsInAnyOrder() throws {
    let root = try TLVElement(try Self.authentication())
    let signed = try #require(root.elements.first)
    var inner = TLVWriter()
    try inner.write(.signedData, Array(signed.elements.reversed().map(\.rawBytes).joined()))
    var writer = TLVWriter()
    try writer.write(root.tag, inner.bytes + (try #require(root.elements.last).rawBytes))
    #expect(
      try AuthenticationAssertion(writer.bytes).signedData == AuthenticationAssertion(root.rawBytes).signedData)
  }

  @Test func refusesTrailingBytes() throws {
    #expect(throws: TLVError.self) { try RegistrationAssertion(try Self.registration() + [0]) }
    #expect(throws: TLVError.self) { try AuthenticationAssertion(try Self.authentication() + [0, 0, 0, 0]) }
  }

  @Test func refusesUnknownCriticalTagsAndPassesOverOthers() throws {
    let root = try TLVElement(try Self.authentication())
    let signed = try #require(root.elements.first)
    let extended = { (tag: UAFTag) in
      var inner = TLVWriter()
      try inner.write(.signedData, signed.value + TLVWriter.header(tag, count: 1) + [7])
      var writer = TLVWriter()
      try writer.write(root.tag, inner.bytes + (try #require(root.elements.last).rawBytes))
      return writer.bytes
    }
    let critical = UAFTag(rawValue: 0x2EFF)
    #expect(throws: TLVError.unknownCriticalTag(critical)) { try AuthenticationAssertion(try extended(critical)) }
    #expect(throws: Never.self) { try AuthenticationAssertion(try extended(UAFTag(rawValue: 0x0EFF))) }
    #expect(throws: TLVError.unexpected(.rawUserVerificationState)) {
      try AuthenticationAssertion(try extended(.rawUserVerificationState))
    }
  }

  @Test func boundsSizeDepthAndNumber() throws {
    #expect(throws: TLVError.tooLarge) { try TLVElement([UInt8](repeating: 0, count: 4097)) }
    var nested: [UInt8] = []
    for _ in 0..<6 { nested = TLVWriter.header(.signedData, count: nested.count) + nested }
    #expect(throws: TLVError.tooDeep) { try TLVElement(nested) }
    let many = [UInt8](repeating: 0, count: 4 * 300)
    #expect(throws: TLVError.tooLarge) { try TLVElement(TLVWriter.header(.signedData, count: many.count) + many) }
    var writer = TLVWriter()
    #expect(throws: TLVError.tooLarge) { try writer.write(.keyID, [UInt8](repeating: 0, count: 65_536)) }
  }

  @Test(arguments: [UInt16(0x4106), 0x8106, 0xC106, 0x7E01, 0xFE01])
  func refusesTagsOfMoreThanFourteenBits(_ tag: UInt16) {
    let bytes = [UInt8(tag & 0xFF), UInt8(tag >> 8), 0, 0]
    #expect(throws: TLVError.malformed(UAFTag(rawValue: tag))) { try TLVElement(bytes) }
    let outer = [0x01, 0x3E, 4, 0] + bytes
    #expect(throws: TLVError.malformed(UAFTag(rawValue: tag))) { try TLVElement(outer) }
  }
}
