internal import AuthenticatorCore

/// The header fields of everything the page consists of.
enum PageHeaders {
  /// The browser runs what this server sent as a file, talks to this server alone, and evaluates nothing: not even text
  /// that reached a sink such as `innerHTML` (trusted types).
  static let contentSecurityPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].joined(separator: "; ")

  /// - Parameter cache: the value of `Cache-Control`.
  static func all(cache: String) -> [HTTPField] {
    [
      HTTPField("Content-Security-Policy", contentSecurityPolicy), HTTPField("Cache-Control", cache),
      HTTPField("X-Content-Type-Options", "nosniff"), HTTPField("X-Frame-Options", "DENY"),
      HTTPField("Referrer-Policy", "no-referrer"), HTTPField("Cross-Origin-Opener-Policy", "same-origin"),
      HTTPField("Cross-Origin-Resource-Policy", "same-origin"),
      HTTPField(
        "Permissions-Policy",
        "publickey-credentials-create=(self), publickey-credentials-get=(self), camera=(), geolocation=(), microphone=()"
      ),
    ]
  }
}
