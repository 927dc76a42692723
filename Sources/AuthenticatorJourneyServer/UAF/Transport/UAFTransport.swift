internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorRelyingParty

/// The HTTP form of UAF (Application API and Transport Binding 1.1 section 4): `POST /uaf/request` takes a
/// GetUAFRequest and answers with a ReturnUAFRequest, `POST /uaf/response` takes a SendUAFResponse and answers with a
/// ServerResponse, `GET /uaf/facets` lists the app's facets. All three stand below the context path too.
///
/// `context` of a request is JSON text: for `Auth` an optional `username`, and `transaction: true` to confirm the
/// configured text; for `Dereg` an optional list `authenticators`, all keys without it. `Reg` and `Dereg` are for the
/// user of the session that the request comes with. `context` of a response may hold `acceptChangedEnrollment: true`:
/// with a session of the same user, a changed set of fingers or faces counts from now on. Any other member is refused.
struct UAFTransport: ServerRoute {
  static let facetPath = "/uaf/facets"
  static let requestPath = "/uaf/request"
  static let responsePath = "/uaf/response"
  static let contentType = "application/fido+uaf"
  /// What requests of these addresses are for; journeys have another word.
  static let context = "http"

  func respond(to request: ServerRequest, server: JourneyServer) async throws -> ServerResponse? {
    let prefix = server.configuration.contextPath
    let path = request.path.hasPrefix(prefix + "/uaf/") ? String(request.path.dropFirst(prefix.count)) : request.path
    guard [Self.facetPath, Self.requestPath, Self.responsePath].contains(path) else { return nil }
    guard server.uaf.isConfigured else { throw RESTFailure.notFound() }
    if path == Self.facetPath {
      guard request.method == "GET" || request.method == "HEAD" else {
        throw RESTFailure.methodNotAllowed(allowed: "GET", "HEAD")
      }
      return facets(server)
    }
    do { return try await answer(request, isRequest: path == Self.requestPath, server) } catch {
      return Self.refusal(server.failure(for: error))
    }
  }

  private func answer(
    _ request: ServerRequest, isRequest: Bool, _ server: JourneyServer
  ) async throws -> ServerResponse {
    guard request.method == "POST" else { throw RESTFailure.methodNotAllowed(allowed: "POST") }
    guard !SessionCarriers.isFromElsewhere(request) else { throw RESTFailure.forbidden }
    let body = try Self.body(of: request, server)
    let call = UAFCall(
      body: body, server: server, session: try await server.session(ofUAF: request), isRequest: isRequest)
    let answer = try await call.answer()
    return ServerResponse(
      status: 200,
      fields: [
        HTTPField("Content-Type", Self.contentType + "; charset=utf-8"), HTTPField("Cache-Control", "no-store"),
        HTTPField("X-Content-Type-Options", "nosniff"),
      ], body: answer.serialized())
  }

  /// What is no call, and faults of the server: as elsewhere, with a status code that a client can be told.
  private static func refusal(_ failure: RESTFailure) -> ServerResponse {
    let code: UAFStatusCode =
      switch failure.status {
      case 403: .forbidden
      case 429, 500...: .internalError
      default: .badRequest
      }
    var response = ServerResponse(failure)
    if var body = failure.body.objectValue {
      body["statusCode"] = .integer(Int64(code.rawValue))
      response.body = JSONValue.object(body).serialized()
    }
    return response
  }

  private func facets(_ server: JourneyServer) -> ServerResponse {
    let party = server.uaf.party(at: server.address)
    return ServerResponse(
      status: 200,
      fields: [
        HTTPField("Content-Type", UAFTrustedFacets.contentType), HTTPField("Cache-Control", "max-age=3600"),
        HTTPField("X-Content-Type-Options", "nosniff"),
      ], body: UAFTrustedFacets(versions: party.versions, ids: party.facets).json.serialized())
  }

  /// Throws `RESTFailure`: 415 for another content type, 400 for anything but an object.
  private static func body(of request: ServerRequest, _ server: JourneyServer) throws -> JSONObject {
    let type = (request.field("Content-Type") ?? "").split(separator: ";", maxSplits: 1).first ?? ""
    guard type.filter({ $0 != " " && $0 != "\t" }).lowercased() == contentType else {
      throw RESTFailure(status: 415, message: "Content-Type must be \(contentType)")
    }
    let limits = server.configuration.limits
    let bounds = JSONLimits(
      bytes: limits.bodyBytes, depth: limits.jsonDepth, textBytes: UAFReceivedResponse.maximumBytes,
      values: limits.jsonValues)
    guard let object = (try? JSONValue.parse(request.body, limits: bounds))?.objectValue else {
      throw RESTFailure.badRequest("The request is not a JSON object within the limits")
    }
    return object
  }
}

extension JourneyServer {
  /// The session of a request to the UAF addresses. No page from elsewhere can send their content type unasked, so a
  /// cookie counts.
  fileprivate func session(ofUAF request: ServerRequest) async throws -> SessionRecord? {
    guard let token = sessionToken(of: request, trustsCookie: true) else { return nil }
    return try await session(token: token, in: uaf.realm)
  }
}
