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
    guard let separator = text.firstRange(of: "://") else { throw Self.malformed("has no scheme") }
    scheme = text[..<separator.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { throw Self.malformed("is neither http nor https") }
    let rest = text[separator.upperBound...]
    guard !rest.contains("#") else { throw Self.malformed("has a fragment") }
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    (host, port) = try Self.authority(rest[..<end], defaultPort: scheme == "https" ? 443 : 80)
    let target = rest[end...]
    if let mark = target.firstIndex(of: "?") {
      let path = target[..<mark]
      self.path = path.isEmpty ? "/" : String(path)
      query = String(target[target.index(after: mark)...])
    } else {
      path = target.isEmpty ? "/" : String(target)
      query = nil
    }
  }

  private static func authority(_ text: Substring, defaultPort: Int) throws -> (String, Int) {
    guard !text.contains("@") else { throw malformed("has user information") }
    var host = text
    var port = defaultPort
    let colon =
      text.first == "[" ? text.firstRange(of: "]:")?.upperBound : text.firstIndex(of: ":").map(text.index(after:))
    if let colon {
      let digits = text[colon...]
      guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits),
        (1...65_535).contains(number)
      else { throw malformed("has a malformed port") }
      port = number
      host = text[..<text.index(before: colon)]
    }
    let isAddress = host.first == "[" && host.last == "]" && host.count > 2
    let inner = isAddress ? host.dropFirst().dropLast() : host
    let allowed: (UInt8) -> Bool = { byte in
      switch byte {
      case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
      case UInt8(ascii: ":"): isAddress
      default: false
      }
    }
    guard !inner.isEmpty, host.utf8.count <= 255, inner.utf8.allSatisfy(allowed) else {
      throw malformed("has a malformed host")
    }
    return (host.lowercased(), port)
  }

  private static func malformed(_ what: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "url", reason: "the URL \(what)")
  }

  /// Scheme, host and port, without a port that the scheme implies: what two URLs share when they are same-origin.
  public var origin: String {
    let implied = scheme == "https" ? 443 : 80
    return port == implied ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
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
