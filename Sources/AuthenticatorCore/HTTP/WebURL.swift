/// An absolute `http` or `https` URL in strict ASCII form, taken apart without guessing.
///
/// Foundation's URL decodes and maps host names; here a host is compared as it was written, in lower case. User
/// names, fragments, control characters, spaces, non-ASCII text, percent signs in the host and malformed ports are
/// refused.
public struct WebURL: Hashable, Sendable, CustomStringConvertible {
  /// `http` or `https`.
  public let scheme: String
  /// Lower case; an IPv6 address keeps its brackets.
  public let host: String
  /// The scheme's own port when none was written.
  public let port: Int
  /// Starts with `/`.
  public var path: String
  /// Without the question mark; nil: none.
  public var query: String?

  /// - Throws: `invalidRequest`.
  public init(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard bytes.count <= 65_536, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
      throw Self.malformed("contains a character that a URL cannot hold")
    }
    // All of it is ASCII, so bytes are characters.
    scheme = try Self.scheme(bytes)
    let rest = bytes[(scheme.utf8.count + 3)...]
    guard !rest.contains(UInt8(ascii: "#")) else { throw Self.malformed("has a fragment") }
    let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
    (host, port) = try Self.authority(rest[..<end], defaultPort: scheme == "https" ? 443 : 80)
    let target = rest[end...]
    let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    path = mark == target.startIndex ? "/" : String(decoding: target[..<mark], as: UTF8.self)
    query = mark == target.endIndex ? nil : String(decoding: target[(mark + 1)...], as: UTF8.self)
  }

  private static func scheme(_ bytes: [UInt8]) throws -> String {
    for scheme in ["https", "http"] where bytes.starts(with: (scheme + "://").utf8, by: { lowercase($0) == $1 }) {
      return scheme
    }
    let hasScheme = bytes.indices.contains { bytes[$0...].starts(with: "://".utf8) }
    throw malformed(hasScheme ? "is neither http nor https" : "has no scheme")
  }

  private static func authority(_ text: ArraySlice<UInt8>, defaultPort: Int) throws -> (String, Int) {
    guard !text.contains(UInt8(ascii: "@")) else { throw malformed("has user information") }
    var host = text
    var port = defaultPort
    // The colons of an IPv6 address stand between its brackets.
    let search = text.first == UInt8(ascii: "[") ? text.drop { $0 != UInt8(ascii: "]") }.dropFirst() : text
    if let colon = search.firstIndex(of: UInt8(ascii: ":")) {
      let digits = text[(colon + 1)...]
      guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }),
        let number = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(number)
      else { throw malformed("has a malformed port") }
      port = number
      host = text[..<colon]
    }
    let isAddress = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]") && host.count > 2
    let inner = isAddress ? host.dropFirst().dropLast() : host
    guard !inner.isEmpty, host.count <= 255, inner.allSatisfy({ isAllowed($0, inAddress: isAddress) }) else {
      throw malformed("has a malformed host")
    }
    return (String(decoding: host.map(lowercase), as: UTF8.self), port)
  }

  private static func isAllowed(_ byte: UInt8, inAddress isAddress: Bool) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    case UInt8(ascii: ":"): isAddress
    default: false
    }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 0x20 : byte }

  private static func malformed(_ what: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "url", reason: "the URL \(what)")
  }

  /// Scheme, host and port, without a port that the scheme implies: what two URLs share when they are same-origin.
  public var origin: String {
    let implied = scheme == "https" ? 443 : 80
    let origin = scheme + "://" + host
    return port == implied ? origin : origin + ":" + String(port)
  }

  /// Whether the host names this machine; plain http is tolerated for these only.
  public var isLoopback: Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || Self.isLoopbackAddress(host)
  }

  private static func isLoopbackAddress(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  public var description: String { origin + path + (query.map { "?" + $0 } ?? "") }

  /// The same server with `path` appended to this URL's path, joined by exactly one slash.
  public func appending(path suffix: String) -> WebURL {
    var copy = self
    copy.path = (path.hasSuffix("/") ? String(path.dropLast()) : path) + (suffix.hasPrefix("/") ? suffix : "/" + suffix)
    return copy
  }
}
