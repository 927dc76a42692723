internal import AuthenticatorCoding

/// The textual form of certificates (RFC 7468 section 5).
extension X509Certificate {
  private static let label = "CERTIFICATE"

  /// Reads all certificates of a text, in order; what stands outside them is passed over.
  ///
  /// At most 4 MiB. Throws `CryptoError.Code.invalidCertificate` for a text without a certificate, a marker without its
  /// counterpart, or a certificate that cannot be read.
  public static func certificates(pem text: String) throws(CryptoError) -> [X509Certificate] {
    guard text.utf8.count <= 1 << 22 else { throw CryptoError(.invalidCertificate, "the text is too long") }
    var certificates: [X509Certificate] = []
    for der in try PEMText.blocks(text, .invalidCertificate, isWanted: { $0 == label }) {
      certificates.append(try X509Certificate(derRepresentation: der))
    }
    guard !certificates.isEmpty else { throw CryptoError(.invalidCertificate, "there is no complete certificate") }
    return certificates
  }

  /// The certificate between its markers, 64 characters a line.
  public var pemRepresentation: String {
    var lines = ["-----BEGIN \(Self.label)-----"]
    var rest = Base64.encode(derRepresentation)[...]
    while !rest.isEmpty {
      lines.append(String(rest.prefix(64)))
      rest = rest.dropFirst(64)
    }
    return (lines + ["-----END \(Self.label)-----"]).joined(separator: "\n") + "\n"
  }
}
