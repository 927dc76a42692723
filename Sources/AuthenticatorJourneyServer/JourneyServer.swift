internal import AuthenticatorCoding
public import AuthenticatorCore
internal import AuthenticatorCrypto
internal import Synchronization

/// A journey server: PingAM's REST interface over trees of nodes. For development, tests and small deployments.
///
/// It knows no sockets: `handle` takes a request and returns the answer, and `HTTPFront` puts it on the network.
/// Several servers may share one registry; any of them continues any journey.
public final class JourneyServer: Sendable {
  /// The settings, fixed for the server's life.
  public let configuration: JourneyServerConfiguration
  let registry: any JourneyRegistry
  let passwords: PasswordAuthority
  let trustedDevices: TrustedDeviceServices
  let uaf: UAFServices
  private let endpoints: [any RESTEndpoint]
  private let routes: [any ServerRoute]
  private let publicURL: Mutex<String>

  /// Checks the configuration and makes the first token key when the registry has none.
  ///
  /// Throws `AuthenticatorError` (`invalidRequest`) for a malformed configuration and `RegistryError`.
  public init(configuration: JourneyServerConfiguration, registry: any JourneyRegistry) async throws {
    try Self.check(configuration)
    self.configuration = configuration
    self.registry = registry
    let limits = configuration.limits
    passwords = try PasswordAuthority(
      registry: registry, environment: configuration.environment, cost: configuration.passwordCost,
      recoveryCodeCost: configuration.recoveryCodeCost, bounds: configuration.passwordBounds,
      lockout: configuration.lockout, limits: limits)
    let ring = try await TokenKeyRing(
      registry: registry, environment: configuration.environment, interval: configuration.tokenKeyInterval,
      overlap: max(limits.stepLifetime, limits.suspendLifetime))
    trustedDevices = try await TrustedDeviceServices(configuration: configuration, registry: registry)
    let pseudonyms = Pseudonyms(
      key: try await registry.secret("pseudonyms", orElse: SecretBytes(try configuration.environment.random(32))))
    uaf = try await UAFServices(configuration: configuration, registry: registry, pseudonyms: pseudonyms)
    let services = NodeServices(
      environment: configuration.environment, registry: registry, passwords: passwords,
      applicationIDs: configuration.applicationIDs, deliver: configuration.deliver,
      attestationJudge: configuration.attestationJudge, webAuthn: configuration.webAuthn, log: configuration.log,
      pseudonyms: pseudonyms, trustedDevices: trustedDevices, uaf: uaf)
    let tokens = StepTokens(
      lifetime: Int(limits.stepLifetime.components.seconds), maximumStateBytes: limits.stateBytes,
      random: configuration.environment.random)
    let trees = Dictionary(configuration.journeys.map { ($0.name, $0) }) { first, _ in first }
    endpoints =
      [
        AuthenticateEndpoint(trees: trees, tokens: tokens, ring: ring, services: services), SessionsEndpoint(),
        UsersEndpoint(), DevicesEndpoint(family: .binding) { $0.bindingJSON },
        DevicesEndpoint(family: .webAuthn) { $0.webAuthnJSON }, UAFDevicesEndpoint(),
        ServerInfoEndpoint(),
      ] + configuration.endpoints
    routes = configuration.routes + [FrontendAPI(), UAFTransport()]
    publicURL = Mutex(configuration.publicURL ?? configuration.contextPath)
  }

