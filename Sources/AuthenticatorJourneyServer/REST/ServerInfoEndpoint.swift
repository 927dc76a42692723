internal import AuthenticatorCoding

/// `GET …/serverinfo/*`: what a client must know to talk to the server; needs no session.
struct ServerInfoEndpoint: RESTEndpoint {
  func respond(to request: RESTRequest, server: JourneyServer) async throws -> ServerResponse? {
    guard request.path == ["serverinfo", "*"] else { return nil }
    guard request.request.method == "GET" else { throw RESTFailure.methodNotAllowed(allowed: "GET") }
    return .json([
      "_id": "*", "cookieName": .string(server.configuration.cookieName), "secureCookie": false, "domains": [],
      "forgotPassword": "false", "selfRegistration": "false", "lang": "en",
      "successfulUserRegistrationDestination":
        "default", "realm": .string(request.realm.path),
    ])
  }
}
