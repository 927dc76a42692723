import AuthenticatorCrypto

/// Files of certificates that vouch for something.
enum CertificateFile {
  /// The certificates of all files; nil: there are no files.
  static func anchors(_ paths: [String], revocationLists: [RevocationList] = []) throws -> TrustAnchors? {
    var certificates: [X509Certificate] = []
    for path in paths {
      let text = String(decoding: try InputFile.bytes(path), as: UTF8.self)
      let found = try Self.certificates(text, path, stage: "trust-anchors")
      // Each file on its own, so that the message names the one that cannot be used.
      do throws(CryptoError) { _ = try TrustAnchors(found) } catch {
        throw unusable(path, error, stage: "trust-anchors")
      }
      certificates += found
    }
    return certificates.isEmpty ? nil : try TrustAnchors(certificates, revocationLists: revocationLists)
  }

  /// The certificates in a file's text; tells one that cannot be used from none.
  static func certificates(_ text: String, _ path: String, stage: String) throws -> [X509Certificate] {
    do throws(CryptoError) { return try X509Certificate.certificates(pem: text) } catch {
      guard ["BEGIN", "END"].allSatisfy({ text.contains("\($0) CERTIFICATE-----") }) else {
        throw Failure.unusable(
          "inputUnusable", "\(InputFile.name(path)) holds no certificates in PEM form", stage: stage)
      }
      throw unusable(path, error, stage: stage)
    }
  }

  private static func unusable(_ path: String, _ error: CryptoError, stage: String) -> Failure {
    Failure.unusable(
      "inputUnusable", "\(InputFile.name(path)) holds a certificate that cannot be used here: \(error.reason)",
      stage: stage)
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
