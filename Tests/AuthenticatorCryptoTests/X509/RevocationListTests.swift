import AuthenticatorCoding
import AuthenticatorCrypto
import TestCertificates
import Testing

@Suite struct RevocationListTests {
  private static let now: Int64 = 1_800_000_000
  private let root: TestCertificate
  private let middle: TestCertificate
  private let chain: [X509Certificate]
  private static let leafSerial: [UInt8] = [0x0A]
  private static let middleSerial: [UInt8] = [0x0B]

  init() throws {
    root = try TestCertificate.authority()
    var middle = try TestCertificate.authority("Middle")
    middle.serialNumber = Self.middleSerial
    var leaf = try TestCertificate(subject: [("2.5.4.3", "Leaf")])
    leaf.serialNumber = Self.leafSerial
    self.middle = middle
    chain = [try leaf.certificate(issuer: middle), try middle.certificate(issuer: root)]
  }

  /// What becomes of the path under these lists; nil: it is accepted.
  private func verdict(
    _ lists: [TestRevocationList], required: Bool = false, at time: Int64 = now, anchor: X509Certificate? = nil
  ) throws -> CryptoError.Code? {
    let anchors = try TrustAnchors(
      [try anchor ?? root.certificate()], revocationLists: try lists.map { try $0.list() })
    do throws(CryptoError) {
      try anchors.verify(chain, at: time, requiresRevocationLists: required)
      return nil
    } catch { return error.code }
  }

  @Test func refusesWhatAListNames() throws {
    let (ofRoot, ofMiddle) = (TestRevocationList(of: root), TestRevocationList(of: middle))
    #expect(try verdict([ofRoot, ofMiddle]) == nil)
    #expect(try verdict([ofRoot, ofMiddle], required: true) == nil)
    for required in [false, true] {
      let leaf = TestRevocationList(of: middle, revoking: [0x01], Self.leafSerial)
      #expect(try verdict([ofRoot, leaf], required: required) == .certificateRevoked)
      let authority = TestRevocationList(of: root, revoking: Self.middleSerial)
      #expect(try verdict([authority, ofMiddle], required: required) == .certificateRevoked)
      // The other issuer's certificate has the number.
      let other = TestRevocationList(of: root, revoking: Self.leafSerial)
      #expect(try verdict([other, ofMiddle], required: required) == nil)
    }
  }

  @Test func anIssuerWithoutAListHasRevokedNothingUnlessItMustHaveOne() throws {
    let (ofRoot, ofMiddle) = (TestRevocationList(of: root), TestRevocationList(of: middle))
    #expect(try verdict([]) == nil)
    #expect(try verdict([ofRoot]) == nil && verdict([ofMiddle]) == nil)
    #expect(try verdict([], required: true) == .revocationUnknown)
    #expect(try verdict([ofRoot], required: true) == .revocationUnknown)
    #expect(try verdict([ofMiddle], required: true) == .revocationUnknown)
    // The list that is there counts all the same.
    #expect(try verdict([TestRevocationList(of: middle, revoking: Self.leafSerial)]) == .certificateRevoked)
  }

  @Test func anAnchorIsTrustedAsItIs() throws {
    let ofMiddle = TestRevocationList(of: middle)
    #expect(try verdict([ofMiddle], required: true, anchor: chain[1]) == nil)
    #expect(try verdict([], required: true, anchor: chain[0]) == nil)
    #expect(try verdict([], required: true, anchor: chain[1]) == .revocationUnknown)
  }

  @Test func aListCountsInItsTimeAndFromItsIssuerOnly() throws {
    let ofRoot = TestRevocationList(of: root)
    var ofMiddle = TestRevocationList(of: middle)
    ofMiddle.nextUpdate = "260101000000Z"
    #expect(try verdict([ofRoot, ofMiddle]) == .revocationUnknown, "overdue")
    ofMiddle.nextUpdate = "340101000000Z"
    ofMiddle.thisUpdate = "330101000000Z"
    #expect(try verdict([ofRoot, ofMiddle]) == .revocationUnknown, "not yet")
    var forged = TestRevocationList(of: middle)
    forged.signer = try PrivateKey.generate(.es256)
    #expect(try verdict([ofRoot, forged]) == .revocationUnknown)
    // Somebody else's list says nothing about these.
    let stranger = TestRevocationList(of: try TestCertificate.authority("Other"), revoking: Self.leafSerial)
    #expect(try verdict([stranger]) == nil)
    #expect(try verdict([stranger], required: true) == .revocationUnknown)
    #expect(try verdict([], at: 2_100_000_000) == .certificateExpired)
  }

  @Test func everyPrefixIsRefusedAndEveryFlipThrowsOrIsKept() throws {
    let bytes = try TestRevocationList(of: root, revoking: Self.leafSerial).encoded()
    for count in bytes.indices {
      #expect(throws: CryptoError.self) { try RevocationList(derRepresentation: Array(bytes[..<count])) }
    }
    #expect(throws: CryptoError.self) { try RevocationList(derRepresentation: bytes + [0]) }
    for index in bytes.indices {
      for bit in 0..<8 {
        var bent = bytes
        bent[index] ^= 1 << UInt8(bit)
        guard let list = try? RevocationList(derRepresentation: bent) else { continue }
        #expect(list.derRepresentation == bent)
        let anchors = try TrustAnchors([try root.certificate()], revocationLists: [list])
        // Two issuers, and the list is of one of them at most.
        #expect(throws: CryptoError.self) { try anchors.verify(chain, at: Self.now, requiresRevocationLists: true) }
      }
    }
    #expect(throws: CryptoError.self) {
      try RevocationList(derRepresentation: [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF])
    }
    #expect(throws: CryptoError.self) {
      try RevocationList(derRepresentation: [UInt8](repeating: 0x30, count: RevocationList.maximumSize + 1))
    }
  }

  @Test func readsEveryListOfAText() throws {
    func pem(_ list: TestRevocationList) throws -> String {
      "-----BEGIN X509 CRL-----\n\(Base64.encode(try list.encoded()))\n-----END X509 CRL-----\n"
    }
    let (first, second) = (TestRevocationList(of: root), TestRevocationList(of: middle))
    let text = "Issuer: Root\n" + (try pem(first)) + "\n" + (try pem(second)).replacing("\n", with: "\r\n")
    #expect(try RevocationList.lists(pem: text).count == 2)
    for text in [
      "", "no list", String(try pem(first).dropLast(30)), "-----END X509 CRL-----\n" + (try pem(first)),
      "-----BEGIN X509 CRL-----\n" + (try pem(first)), "-----BEGIN X509 CRL-----\n*\n-----END X509 CRL-----\n",
      "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
    ] {
      #expect(throws: CryptoError.self, "\(text.prefix(40))") { try RevocationList.lists(pem: text) }
    }
  }
}
