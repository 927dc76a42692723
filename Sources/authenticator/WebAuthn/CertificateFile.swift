import AuthenticatorCrypto

/// Files of certificates that vouch for something.
enum CertificateFile {
  /// The certificates of all files; nil: there are no files.
  static func anchors(_ paths: [String], revocationLists: [RevocationList] = []) throws -> TrustAnchors? {
    var certificates: [X509Certificate] = []
    for path in paths {
      let text = String(decoding: try InputFile.bytes(path), as: UTF8.self)
      do {
        let found = try X509Certificate.certificates(pem: text)
        // Each file on its own, so that the message names the one that cannot be used.
        _ = try TrustAnchors(found)
        certificates += found
      } catch {
        throw Failure.unusable(
          "inputUnusable", "\(InputFile.name(path)) holds no certificates in PEM form", stage: "trust-anchors")
      }
    }
    return certificates.isEmpty ? nil : try TrustAnchors(certificates, revocationLists: revocationLists)
  }

  /// The revocation lists of all files.
  static func revocationLists(_ paths: [String]) throws -> [RevocationList] {
    try paths.flatMap { path in
      let bytes = try InputFile.bytes(path, limit: 2 * RevocationList.maximumSize)
      do { return try RevocationList.lists(pem: String(decoding: bytes, as: UTF8.self)) } catch {
        throw Failure.unusable(
          "inputUnusable", "\(InputFile.name(path)) holds no revocation lists in PEM form", stage: "revocation-lists")
      }
    }
  }
}
