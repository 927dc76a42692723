import AuthenticatorCrypto

/// Files of certificates that vouch for something.
enum CertificateFile {
  /// The certificates of all files; nil: there are no files.
  static func anchors(_ paths: [String]) throws -> TrustAnchors? {
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
    return certificates.isEmpty ? nil : try TrustAnchors(certificates)
  }
}
