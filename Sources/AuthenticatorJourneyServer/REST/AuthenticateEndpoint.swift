internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// `POST …/authenticate`: starts, continues and resumes journeys.
struct AuthenticateEndpoint: RESTEndpoint {
  let trees: [String: JourneyTree]
  let tokens: StepTokens
  let ring: TokenKeyRing
  let services: NodeServices

  func respond(to request: RESTRequest, server: JourneyServer) async throws -> ServerResponse? {
    guard request.path == ["authenticate"] else { return nil }
    guard request.request.method == "POST" else { throw RESTFailure.methodNotAllowed(allowed: "POST") }
    let body = try request.bodyObject(limits: server.configuration.limits)
    let run = Run(
      endpoint: self, server: server, request: request, session: try await server.session(of: request), now: server.now
    )
    if let suspendedID = request.parameter("suspendedId") { return try await run.resume(suspendedID) }
    return body.isEmpty ? try await run.start() : try await run.proceed(body)
  }
}

/// The handling of one request.
private struct Run {
  let endpoint: AuthenticateEndpoint
  let server: JourneyServer
  let request: RESTRequest
  var session: SessionRecord?
  let now: UnixTime

  private var limits: JourneyServerLimits { server.configuration.limits }

  // MARK: Start

  func start() async throws -> ServerResponse {
    var run = self
    if let token = request.parameter("sessionUpgradeSSOTokenId") {
      guard let session = try await server.session(token: token, in: request.realm) else {
        throw RESTFailure.badRequest("The session to upgrade is not valid")
      }
      run.session = session
    }
    let tree = try tree(named: try requestedTree() ?? server.configuration.defaultJourney)
    if let session = run.session, session.journeys.contains(tree.name), !request.flag("ForceAuth") {
      return run.alreadyAuthenticated(session)
    }
    let id = JourneyID(try endpoint.services.environment.random(16))
    guard let id else { throw RESTFailure.internalFault }
    let position = JourneyPosition(
      journeyID: id, tree: tree.name, step: 0, nodeID: "", shapes: [], state: NodeState(),
      noSession: request.flag("noSession"))
    var context = run.context(position)
    let stop = try await walker(tree).start(&context)
    return try await run.answer(stop, context, position)
  }

  /// The tree the query names; nil when it names none.
  private func requestedTree() throws(RESTFailure) -> String? {
    guard let type = request.parameter("authIndexType") else { return request.parameter("authIndexValue") }
    switch type {
    case "service":
      guard let name = request.parameter("authIndexValue") else { throw .badRequest("authIndexValue is missing") }
      return name
    case "module": throw RESTFailure.notFound("Authentication module not found")
    case "user", "role", "level", "resource", "composite_advice":
      throw .badRequest("This server starts journeys by service only")
    default: throw .badRequest("Unknown Authentication Index Type")
    }
  }

  private func tree(named name: String) throws(RESTFailure) -> JourneyTree {
    guard let tree = endpoint.trees[name] else { throw .badRequest("No Configuration found") }
    return tree
  }

  // MARK: Continue and resume

  func proceed(_ body: JSONObject) async throws -> ServerResponse {
    guard let text = body["authId"]?.stringValue else { throw RESTFailure.badRequest("authId is missing") }
    let position = try await endpoint.tokens.read(
      text, purpose: .authID, realm: request.realm, tree: try requestedTree(), ring: endpoint.ring, now: now)
    let tree = try tree(named: position.tree)
    guard !position.nodeID.isEmpty else { throw RESTFailure.badRequest("The journey is suspended") }
    guard let callbacks = body["callbacks"]?.arrayValue, callbacks.count <= limits.callbacks else {
      throw RESTFailure.badRequest("callbacks are missing or too many")
    }
    // What is malformed is refused before the step is used up, so that a client may correct itself.
    let answers = try CallbackAnswer.match(callbacks, with: position.shapes)
    try checkSize(of: answers, beside: position.state)
    guard position.step < limits.steps else { throw RESTFailure.timedOut }
    let expiry = now.advanced(by: limits.stepLifetime)
    guard
      try await endpoint.services.registry.consumeStep(
        position.step, ofJourney: position.journeyID, expiresAt: expiry, now: now)
    else {
      server.configuration.log(.stepReplayed(realm: request.realm, journey: position.tree))
      throw RESTFailure.timedOut
    }
    var context = context(position)
    context.answers = answers
    let stop = try await walker(tree).resume(at: position.nodeID, &context)
    return try await answer(stop, context, position)
  }

  /// What a person types is kept in the state, so it must fit beside what is there.
  private func checkSize(of answers: [CallbackAnswer], beside state: NodeState) throws(RESTFailure) {
    let typed = answers.reduce(0) { $0 + $1.typedBytes }
    guard typed > 1024 else { return }
    guard typed + state.json.serialized().count <= limits.stateBytes else { throw .answersTooLarge }
  }

  func resume(_ suspendedID: String) async throws -> ServerResponse {
    let parked = try await endpoint.services.registry.unpark(digest(suspendedID), now: now)
    guard let parked else { throw RESTFailure.suspendedTokenNotFound }
    let position: JourneyPosition
    do {
      position = try await endpoint.tokens.read(
        parked, purpose: .resume, realm: request.realm, tree: nil, ring: endpoint.ring, now: now,
        maximumLifetime: Int(limits.suspendLifetime.components.seconds))
    } catch is RESTFailure {
      throw RESTFailure.suspendedTokenNotFound
    }
    let tree = try tree(named: position.tree)
    var context = context(position)
    context.isResumed = true
    let stop = try await walker(tree).resume(at: position.nodeID, &context)
    return try await answer(stop, context, position)
  }