  private static func check(_ configuration: JourneyServerConfiguration) throws {
    func refuse(_ reason: String) -> AuthenticatorError {
      AuthenticatorError(.invalidRequest, stage: "server", reason: reason)
    }
    let path = configuration.contextPath
    guard path.isEmpty || path.hasPrefix("/") && path.count > 1 && !path.hasSuffix("/") else {
      throw refuse("the context path is neither empty nor like /am")
    }
    let name = configuration.cookieName
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isTokenByte) else {
      throw refuse("the cookie name is not usable as one")
    }
    guard !configuration.realms.isEmpty else { throw refuse("there is no realm") }
    guard Set(configuration.journeys.map(\.name)).count == configuration.journeys.count else {
      throw refuse("two journeys have one name")
    }
    try configuration.webAuthn.check()
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
    default: false
    }
  }

  var now: UnixTime { configuration.environment.now() }

  /// The names of the journeys, in the order of the configuration.
  public var journeyNames: [String] { configuration.journeys.map(\.name) }

  // MARK: Requests

  /// Answers one request. Never throws: what goes wrong is an answer too.
  public func handle(_ request: ServerRequest) async -> ServerResponse {
    do {
      guard request.body.count <= configuration.limits.bodyBytes else {
        throw RESTFailure(status: 413, message: "The request is too large")
      }
      return try await route(request)
    } catch {
      return ServerResponse(failure(for: error))
    }
  }

  /// Answers a client's request; the URL's scheme, host and port are not looked at.
  public func handle(_ request: HTTPRequest) async -> HTTPResponse {
    let response = await handle(ServerRequest(request))
    // A transport on the network leaves out this body by itself.
    let body = request.method == "HEAD" ? [] : response.body
    return HTTPResponse(status: response.status, fields: response.fields, body: body)
  }

  private func route(_ request: ServerRequest) async throws -> ServerResponse {
    for route in routes {
      if let response = try await route.respond(to: request, server: self) { return response }
    }
    guard let call = try RESTRequest(request, contextPath: configuration.contextPath) else {
      throw RESTFailure.notFound()
    }
    guard configuration.realms.contains(call.realm) else { throw RESTFailure.badRequest("Invalid realm") }
    if configuration.sessionCookie != .never, SessionCarriers.isFromElsewhere(request) { throw RESTFailure.forbidden }
    for endpoint in endpoints {
      if let response = try await endpoint.respond(to: call, server: self) { return response }
    }
    throw RESTFailure.notFound()
  }

  /// What an error is to a client; the server's own faults are logged.
  func failure(for error: any Error) -> RESTFailure {
    switch error {
    case let failure as RESTFailure: return failure
    case let error as RegistryError where error.code == .full || error.code == .busy:
      configuration.log(.fault(error.description))
      return .overloaded
    case let error as RegistryError: configuration.log(.fault(error.description))
    case let error as TreeFault: configuration.log(.fault(error.description))
    case let error as AuthenticatorError: configuration.log(.fault(error.description))
    default: configuration.log(.fault("\(type(of: error))"))
    }
    return .internalFault
  }

  // MARK: Address

  /// Where links begin.
  var address: String { publicURL.withLock { $0 } }

  /// Tells the server where it is reached, unless the configuration said so already.
  func setAddress(_ url: String) {
    guard configuration.publicURL == nil else { return }
    publicURL.withLock { $0 = url + configuration.contextPath }
  }
}

// MARK: - Users

extension JourneyServer {
  /// Adds a user. Throws `RegistryError` (`conflict`) when the realm has the name, and `AuthenticatorError`
  /// (`invalidRequest`) for a name or password that is empty or too long, or an unknown realm.
  @discardableResult
  public func addUser(named name: String, password: String, in realm: Realm) async throws -> UserRecord {
    guard (1...PasswordAuthority.maximumUsernameBytes).contains(name.utf8.count),
      configuration.realms.contains(realm)
    else {
      throw AuthenticatorError(.invalidRequest, stage: "users", reason: "the name or the realm is not usable")
    }
    let user = UserRecord(
      id: UUIDText.make(from: try configuration.environment.random(16)), realm: realm, name: name,
      password: try await passwords.hash(password))
    try await registry.addUser(user)
    return user
  }

