internal import AuthenticatorCoding
internal import AuthenticatorCore

/// A page that runs any journey of the server in a browser, at `/`.
///
/// ```swift
/// configuration.routes = [SignInPage()]
/// configuration.sessionCookie = .browsers
/// ```
///
/// `/` lists the journeys; `/?journey=Login&realm=/alpha` runs one, and `/?suspendedId=…` goes on with a parked one.
/// The page keeps the session in the server's cookie: with `SessionCookie.never` a journey ends well, and leaves the
/// browser without a session. Passkeys work where a browser admits them: over https, and at `http://localhost`, but not
/// at an address such as `127.0.0.1`.
///
/// Nothing is loaded from elsewhere, nothing is evaluated, and no text of a server or person is ever read as markup.
public struct SignInPage: ServerRoute {
  /// What the list says about a journey, by name; a journey that is not in it is listed by its name alone.
  public let descriptions: [String: String]

  /// Makes the page.
  public init(descriptions: [String: String] = Self.builtInDescriptions) { self.descriptions = descriptions }

  /// The descriptions of the built-in journeys.
  public static var builtInDescriptions: [String: String] {
    Dictionary(BuiltInJourneys.descriptions.map { ($0.name, $0.text) }) { first, _ in first }
  }

  public func respond(to request: ServerRequest, server: JourneyServer) async throws -> ServerResponse? {
    let configuration = server.configuration
    if let target = try ResumeRedirect.target(of: request, contextPath: configuration.contextPath) {
      return ServerResponse(status: 303, fields: PageHeaders.all(cache: "no-store") + [HTTPField("Location", target)])
    }
    if request.path == Self.configurationPath {
      guard Self.isRead(request) else { return Self.notAllowed }
      return ServerResponse(
        status: 200,
        fields: PageHeaders.all(cache: "no-store") + [HTTPField("Content-Type", "application/json;charset=UTF-8")],
        body: description(of: configuration).serialized())
    }
    guard let asset = PageAsset.at(request.path) else { return nil }
    guard Self.isRead(request) else { return Self.notAllowed }
    return asset.response(to: request)
  }

  /// Where the page asks what it is a page of.
  static let configurationPath = "/page/server.json"

  private static func isRead(_ request: ServerRequest) -> Bool { request.method == "GET" || request.method == "HEAD" }

  private static let notAllowed = ServerResponse(
    status: 405, fields: PageHeaders.all(cache: "no-store") + [HTTPField("Allow", "GET, HEAD")])

  private func description(of configuration: JourneyServerConfiguration) -> JSONValue {
    let journeys = configuration.journeys.map { tree -> JSONValue in
      ["name": .string(tree.name), "description": descriptions[tree.name].map(JSONValue.string) ?? .null]
    }
    return [
      "contextPath": .string(configuration.contextPath), "journeys": .array(journeys),
      "realms": .array(
        configuration.realms.map { ["path": .string($0.path), "urlPath": .string($0.urlPath)] }),
    ]
  }
}
