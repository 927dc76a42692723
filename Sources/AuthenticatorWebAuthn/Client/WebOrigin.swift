/// A web origin with a domain as host, in exactly the form browsers serialize it: `https://host[:port]`.
///
/// Strict, because the text goes into signed data as it is: a path, a trailing slash, user information, upper-case or
/// non-ASCII letters and a port that the scheme implies are no part of an origin. Hosts that are addresses parse, and
/// have no effective domain.
struct WebOrigin: Hashable, Sendable {
  let text: String
  let scheme: String
  let host: String
  let port: Int

  /// Nil for anything else.
  init?(_ text: String) {
    guard text.utf8.count <= 2048, let separator = text.firstRange(of: "://") else { return nil }
    scheme = String(text[..<separator.lowerBound])
    guard scheme == "https" || scheme == "http" else { return nil }
    let implied = scheme == "https" ? 443 : 80
    let authority = text[separator.upperBound...]
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]"),
        IPv6Address.isSerialized(authority[authority.index(after: authority.startIndex)..<end])
      else { return nil }
      let rest = authority[authority.index(after: end)...]
      host = String(authority[...end])
      if rest.isEmpty {
        port = implied
      } else {
        guard rest.first == ":", let port = Self.port(rest.dropFirst()), port != implied else { return nil }
        self.port = port
      }
    } else {
      let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      host = String(parts.first ?? "")
      guard Domain.isHost(host) else { return nil }
      if parts.count == 2 {
        guard let port = Self.port(parts[1]), port != implied else { return nil }
        self.port = port
      } else {
        port = implied
      }
    }
    self.text = text
  }

  private static func port(_ text: Substring) -> Int? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), text.first != "0",
      let port = Int(text), port <= 65_535
    else { return nil }
    return port
  }

  /// Whether the origin is a secure context: https, or this machine by name where that is admitted.
  func isSecure(allowingLocalhost: Bool) -> Bool {
    scheme == "https" || (allowingLocalhost && (host == "localhost" || host.hasSuffix(".localhost")))
  }
}

/// Domain names in lower-case ASCII.
enum Domain {
  /// Whether the text has the form of a host: labels of letters, digits, hyphens and underscores. A trailing dot makes
  /// another host of it and is refused.
  static func isHost(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...253).contains(bytes.count) else { return false }
    return bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.count)
        && label.allSatisfy { byte in
          switch byte {
          case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
          default: false
          }
        }
    }
  }

  /// Whether a host is a domain and no address: URL parsers take every host for an IPv4 address whose last label is a
  /// number, decimal or hexadecimal.
  static func isDomain(_ host: String) -> Bool {
    guard isHost(host), let last = host.split(separator: ".").last else { return false }
    if last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return false }
    let isHexadecimal =
      last.hasPrefix("0x")
      && last.utf8.dropFirst(2).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    return !isHexadecimal
  }

  /// ASCII letters in lower case; everything else stays.
  static func lowercased(_ text: String) -> String {
    String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
