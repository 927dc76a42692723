import AuthenticatorCore

/// One cookie as a user agent keeps it (RFC 6265, section 5.3).
public struct Cookie: Hashable, Sendable {
  /// Its name.
  public var name: String
  /// Its value; a secret.
  public var value: String
  /// Lower case, without leading dot.
  public var domain: String
  /// Whether it goes to `domain` alone and not to hosts below it.
  public var isHostOnly: Bool
  /// It goes to this path and below.
  public var path: String
  /// Whether it goes over https only.
  public var isSecure: Bool
  /// Nil: it ends with the client.
  public var expires: UnixTime?

  /// Makes a cookie; storages do.
  public init(
    name: String, value: String, domain: String, isHostOnly: Bool, path: String, isSecure: Bool, expires: UnixTime?
  ) {
    self.name = name
    self.value = value
    self.domain = domain
    self.isHostOnly = isHostOnly
    self.path = path
    self.isSecure = isSecure
    self.expires = expires
  }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
  /// Name and place; never the value.
  public var description: String { "Cookie(\(name) for \(domain)\(path))" }
  public var customMirror: Mirror { Mirror(self, children: ["name": name, "domain": domain, "path": path]) }
}
