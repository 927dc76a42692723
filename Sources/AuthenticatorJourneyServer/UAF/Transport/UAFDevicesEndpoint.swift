internal import AuthenticatorCoding
internal import AuthenticatorRelyingParty

/// `GET …/users/{id}/devices/2fa/uaf`: the UAF keys that the session's own user has, in the form of the other families.
/// They are removed by a deregistration, so that the device hears of it.
struct UAFDevicesEndpoint: RESTEndpoint {
  func respond(to request: RESTRequest, server: JourneyServer) async throws -> ServerResponse? {
    let path = request.path
    guard path.count == 5, path[0] == "users", path[2...4] == ["devices", "2fa", "uaf"] else { return nil }
    let session = try await server.session(of: request, asUser: path[1])
    guard request.request.method == "GET" else { throw RESTFailure.methodNotAllowed(allowed: "GET") }
    guard request.parameter("_queryFilter") == "true" else {
      throw RESTFailure.badRequest("Only _queryFilter=true is supported")
    }
    let keys = try await server.registry.uafKeys(ofUser: session.userID, realm: session.realm)
    let list = keys.map { key -> JSONValue in
      [
        "_id": .string("\(key.registration.aaid)/\(key.registration.keyIDText)"),
        "aaid": .string(key.registration.aaid), "keyId": .string(key.registration.keyIDText),
        "createdDate": .integer(key.createdAt.milliseconds),
        "lastAccessDate": .integer((key.lastUsedAt ?? key.createdAt).milliseconds),
        "deviceName": (server.uaf.settings.models[key.registration.aaid]?.modelDescription).map(JSONValue.string)
          ?? .string(key.registration.aaid),
      ]
    }
    return .json([
      "result": .array(list), "resultCount": .integer(Int64(list.count)), "pagedResultsCookie": nil,
      "totalPagedResultsPolicy": "NONE", "totalPagedResults": -1, "remainingPagedResults": -1,
    ])
  }
}
