import AuthenticatorCore

/// The cookies of one client (RFC 6265, section 5).
///
/// The client talks to one server only, so a cookie of a whole public suffix can reach nobody else. The session cookie
/// is not kept here: the session's storage owns the token.
package struct CookieJar {
  package private(set) var cookies: [Cookie] = []
  /// The session cookie's name.
  private let excluded: String

  private static let maximumCount = 50
  private static let maximumBytes = 4096

  package init(excluding name: String, cookies: [Cookie] = []) {
    excluded = name
    self.cookies = Array(cookies.prefix(Self.maximumCount))
  }

  /// Takes a `Set-Cookie` field. What breaks a rule is ignored, as the RFC asks.
  package mutating func receive(_ field: String, from url: WebURL, at now: UnixTime) {
    guard field.utf8.count <= Self.maximumBytes, let cookie = Self.parse(field, from: url, at: now),
      cookie.name != excluded
    else { return }
    let isSame: (Cookie) -> Bool = {
      $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path
        && $0.isHostOnly == cookie.isHostOnly
    }
    let isExpired = cookie.expires.map { $0 <= now } ?? false
    if let index = cookies.firstIndex(where: isSame) {
      // Plain http must not overwrite what came over TLS.
      guard url.scheme == "https" || !cookies[index].isSecure else { return }
      if isExpired { cookies.remove(at: index) } else { cookies[index] = cookie }
    } else if !isExpired {
      cookies.append(cookie)
      if cookies.count > Self.maximumCount { cookies.removeFirst() }
    }
  }

  /// The `Cookie` field for a request; nil when none fits.
  package func header(for url: WebURL, at now: UnixTime) -> String? {
    let fitting = cookies.enumerated().filter { _, cookie in
      let reachesHost = cookie.isHostOnly ? url.host == cookie.domain : Self.host(url.host, isWithin: cookie.domain)
      return reachesHost && Self.path(url.path, isWithin: cookie.path)
        && (!cookie.isSecure || url.scheme == "https") && cookie.expires.map { $0 > now } ?? true
    }
    let ordered = fitting.sorted {
      let (left, right) = ($0.element.path.utf8.count, $1.element.path.utf8.count)
      return left == right ? $0.offset < $1.offset : left > right
    }
    return ordered.isEmpty ? nil : ordered.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
  }

  /// Those to keep beyond the process.
  func persistent(_ names: Set<String>, at now: UnixTime) -> [Cookie] {
    cookies.filter { names.contains($0.name) && $0.expires.map { $0 > now } ?? true }
  }

  mutating func removeAll() { cookies = [] }

  // MARK: Rules

  /// Section 5.2. Nil: to be ignored.
  package static func parse(_ field: String, from url: WebURL, at now: UnixTime) -> Cookie? {
    var parts = field.split(separator: ";", omittingEmptySubsequences: false)[...]
    guard let pair = parts.popFirst(), let equals = pair.firstIndex(of: "=") else { return nil }
    let name = trimmed(pair[..<equals])
    let value = trimmed(pair[pair.index(after: equals)...])
    guard !name.isEmpty, name.utf8.allSatisfy(HTTPToken.admits), HTTPToken.isFieldValue(value) else { return nil }

    var cookie = Cookie(
      name: name, value: value, domain: url.host, isHostOnly: true, path: defaultPath(url.path), isSecure: false,
      expires: nil)
    var maximumAge: UnixTime?
    for part in parts {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let argument = halves.count == 2 ? trimmed(halves[1]) : ""
      switch trimmed(halves.first ?? "").lowercased() {
      case "expires": cookie.expires = HTTPDate.parse(argument) ?? cookie.expires
      case "max-age": maximumAge = expiry(seconds: argument, at: now) ?? maximumAge
      case "domain":
        let domain = (argument.hasPrefix(".") ? String(argument.dropFirst()) : argument).lowercased()
        if domain.isEmpty { continue }
        guard host(url.host, isWithin: domain) else { return nil }
        // The host itself, an address included, needs no rule; a bare label would be a public suffix.
        guard domain == url.host || domain.contains(".") else { return nil }
        cookie.isHostOnly = !domain.contains(".")
        cookie.domain = domain
      case "path": cookie.path = argument.hasPrefix("/") ? argument : defaultPath(url.path)
      case "secure": cookie.isSecure = true
      default: break
      }
    }
    cookie.expires = maximumAge ?? cookie.expires
    if cookie.isSecure, url.scheme != "https" { return nil }
    if name.hasPrefix("__Secure-"), !cookie.isSecure { return nil }
    if name.hasPrefix("__Host-"), !(cookie.isSecure && cookie.isHostOnly && cookie.path == "/") { return nil }
    return cookie
  }

  /// Section 5.1.3: the host itself or one below it; nothing is below an address.
  static func host(_ host: String, isWithin domain: String) -> Bool {
    if host == domain { return true }
    let isAddress = host.hasPrefix("[") || host.split(separator: ".").last.map { UInt8($0) != nil } ?? true
    return !isAddress && host.hasSuffix("." + domain)
  }

  /// Section 5.1.4.
  static func path(_ path: String, isWithin prefix: String) -> Bool {
    path == prefix || path.hasPrefix(prefix) && (prefix.hasSuffix("/") || path.dropFirst(prefix.count).hasPrefix("/"))
  }

  private static func defaultPath(_ path: String) -> String {
    guard path.hasPrefix("/"), let last = path.lastIndex(of: "/"), last != path.startIndex else { return "/" }
    return String(path[..<last])
  }

  private static func expiry(seconds: String, at now: UnixTime) -> UnixTime? {
    let digits = seconds.hasPrefix("-") ? seconds.dropFirst() : seconds[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    if seconds.hasPrefix("-") { return UnixTime(milliseconds: .min) }
    let count = min(Int64(digits) ?? .max, 400 * 86_400)  // the RFC's successor caps the age at 400 days
    return count == 0 ? UnixTime(milliseconds: .min) : now.advanced(by: .seconds(count))
  }

  private static func trimmed(_ text: Substring) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let start = text.drop(while: isSpace)
    guard let last = start.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(start[...last])
  }
}
