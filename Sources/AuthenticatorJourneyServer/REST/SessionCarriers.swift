internal import AuthenticatorCore

/// Where the session token of one answer travels.
struct SessionCarriers {
  /// In `tokenId`.
  let body: Bool
  /// In `Set-Cookie`.
  let cookie: Bool

  init(_ setting: JourneyServerConfiguration.SessionCookie, for request: ServerRequest) {
    switch setting {
    case .never: (body, cookie) = (true, false)
    case .also: (body, cookie) = (true, true)
    case .only: (body, cookie) = (false, true)
    case .browsers: (body, cookie) = Self.isOfBrowser(request) ? (false, true) : (true, false)
    }
  }

  /// A browser sends one of these with every POST; a script in it can neither forge nor leave out either.
  private static func isOfBrowser(_ request: ServerRequest) -> Bool {
    (request.field("Sec-Fetch-Site") ?? request.field("Origin")) != nil
  }

  /// Whether a browser says that a page from elsewhere caused a request. Such a page may not even start a journey: what
  /// ends it would sign the browser in as somebody its person is not. Other ports of the same host count as elsewhere.
  static func isFromElsewhere(_ request: ServerRequest) -> Bool {
    guard let site = request.field("Sec-Fetch-Site") else { return false }
    return site != "same-origin" && site != "none"
  }
}

extension JourneyServer {
  /// The field that hands a browser its session; nil takes it back.
  func sessionCookie(_ token: String?) -> HTTPField {
    let path = configuration.contextPath.isEmpty ? "/" : configuration.contextPath
    let secure = address.hasPrefix("https://") ? "; Secure" : ""
    let life = token == nil ? "; Max-Age=0" : ""
    return HTTPField(
      "Set-Cookie", "\(configuration.cookieName)=\(token ?? ""); Path=\(path)\(life); HttpOnly; SameSite=Lax\(secure)")
  }
}
