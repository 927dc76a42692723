public import AuthenticatorCoding
public import AuthenticatorCore

/// A request to PingAM's REST interface, with its path and query taken apart.
public struct RESTRequest: Sendable {
  /// The request as it came.
  public let request: ServerRequest
  /// The realm it is for.
  public let realm: Realm
  /// What follows the realm, decoded: `["users", "id=…,ou=user", "devices", "2fa", "binding"]`.
  public let path: [String]
  let query: QueryItems

  /// A query parameter, decoded.
  public func parameter(_ name: String) -> String? { query[name] }

  /// Whether a query parameter is `true`.
  public func flag(_ name: String) -> Bool { query.flag(name) }

  /// Takes a request whose path begins with the server's context path, then `json`; nil when it does not.
  ///
  /// Understood are `/json/realms/root/realms/a/realms/b/…`, `/json/realms/a/…` and `/json/…`; the parameter `realm`
  /// overrides the path. Throws `RESTFailure` (400) for a malformed path, query or realm.
  init?(_ request: ServerRequest, contextPath: String) throws(RESTFailure) {
    guard request.path.hasPrefix(contextPath) else { return nil }
    let rest = request.path.utf8.dropFirst(contextPath.utf8.count)
    guard rest.first == UInt8(ascii: "/") else { return nil }
    var segments: [String] = []
    for segment in rest.split(separator: UInt8(ascii: "/"), maxSplits: 33) {
      guard segments.count < 32, let text = PercentEncoding.decode(segment[...], plusIsSpace: false) else {
        throw .badRequest("Malformed path")
      }
      segments.append(text)
    }
    guard segments.first == "json" else { return nil }
    segments.removeFirst()
    let query = try QueryItems(request.query)
    var realm = Realm.root
    if segments.first == "realms" { realm = try Self.takeRealm(from: &segments) }
    if let name = query["realm"] {
      guard let named = Realm(name) else { throw .badRequest("Invalid realm") }
      realm = named
    }
    self.request = request
    self.realm = realm
    self.query = query
    path = segments
  }

  /// Takes `realms/root/realms/alpha` or `realms/alpha` off the front.
  private static func takeRealm(from segments: inout [String]) throws(RESTFailure) -> Realm {
    var names: [String] = []
    while segments.first == "realms" {
      guard segments.count > 1, segments[1] != "root" || names.isEmpty else { throw .badRequest("Invalid realm") }
      names.append(segments[1])
      segments.removeFirst(2)
    }
    guard let realm = Realm(names.joined(separator: "/")) else { throw .badRequest("Invalid realm") }
    return realm
  }

  /// The body as a JSON object; empty when there is none.
  ///
  /// Throws `RESTFailure`: 415 for another content type, 413 for a body over the limit, 400 for anything but an object.
  func bodyObject(limits: JourneyServerLimits) throws(RESTFailure) -> JSONObject {
    guard !request.body.isEmpty else { return [:] }
    if let type = request.field("Content-Type"), !Self.isJSON(type) {
      throw RESTFailure(status: 415, message: "Content-Type must be application/json")
    }
    guard request.body.count <= limits.bodyBytes else {
      throw RESTFailure(status: 413, message: "The request is too large")
    }
    do {
      let limits = JSONLimits(
        bytes: limits.bodyBytes, depth: limits.jsonDepth, textBytes: limits.textBytes, values: limits.jsonValues)
      if let object = try JSONValue.parse(request.body, limits: limits).objectValue { return object }
    } catch {}
    throw .badRequest("The request is not a JSON object within the limits")
  }

  private static func isJSON(_ contentType: String) -> Bool {
    if contentType == "application/json" { return true }
    let type = contentType.split(separator: ";", maxSplits: 1).first ?? ""
    return type.lowercased().filter { $0 != " " && $0 != "\t" } == "application/json"
  }
}

/// One part of the REST interface. Conform to it to add an endpoint.
public protocol RESTEndpoint: Sendable {
  /// Answers, or returns nil when the request is not for this endpoint.
  ///
  /// Throws `RESTFailure` to refuse.
  func respond(to request: RESTRequest, server: JourneyServer) async throws -> ServerResponse?
}

/// Something the server answers outside the REST interface, such as a page.
public protocol ServerRoute: Sendable {
  /// Answers, or returns nil when the request is not for this route.
  ///
  /// Throws `RESTFailure` to refuse.
  func respond(to request: ServerRequest, server: JourneyServer) async throws -> ServerResponse?
}

extension ServerResponse {
  /// A JSON answer.
  public static func json(_ value: JSONValue, status: Int = 200, fields: [HTTPField] = []) -> ServerResponse {
    ServerResponse(status: status, fields: jsonFields + fields, body: value.serialized())
  }

  private static let jsonFields = [
    HTTPField("Content-Type", "application/json;charset=UTF-8"), HTTPField("Cache-Control", "no-store"),
    HTTPField("X-Content-Type-Options", "nosniff"),
  ]

  init(_ failure: RESTFailure) {
    var fields: [HTTPField] = []
    if let seconds = failure.retryAfter { fields.append(HTTPField("Retry-After", "\(seconds)")) }
    if !failure.allowedMethods.isEmpty {
      fields.append(HTTPField("Allow", failure.allowedMethods.joined(separator: ", ")))
    }
    self = .json(failure.body, status: failure.status, fields: fields)
  }
}
