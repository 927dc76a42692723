internal import AuthenticatorCoding
internal import AuthenticatorCore

/// The handling of one request to the Frontend API.
struct FrontendCall: Sendable {
  let request: FrontendRequest
  let services: TrustedDeviceServices
  let passwords: PasswordAuthority
  let log: @Sendable (JourneyServerEvent) -> Void
  let now: UnixTime
  /// The client that the device token names; nil: there is no token, or none of this server's.
  private(set) var client: FrontendClient?
  /// What goes back in `Authorization`; nil: the client keeps its token.
  private(set) var newToken: String?

  init(_ request: FrontendRequest, server: JourneyServer) {
    self.request = request
    services = server.trustedDevices
    passwords = server.passwords
    log = server.configuration.log
    now = server.now
    client = request.deviceToken.flatMap { FrontendClient(token: $0, seal: server.trustedDevices.seal) }
  }

  var settings: TrustedDeviceSettings { services.settings }
  var realm: Realm { services.realm }
  var registry: any JourneyRegistry { services.registry }

  // MARK: Who is asking

  /// The client of the token, or a new one, whose token goes back with the answer.
  mutating func ensureClient() throws -> FrontendClient {
    if let client { return client }
    let client = FrontendClient(id: try services.makeID(.client), createdAt: now)
    newToken = try client.token(seal: services.seal)
    self.client = client
    return client
  }

  /// Throws `FrontendFailure`: `authentication_invalid` for a token that is none, `signed_out` without one.
  func requireClient() throws(FrontendFailure) -> FrontendClient {
    guard let client else {
      throw FrontendFailure(request.deviceToken == nil ? .signedOut : .authenticationInvalid)
    }
    return client
  }

  /// Tells the client that its token is worth nothing.
  mutating func clearToken() { newToken = "Bearer" }

  /// The session of a request under `/me`: the one it names, else the client's newest; live, and of a user who may
  /// sign in.
  ///
  /// Throws `FrontendFailure` (`signed_out`) alike for sessions that are over, of another client, or never were.
  func session() async throws -> (session: ClientSessionRecord, user: UserRecord, client: FrontendClient) {
    let client = try requireClient()
    let name = request.query["_clerk_session_id"]
    let live = try await liveSessions(of: client)
    guard let session = live.first(where: { name == nil || $0.id == name }),
      let user = try await registry.user(id: session.userID, in: session.realm), user.isActive
    else { throw FrontendFailure(.signedOut) }
    return (session, user, client)
  }

  /// Only those of the realm that is served: the settings may have been changed since.
  func liveSessions(of client: FrontendClient) async throws -> [ClientSessionRecord] {
    try await registry.clientSessions(ofClient: client.digest).filter {
      $0.realm == realm && $0.status(at: now).isLive
    }
  }

  // MARK: Switches

  /// Throws `FrontendFailure` (`feature_not_enabled`).
  func requireTrustedDevices() throws(FrontendFailure) {
    guard settings.trustedDevices else { throw FrontendFailure(.featureNotEnabled) }
  }

  /// Whether a path segment is one of the spellings that are served.
  func isDevices(_ segment: String) -> Bool {
    TrustedDeviceSettings.URLFamily(rawValue: segment).map(settings.urlFamilies.contains) ?? false
  }

  /// Throws `FrontendFailure` (`method_not_allowed`).
  func require(_ methods: String...) throws(FrontendFailure) {
    guard methods.contains(request.method) else { throw FrontendFailure(.methodNotAllowed) }
  }

  // MARK: Answers

  /// `{"response", "client"}`, with the client as it is now.
  func answer(_ response: JSONValue, signIn: JSONValue = .null) async throws -> ServerResponse {
    json(["response": response, "client": try await clientJSON(signIn: signIn)])
  }

  func json(_ body: JSONValue) -> ServerResponse { .json(body, fields: tokenField) }

  /// The device-token rule: what stands here replaces the client's token, nothing leaves it.
  var tokenField: [HTTPField] { newToken.map { [HTTPField("Authorization", $0)] } ?? [] }
}
