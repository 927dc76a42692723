internal import AuthenticatorCoding

/// The textual form of certificates (RFC 7468 section 5).
extension X509Certificate {
  private static let begin = "-----BEGIN CERTIFICATE-----"
  private static let end = "-----END CERTIFICATE-----"

  /// Reads all certificates of a text, in order; what stands outside them is passed over.
  ///
  /// At most 4 MiB. Throws `CryptoError.Code.invalidCertificate` for a text without a certificate, a marker without its
  /// counterpart, or a certificate that cannot be read.
  public static func certificates(pem text: String) throws(CryptoError) -> [X509Certificate] {
    guard text.utf8.count <= 1 << 22 else { throw CryptoError(.invalidCertificate, "the text is too long") }
    var certificates: [X509Certificate] = []
    var lines: [String]?
    for line in text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) {
      let line = line.filter { $0 != " " && $0 != "\t" }
      switch (line, lines) {
      case (marker(begin), nil): lines = []
      case (marker(begin), _), (marker(end), nil):
        throw CryptoError(.invalidCertificate, "a marker has no counterpart")
      case (marker(end), let body?):
        let der: [UInt8]
        do throws(TextDecodingError) { der = try Base64.decode(body.joined()) } catch {
          throw CryptoError(.invalidCertificate, "a certificate is not in base64")
        }
        certificates.append(try X509Certificate(derRepresentation: der))
        lines = nil
      default: lines?.append(line)
      }
    }
    guard lines == nil, !certificates.isEmpty else {
      throw CryptoError(.invalidCertificate, "there is no complete certificate")
    }
    return certificates
  }

  /// A marker as it looks without spaces.
  private static func marker(_ text: String) -> String { text.filter { $0 != " " } }

  /// The certificate between its markers, 64 characters a line.
  public var pemRepresentation: String {
    var lines = [Self.begin]
    var rest = Base64.encode(derRepresentation)[...]
    while !rest.isEmpty {
      lines.append(String(rest.prefix(64)))
      rest = rest.dropFirst(64)
    }
    return (lines + [Self.end]).joined(separator: "\n") + "\n"
  }
}
