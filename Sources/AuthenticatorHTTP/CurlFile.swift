import AuthenticatorCoding
internal import Glibc

/// Looks at files before libcurl does, so that a wrong path is named at the start and not at the first request.
enum CurlFile {
  static func isReadable(_ path: String) -> Bool {
    var status = stat()
    return !path.utf8.contains(0) && access(path, R_OK) == 0 && stat(path, &status) == 0
      && status.st_mode & S_IFMT != S_IFDIR
  }

  /// Whether a certificate stands in the file. True for what is no ordinary file: looking would use it up.
  static func mayHoldCertificates(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    // Bundles have a few hundred kilobytes; the first certificate stands near the beginning.
    while bytes.count < 4 << 20 {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return holdsCertificate(String(decoding: bytes, as: UTF8.self))
  }

  /// Whether a block between the marks of RFC 7468 is base64 of something that begins as DER does.
  private static func holdsCertificate(_ text: String) -> Bool {
    var body: String?
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("-----BEGIN "), line.contains("CERTIFICATE-----") {
        body = ""
      } else if line.hasPrefix("-----END "), let block = body {
        if let bytes = try? Base64.decode(block, padding: .tolerated), bytes.first == 0x30 { return true }
        body = nil
      } else {
        body? += line.filter { !$0.isWhitespace }
      }
    }
    return false
  }
}
