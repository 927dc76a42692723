import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestCertificates

extension FuzzTarget {
  /// FIDO's list of models: as the whole file, which nobody vouches for, and as what a trusted signer signed.
  static let metadata = FuzzTarget(name: "metadata", maximumLength: 4096) { bytes in
    guard let signer = try? signer.get() else { throw Broken(promise: "there is a signer") }
    let whole = try? MetadataBLOB(jws: bytes, roots: signer.roots, at: 1_800_000_000)
    try expect(whole == nil, "a stranger's list is not believed")
    let jws = try signer.sign(bytes)
    guard let list = try? MetadataBLOB(jws: jws, roots: signer.roots, at: 1_800_000_000) else { return }
    try expect(list.nextUpdate >= "2027-01-15", "a list that is overdue is not believed")
    let entries = (try? JSONValue.parse(bytes))?["entries"]?.arrayValue?.count ?? 0
    try expect(list.count <= entries, "no model comes from nowhere")
    if list.number > 0 {
      let rolledBack = try? MetadataBLOB(
        jws: jws, roots: signer.roots, at: 1_800_000_000, minimumNumber: list.number == .max ? .max : list.number + 1)
      try expect(rolledBack == nil || list.number == .max, "an older list is not believed")
    }
  }

  private static let signer = Result { try ListSigner() }
}

private struct ListSigner {
  let roots: TrustAnchors
  private let key: PrivateKey
  private let head: String

  init() throws {
    let root = try TestCertificate.authority()
    let leaf = try TestCertificate(subject: [("2.5.4.3", "Signer")])
    roots = try TrustAnchors([try root.certificate()])
    key = leaf.key
    let header: JSONObject = ["alg": "ES256", "x5c": [.string(Base64.encode(try leaf.encoded(issuer: root)))]]
    head = Base64URL.encode(header.serialized())
  }

  func sign(_ payload: [UInt8]) throws -> [UInt8] {
    let input = head + "." + Base64URL.encode(payload)
    return Array("\(input).\(Base64URL.encode(try key.sign(Array(input.utf8)).rawRepresentation))".utf8)
  }
}
