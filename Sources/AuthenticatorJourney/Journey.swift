import AuthenticatorCoding
import AuthenticatorCore

/// A client of PingAM's `/authenticate` protocol: walks a journey node by node, keeps the session it ends in.
///
/// Each instance has its own session, cookies and flows; two never see each other's. One flow runs at a time unless
/// the configuration says otherwise. Nothing here shows anything: an app reads the callbacks and asks.
///
///     var node = try await journey.start("Login")
///     while case .continue(let page) = node {
///       page.callback(NameCallback.self)?.name = "mira"
///       page.callback(PasswordCallback.self)?.password = "…"
///       node = try await page.next()
///     }
public final class Journey: Sendable {
  /// Where it signs in, and how; fixed for the client's life.
  public let configuration: JourneyConfiguration
  /// The callback classes; fixed for the client's life.
  public let callbacks: CallbackRegistry
  let transport: any HTTPTransport
  let environment: AuthenticatorEnvironment
  let memory: JourneyMemory

  /// Makes a client that is signed out unless `storage` holds a session. Sends nothing.
  /// - Parameters:
  ///   - environment: for clocks; time limits use its uptime, polling its sleep.
  ///   - storage: keeps the session; in memory by default. One storage belongs to one client.
  ///   - callbacks: start from `.standard` and register more.
  public init(
    _ configuration: JourneyConfiguration, transport: any HTTPTransport, environment: AuthenticatorEnvironment,
    storage: any SessionStorage = InMemorySessionStorage(), callbacks: CallbackRegistry = .standard
  ) {
    self.configuration = configuration
    self.transport = transport
    self.environment = environment
    self.callbacks = callbacks
    memory = JourneyMemory(configuration: configuration, environment: environment, storage: storage)
  }

  // MARK: Flows

  /// Starts a journey by name. A stored session goes along, so the server may end the flow at once, or raise it.
  /// - Throws: `busy` (`JourneyConfiguration.overlap`), `transportFailed`, `timedOut`, `invalidMessage`,
  ///   `invalidRequest` for an empty name, `storageFailed` when the stored session cannot be read.
  public func start(_ name: String, options: JourneyOptions = JourneyOptions()) async throws -> JourneyNode {
    guard !name.isEmpty, name.utf8.count <= 16_384 else {
      throw AuthenticatorError(.invalidRequest, stage: "journey.start", reason: "the journey needs a name")
    }
    var query = [(name: "authIndexType", value: options.index.rawValue), (name: "authIndexValue", value: name)]
    if options.forceAuth { query.append(("ForceAuth", "true")) }
    return try await begin(JourneyFlow(journey: self, name: name, options: options), query: query)
  }

  /// Goes on with a flow that was parked (`JourneyNode.suspended`), by the link the person opened.
  ///
  /// Only the link's `suspendedId` is used, and sent to the configured server, whatever host the link names.
  /// - Throws: `invalidRequest` when the link has none, or several, or names a realm that is not this client's (the
  ///   link stays good then); otherwise as `start`.
  public func resume(_ link: String, options: JourneyOptions = JourneyOptions()) async throws -> JourneyNode {
    let link = try SuspendedJourneyLink(link)
    if let realm = link.realm, realm != configuration.realm {
      throw AuthenticatorError(
        .invalidRequest, stage: "journey.resume", reason: "the link belongs to the realm \(realm)")
    }
    let flow = JourneyFlow(journey: self, name: nil, options: options)
    return try await begin(flow, query: [("suspendedId", link.suspendedID)])
  }

  private func begin(_ flow: JourneyFlow, query: [(name: String, value: String)]) async throws -> JourneyNode {
    try await memory.begin(flow)
    do {
      let node = try await flow.post(JSONObject(), extraQuery: query)
      try await flow.finish(with: node)
      return node
    } catch {
      flow.end()
      throw error
    }
  }

  // MARK: Session

  /// The stored session; nil: nobody is signed in.
  /// - Throws: `storageFailed`, `invalidRequest` when the storage holds another server's session.
  public var session: JourneySession? { get async throws { try await memory.currentSession() } }

