internal import AuthenticatorCoding

/// `/v1/client/sessions`: sign-out, what a session is good for, and the tasks that keep it pending.
struct ClientSessionsEndpoint: FrontendEndpoint {
  func respond(to call: inout FrontendCall) async throws -> ServerResponse? {
    guard call.request.path.starts(with: ["client", "sessions"]) else { return nil }
    let path = call.request.path.dropFirst(2)
    switch (path.count, path.dropFirst().first) {
    case (0, _): return try await removeAll(call)
    case (1, _): return try await show(path[2], call)
    case (2, "remove"): return try await remove(path[2], call)
    case (4, "tasks") where path[5] == "complete": return try await complete(path[4], of: path[2], call)
    default: return nil
    }
  }

  private func removeAll(_ call: FrontendCall) async throws -> ServerResponse {
    try call.require("DELETE")
    let client = try call.requireClient()
    _ = try await call.registry.endClientSessions(nil, ofClient: client.digest, at: call.now)
    return call.json(["response": try await call.clientJSON(), "client": .null])
  }

  private func show(_ id: String, _ call: FrontendCall) async throws -> ServerResponse {
    try call.require("GET")
    let client = try call.requireClient()
    let sessions = try await call.registry.clientSessions(ofClient: client.digest)
    return try await answer(sessions.first { $0.id == id }, call)
  }

  /// A session that is over already is shown as it is, so that a sign-out may be repeated.
  private func remove(_ id: String, _ call: FrontendCall) async throws -> ServerResponse {
    try call.require("POST")
    let client = try call.requireClient()
    return try await answer(
      try await call.registry.endClientSessions(id, ofClient: client.digest, at: call.now).first, call)
  }

  private func complete(_ task: String, of id: String, _ call: FrontendCall) async throws -> ServerResponse {
    try call.require("POST")
    let client = try call.requireClient()
    guard let session = try await call.liveSessions(of: client).first(where: { $0.id == id }) else {
      throw FrontendFailure(.resourceNotFound)
    }
    guard session.tasks.contains(task) else { throw FrontendFailure(.resourceNotFound) }
    return try await answer(
      try await call.registry.completeTask(task, ofSession: id, client: client.digest, at: call.now), call)
  }

  /// Throws `FrontendFailure` (`resource_not_found`) alike for sessions of other clients and for none.
  private func answer(_ session: ClientSessionRecord?, _ call: FrontendCall) async throws -> ServerResponse {
    guard let session, session.realm == call.realm else { throw FrontendFailure(.resourceNotFound) }
    let user = try await call.registry.user(id: session.userID, in: session.realm)
    return try await call.answer(session.resource(user: user, now: call.now))
  }
}