  /// Switches a user on or off; who is switched off loses all sessions. False: there is no such user.
  public func setActive(_ isActive: Bool, userNamed name: String, in realm: Realm) async throws -> Bool {
    guard var user = try await registry.user(named: name, in: realm) else { return false }
    user.isActive = isActive
    guard try await registry.updateUser(user) else { return false }
    if !isActive { try await endSessions(of: user) }
    return true
  }

  /// Ends all sessions of a user, of whichever interface.
  func endSessions(of user: UserRecord) async throws {
    try await registry.removeSessions(ofUser: user.id, realm: user.realm)
    try await registry.revokeClientSessions(ofUser: user.id, realm: user.realm, at: now)
  }

  /// Forgets the failed attempts at a name, which unlocks it.
  public func unlock(userNamed name: String, in realm: Realm) async throws {
    try await registry.resetAttempts(AttemptSubject(realm: realm, username: name))
  }
}

// MARK: - Sessions

extension JourneyServer {
  /// The session token a request carries: the header named like the cookie, else the cookie.
  ///
  /// A browser sends cookies along with requests that other sites cause. A cookie is therefore looked at only when the
  /// request has a header field that such a request cannot have.
  func sessionToken(of request: RESTRequest) -> String? {
    sessionToken(
      of: request.request,
      trustsCookie: request.request.field("X-Requested-With") ?? request.request.field("Accept-API-Version") != nil)
  }

  /// The session token a request carries; its cookie counts where no other site can have caused the request.
  func sessionToken(of request: ServerRequest, trustsCookie: Bool) -> String? {
    let name = configuration.cookieName
    if let token = request.field(name), !token.isEmpty { return token }
    guard trustsCookie else { return nil }
    for field in request.fields where ServerRequest.namesMatch(field.name, "Cookie") {
      for pair in field.value.split(separator: ";") {
        let pair = pair.drop { $0 == " " }
        guard let sign = pair.firstIndex(of: "="), pair[..<sign] == name else { continue }
        let value = pair[pair.index(after: sign)...]
        if !value.isEmpty { return String(value) }
      }
    }
    return nil
  }

  /// The session a request comes with; nil when it has none, or one that is over or of another realm.
  public func session(of request: RESTRequest) async throws -> SessionRecord? {
    guard let token = sessionToken(of: request) else { return nil }
    return try await session(token: token, in: request.realm)
  }

  /// The session of a request that speaks for this user: by id, universal identifier or name.
  ///
  /// Throws `RESTFailure`: 401 without a session, 403 for anybody else, whether there is such a user or not.
  public func session(of request: RESTRequest, asUser name: String) async throws -> SessionRecord {
    guard let session = try await session(of: request) else { throw RESTFailure.accessDenied }
    let id = session.realm.userID(inUniversalID: name) ?? name
    guard id == session.userID || UserRecord.nameKey(name) == UserRecord.nameKey(session.username) else {
      throw RESTFailure.forbidden
    }
    return session
  }

  func session(token: String, in realm: Realm) async throws -> SessionRecord? {
    guard token.utf8.count <= 256 else { return nil }
    let session = try await registry.session(SHA256.hash(Array(token.utf8)), now: now)
    return session?.realm == realm ? session : nil
  }

  /// Makes a session and returns its token.
  func makeSession(for user: UserRecord, journeys: [String], now: UnixTime) async throws -> String {
    let token = Base64URL.encode(try configuration.environment.random(32))
    let session = SessionRecord(
      tokenDigest: SHA256.hash(Array(token.utf8)), realm: user.realm, userID: user.id, username: user.name,
      journeys: journeys, createdAt: now, expiresAt: now.advanced(by: configuration.limits.sessionLifetime))
    try await registry.addSession(session, now: now)
    return token
  }

  /// False: there was no such session.
  func endSession(token: String) async throws -> Bool {
    guard token.utf8.count <= 256 else { return false }
    return try await registry.removeSession(SHA256.hash(Array(token.utf8)))
  }
}