  /// Signs out: forgets session and cookies here, then ends the session on the server. Keys and bindings stay.
  ///
  /// The local half is done whatever the server says; a session that the server does not know any more is no error.
  /// - Throws: `transportFailed` or `timedOut` when the server may still hold the session; `storageFailed`.
  public func logout() async throws {
    guard let session = try await memory.forget(), session.hasToken else { return }
    let answer = try await endOnServer(session)
    guard answer.status < 500 else {
      throw AuthenticatorError(
        .transportFailed, stage: "journey.logout", reason: "the server could not end the session")
    }
  }

  /// Stores a session and ends the one it replaces. That the old one cannot be ended is no reason to fail.
  /// - Throws: `storageFailed`, after the new one, which would be nobody's, was ended.
  func adopt(_ session: JourneySession) async throws {
    let old: JourneySession?
    do {
      old = try await memory.adopt(session)
    } catch {
      do { _ = try await endOnServer(session) } catch {}
      throw error
    }
    guard let old, old.hasToken else { return }
    do { _ = try await endOnServer(old) } catch {}
  }

  private func endOnServer(_ session: JourneySession) async throws -> HTTPResponse {
    var url = endpoint("sessions")
    url.query = "_action=logout"
    return try await send(
      "POST", url, version: "resource=3.1, protocol=1.0", token: session.tokenID, body: JSONObject())
  }

  // MARK: Requests

  func endpoint(_ path: String) -> WebURL {
    configuration.server.appending(path: "json/realms/\(configuration.realm.urlPath)/\(path)")
  }

  /// Posts one step.
  func exchange(_ body: JSONObject, query: [(name: String, value: String)]) async throws -> HTTPResponse {
    var url = endpoint("authenticate")
    url.query = query.isEmpty ? nil : PercentEncoding.query(query)
    let token = try await memory.currentSession()?.tokenID
    return try await send("POST", url, version: "resource=2.1, protocol=1.0", token: token, body: body)
  }

  /// Sends a request of the signed-in user to another of the realm's endpoints: `users/…/devices/2fa/binding`.
  /// - Parameter path: percent-encoded.
  /// - Throws: as the transport; `invalidRequest` when nobody is signed in.
  package func sessionRequest(
    _ method: String, path: String, query: String? = nil, version: String, body: JSONObject? = nil
  ) async throws -> HTTPResponse {
    guard let session = try await memory.currentSession(), session.hasToken else {
      throw AuthenticatorError(.invalidRequest, stage: "journey.session", reason: "nobody is signed in")
    }
    var url = endpoint(path)
    url.query = query
    return try await send(method, url, version: version, token: session.tokenID, body: body)
  }

  private func send(_ method: String, _ url: WebURL, version: String, token: String?, body: JSONObject?) async throws
    -> HTTPResponse
  {
    var fields = [
      HTTPField("Accept", "application/json"),
      HTTPField("Accept-API-Version", version),
      HTTPField("X-Requested-With", "authenticator-kit"),
    ]
    if body != nil { fields.append(HTTPField("Content-Type", "application/json")) }
    if let languages = acceptLanguage { fields.append(HTTPField("Accept-Language", languages)) }
    if let token, !token.isEmpty { fields.append(HTTPField(configuration.cookieName, token)) }
    if let cookies = await memory.cookieHeader(for: url) { fields.append(HTTPField("Cookie", cookies)) }
    let request = HTTPRequest(
      method: method, url: url, fields: fields, body: body?.serialized(), timeout: configuration.requestTimeout,
      maximumBodyBytes: configuration.limits.answerBytes)
    let response: HTTPResponse
    do {
      response = try await transport.send(request)
    } catch {
      throw AuthenticatorError.wrapping(error, as: .transportFailed, stage: "journey.transport")
    }
    guard response.body.count <= configuration.limits.answerBytes else {
      throw AuthenticatorError(.invalidMessage, stage: "journey.answer", reason: "the answer is too long")
    }
    try await memory.receive(response, from: url)
    return response
  }

  /// Weighted languages (RFC 9110, section 12.5.4); what is no language tag is left out.
  private var acceptLanguage: String? {
    let tags = configuration.languages.prefix(10).filter { tag in
      (1...35).contains(tag.utf8.count)
        && tag.utf8.allSatisfy { HTTPToken.admits($0) && ($0 >= 0x30 || $0 == UInt8(ascii: "-")) }
    }
    guard !tags.isEmpty else { return nil }
    return tags.enumerated().map { $0.offset == 0 ? $0.element : "\($0.element);q=0.\(10 - $0.offset)" }
      .joined(separator: ", ")
  }
}
