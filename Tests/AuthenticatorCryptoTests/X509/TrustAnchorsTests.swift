import AuthenticatorCrypto
import TestCertificates
import Testing

@Suite struct TrustAnchorsTests {
  private static let now: Int64 = 1_800_000_000

  private func leaf() throws -> TestCertificate {
    var leaf = try TestCertificate(subject: [("2.5.4.3", "Leaf")])
    leaf.extensions = [
      (TestCertificate.basicConstraints, true, TestCertificate.basicConstraints(isAuthority: false))
    ]
    return leaf
  }

  private func expect(
    _ code: CryptoError.Code?, _ chain: [X509Certificate], _ anchors: [X509Certificate], at time: Int64 = now
  ) throws {
    let anchors = try TrustAnchors(anchors)
    do throws(CryptoError) {
      try anchors.verify(chain, at: time)
      #expect(code == nil)
    } catch { #expect(error.code == code) }
  }

  @Test func followsAPathToTheAnchor() throws {
    let (root, middle, leaf) = (try TestCertificate.authority(), try TestCertificate.authority("Middle"), try leaf())
    let chain = [try leaf.certificate(issuer: middle), try middle.certificate(issuer: root)]
    try expect(nil, chain, [try root.certificate()])
    // The root may come along, and order behind the leaf does not matter.
    try expect(nil, [chain[0], try root.certificate(), chain[1]], [try root.certificate()])
  }

  @Test func anyCertificateOfThePathMayBeTheAnchor() throws {
    let (root, middle, leaf) = (try TestCertificate.authority(), try TestCertificate.authority("Middle"), try leaf())
    let chain = [try leaf.certificate(issuer: middle), try middle.certificate(issuer: root)]
    try expect(nil, chain, [chain[1]])
    try expect(nil, chain, [chain[0]])
    try expect(nil, [chain[0]], [chain[1]])
  }

  @Test func aRootInThePathProvesNothing() throws {
    let (root, stranger, leaf) = (try TestCertificate.authority(), try TestCertificate.authority("Other"), try leaf())
    let chain = [try leaf.certificate(issuer: root), try root.certificate()]
    try expect(.certificateUntrusted, chain, [try stranger.certificate()])
    try expect(.certificateUntrusted, chain, [])
  }

  @Test func aRootOfTheSameNameWithAnotherKeyProvesNothing() throws {
    let (root, impostor, leaf) = (try TestCertificate.authority(), try TestCertificate.authority(), try leaf())
    try expect(.certificateUntrusted, [try leaf.certificate(issuer: impostor)], [try root.certificate()])
  }

  @Test func refusesAMissingLink() throws {
    let (root, middle, leaf) = (try TestCertificate.authority(), try TestCertificate.authority("Middle"), try leaf())
    try expect(.certificateUntrusted, [try leaf.certificate(issuer: middle)], [try root.certificate()])
  }

  @Test func onlyAuthoritiesMaySign() throws {
    let root = try TestCertificate.authority()
    var middle = try leaf()
    middle.subject = [("2.5.4.3", "Middle")]
    let chain = [try leaf().certificate(issuer: middle), try middle.certificate(issuer: root)]
    try expect(.certificateUntrusted, chain, [try root.certificate()])
  }

  @Test func checksValidityAtTheGivenTime() throws {
    let root = try TestCertificate.authority()
    let chain = [try leaf().certificate(issuer: root)]
    let anchors = [try root.certificate()]
    try expect(.certificateNotYetValid, chain, anchors, at: 1_704_067_199)
    try expect(nil, chain, anchors, at: 1_704_067_200)
    try expect(nil, chain, anchors, at: 2_019_686_399)
    try expect(.certificateExpired, chain, anchors, at: 2_019_686_401)
  }

  @Test func refusesUnknownCriticalExtensions() throws {
    let root = try TestCertificate.authority()
    var leaf = try leaf()
    leaf.extensions.append(("1.2.3.4", true, [5, 0]))
    try expect(.certificateUntrusted, [try leaf.certificate(issuer: root)], [try root.certificate()])
  }

  @Test func refusesEmptyAndOverlongPaths() throws {
    let root = try TestCertificate.authority()
    let certificate = try root.certificate()
    try expect(.certificateUntrusted, [], [certificate])
    let path = [X509Certificate](repeating: certificate, count: TrustAnchors.maximumPathLength + 1)
    try expect(.certificateUntrusted, path, [certificate])
  }

  @Test func acceptsTheLongestPath() throws {
    let root = try TestCertificate.authority()
    var issuer = root
    var path: [X509Certificate] = []
    for number in 1..<TrustAnchors.maximumPathLength {
      let next = try TestCertificate.authority("Level \(number)")
      path.insert(try next.certificate(issuer: issuer), at: 0)
      issuer = next
    }
    path.insert(try leaf().certificate(issuer: issuer), at: 0)
    try expect(nil, path, [try root.certificate()])
  }

  @Test func negativeAndHugeSerialNumbersDoNotTrap() throws {
    let root = try TestCertificate.authority()
    var leaf = try leaf()
    leaf.serialNumber = [0xFF]
    try expect(nil, [try leaf.certificate(issuer: root)], [try root.certificate()])
    leaf.serialNumber = [UInt8](repeating: 0x11, count: 65)
    #expect(throws: CryptoError(.invalidCertificate, "")) { try leaf.certificate(issuer: root) }
  }
}
