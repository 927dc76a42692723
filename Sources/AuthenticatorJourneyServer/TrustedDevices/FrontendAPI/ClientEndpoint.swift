internal import AuthenticatorCoding

/// `/v1/client`: GET shows the client, POST and PUT make one where there is none.
struct ClientEndpoint: FrontendEndpoint {
  func respond(to call: inout FrontendCall) async throws -> ServerResponse? {
    guard call.request.path == ["client"] else { return nil }
    try call.require("GET", "POST", "PUT")
    if call.request.method != "GET" {
      _ = try call.ensureClient()
    } else if call.client == nil, call.request.deviceToken != nil {
      // The one place where a stale token is taken away: elsewhere a request that was overtaken would take a new one.
      call.clearToken()
    }
    return call.json(["response": try await call.clientJSON(), "client": .null])
  }
}