  /// What a parked journey is kept under: of its realm too, so that a link tried in another one is not used up.
  private func digest(_ suspendedID: String) -> [UInt8] {
    SHA256.hash(Array("\(request.realm.path)\u{0}\(suspendedID)".utf8))
  }

  // MARK: Walking

  private func walker(_ tree: JourneyTree) -> TreeWalker {
    TreeWalker(tree: tree, maximumCallbacks: limits.callbacks)
  }

  private func context(_ position: JourneyPosition) -> NodeContext {
    NodeContext(
      realm: request.realm, journey: position.tree, services: endpoint.services, session: session,
      peer: request.request.peer, serverAddress: server.address, answers: nil, isResumed: false, state: position.state,
      nodeID: position.nodeID)
  }

  private func answer(
    _ stop: TreeWalker.Stop, _ context: NodeContext, _ position: JourneyPosition
  ) async throws -> ServerResponse {
    var next = position
    next.step += 1
    next.state = context.state
    switch stop {
    case .ask(let page, let nodeID):
      next.nodeID = nodeID
      next.shapes = page.callbacks.map(\.shape)
      return .json(page.json(authID: try await token(next)))
    case .suspend(let message, let nodeID):
      next.nodeID = nodeID
      return try await suspend(next, message: message)
    case .success:
      let noSession = position.noSession || request.flag("noSession")
      return try await succeed(context, noSession: noSession)
    case .failure:
      server.configuration.log(.journeyFailed(realm: request.realm, journey: position.tree))
      throw RESTFailure.loginRefused
    }
  }

  private func token(_ position: JourneyPosition) async throws -> String {
    try endpoint.tokens.make(
      position, purpose: .authID, realm: request.realm, keys: try await endpoint.ring.current(), now: now)
  }

  private func suspend(_ position: JourneyPosition, message: String) async throws -> ServerResponse {
    guard let deliver = endpoint.services.deliver else {
      server.configuration.log(.fault("\(position.tree) suspends, and nothing delivers its links"))
      throw RESTFailure.internalFault
    }
    let expiry = now.advanced(by: limits.suspendLifetime)
    let id = Base64URL.encode(try endpoint.services.environment.random(24))
    let state = try endpoint.tokens.make(
      position, purpose: .resume, realm: request.realm, keys: try await endpoint.ring.current(), now: now,
      lifetime: Int(limits.suspendLifetime.components.seconds))
    try await endpoint.services.registry.park(state, under: digest(id), expiresAt: expiry, now: now)
    let address = server.address + "/json/realms/\(request.realm.urlPath)/authenticate?suspendedId=\(id)"
    try await deliver(
      ResumeLink(
        realm: request.realm, journey: position.tree, username: position.state.username, suspendedID: id, url: address,
        expiresAt: expiry))
    // Posting this token leads nowhere: the way on is the link.
    var dead = position
    dead.nodeID = ""
    dead.state = NodeState()
    return .json(NodePage(callbacks: [.suspendedTextOutput(message)]).json(authID: try await token(dead)))
  }

  // MARK: Success

  private func alreadyAuthenticated(_ session: SessionRecord) -> ServerResponse {
    guard !request.flag("noSession") else { return success(token: nil) }
    return success(token: server.sessionToken(of: request))
  }

  private func succeed(_ context: NodeContext, noSession: Bool) async throws -> ServerResponse {
    guard let user = try await context.user() else {
      server.configuration.log(.journeyFailed(realm: request.realm, journey: context.journey))
      throw RESTFailure.loginRefused
    }
    guard user.isActive else { throw RESTFailure.accountInactive }
    server.configuration.log(.journeySucceeded(realm: request.realm, journey: context.journey))
    guard !noSession else { return success(token: nil) }
    var journeys = [context.journey]
    // An upgraded session keeps what it had come through, if it is the same person's.
    if let session, session.userID == user.id { journeys += session.journeys.filter { $0 != context.journey } }
    let token = try await server.makeSession(for: user, journeys: journeys, now: now)
    return success(token: token)
  }

  private func success(token: String?) -> ServerResponse {
    let configuration = server.configuration
    var body: JSONObject = [:]
    var fields: [HTTPField] = []
    if let token {
      let carriers = SessionCarriers(configuration.sessionCookie, for: request.request)
      body["tokenId"] = .string(carriers.body ? token : "")
      if carriers.cookie { fields.append(server.sessionCookie(token)) }
    } else {
      body["message"] = "Authentication Successful"
    }
    body["successUrl"] = .string(configuration.successURL + "?realm=" + request.realm.path)
    body["realm"] = .string(request.realm.path)
    return .json(.object(body), fields: fields)
  }
}

extension NodePage {
  /// The page as the client sees it.
  func json(authID: String) -> JSONValue {
    var inputs = 0
    let callbacks = callbacks.enumerated().map { index, callback in
      let id = callback.inputs.isEmpty ? nil : inputs
      if id != nil { inputs += 1 }
      return callback.json(position: index + 1, id: id)
    }
    var page: JSONObject = ["authId": .string(authID), "callbacks": .array(callbacks)]
    if let stage { page["stage"] = .string(stage) }
    if let header { page["header"] = .string(header) }
    if let description { page["description"] = .string(description) }
    return .object(page)
  }
}
