internal import AuthenticatorCoding

/// `POST …/users?_action=idFromSession` and `GET …/users/{id}`: who the session's user is.
struct UsersEndpoint: RESTEndpoint {
  func respond(to request: RESTRequest, server: JourneyServer) async throws -> ServerResponse? {
    guard request.path.first == "users", request.path.count <= 2 else { return nil }
    if request.path.count == 1 {
      guard request.request.method == "POST", request.parameter("_action") == "idFromSession" else {
        throw RESTFailure(status: 501, message: "Action not supported")
      }
      guard let session = try await server.session(of: request) else { throw RESTFailure.accessDenied }
      return .json([
        "id": .string(session.username), "realm": .string(session.realm.path),
        "dn": .string(session.realm.universalID(of: session.userID)),
        "successURL": .string(server.configuration.successURL), "fullLoginURL": nil,
      ])
    }
    guard request.request.method == "GET" else { throw RESTFailure.methodNotAllowed(allowed: "GET") }
    let session = try await server.session(of: request, asUser: request.path[1])
    let universalID = session.realm.universalID(of: session.userID)
    return .json([
      "_id": .string(session.userID), "username": .string(session.username), "realm": .string(session.realm.path),
      "universalid": .array([.string(universalID)]),
    ])
  }
}
