import AuthenticatorCoding
import AuthenticatorCore

/// Sends requests to the server's Frontend API and keeps up with what its answers say about token and client.
struct FrontendAPI: Sendable {
  let configuration: TrustedDeviceConfiguration
  let transport: any HTTPTransport
  let environment: AuthenticatorEnvironment
  let state: ClientState
  let installation: InstallationIdentity
  let emit: @Sendable (TrustedDeviceEvent) -> Void

  /// Refusals after which what is known of the client cannot be right.
  private static let doubtful = [
    "authentication_invalid", "signed_out", "resource_not_found", "session_exists", "identifier_already_signed_in",
  ]

  /// Sends a request; a refusal is thrown.
  ///
  /// Token and client of the answer are taken over first, of a refusal too. After a refusal that casts doubt on
  /// what is known of the client, the server is asked for it.
  /// - Throws: `transportFailed` and `timedOut` with a `TransportFailure`; `invalidMessage`; the code of a refusal with
  ///   a `TrustedDeviceFailure`; `storageFailed` when the installation's identifier cannot be had.
  func send(_ request: FrontendRequest) async throws -> FrontendAnswer {
    do {
      return try await exchange(request)
    } catch let error as AuthenticatorError {
      if let refusal = error.frontendError {
        if Self.doubtful.contains(where: refusal.has) { await refreshAfterDoubt() }
        if Self.switchedOff.contains(where: refusal.has) { await refreshAfterSwitch() }
      }
      throw error
    }
  }

  /// Asks for the client of a token that is not ours yet; nothing that is known is touched before the answer.
  /// - Throws: `signedOut` when the server refuses the token, or has no client for it; as `send`.
  func adopt(_ token: DeviceToken) async throws {
    let request = FrontendRequest("GET", "client", retrying: .once)
    let sending = state.sending(as: token)
    let answer: (token: TokenChange, client: FrontendAnswer.Piggyback)
    do {
      let response = try await receive(request, sending)
      guard response.status < 400 else { throw refusal(response) }
      answer = (TokenChange(response), try FrontendAnswer(response, limits: limits).client)
    } catch var error as AuthenticatorError {
      if error.code == .signedOut { error.reason = Self.tokenRefused }
      throw error
    }
    guard case .client(let client) = answer.client, answer.token != .cleared else {
      throw AuthenticatorError(.signedOut, stage: "frontend", reason: Self.tokenRefused)
    }
    let before = state.identity
    if case .replaced(let new) = answer.token { state.adopt(new, client) } else { state.adopt(token, client) }
    let after = state.identity
    if before != after { emit(.sessionChanged(from: before.sessionID, to: after.sessionID)) }
    await save()
  }

  private static let tokenRefused = "the server refused the device token"

  /// Refusals that say that what is known of the switches is out of date.
  private static let switchedOff = ["native_api_disabled", "feature_not_enabled"]

  /// Asks for the client; what the server has none for is forgotten.
  func refreshClient() async throws {
    let sending = state.sending
    let answer = try await exchange(FrontendRequest("GET", "client", retrying: .once))
    guard answer.response.isNull else { return }
    state.forgetClient(for: sending)
    await save()
  }

  /// Asks for the server's switches.
  func refreshEnvironment() async throws {
    let answer = try await exchange(FrontendRequest("GET", "environment", retrying: .once))
    state.set(environment: try FrontendEnvironment(try answer.object("environment")))
    await save()
  }

  private func refreshAfterSwitch() async {
    guard state.environment?.closedReason == nil else { return }
    await refreshEnvironmentQuietly()
  }

  /// Asks for the server's switches; what is known stays when that fails.
  func refreshEnvironmentQuietly() async {
    do {
      try await refreshEnvironment()
    } catch {
      emit(.postponed(.refresh, code: code(of: error)))
    }
  }

  private func refreshAfterDoubt() async {
    // Without token there is no client to ask for.
    guard state.current.token != nil else { return }
    await refreshQuietly()
  }

  /// Asks once for the client when its session seems to be over by time alone: a clock may have been wrong, and a
  /// server may let a session live longer than it said.
  func refreshIfRunOut() async {
    if state.hasRunOut { await refreshQuietly() }
  }

  /// Asks for the client; what is known stays when that fails.
  func refreshQuietly() async {
    do {
      try await refreshClient()
    } catch {
      emit(.postponed(.refresh, code: code(of: error)))
    }
  }

  private func code(of error: any Error) -> AuthenticatorError.Code {
    AuthenticatorError.wrapping(error, as: .transportFailed, stage: "frontend").code
  }

  // MARK: One exchange, with its repetitions

  private func exchange(_ request: FrontendRequest) async throws -> FrontendAnswer {
    // A repetition is sent with what is known by then.
    var sending = state.sending
    let response = try await receive(request, sending) { early in
      if let early { await take(TokenChange(early), .absent, for: sending) }
      sending = state.sending
      return sending
    }
    return try await read(response, for: sending)
  }

  /// Sends a request as often as it may be, and gives its last answer.
  /// - Parameter repeating: what a repetition is sent with, after an answer that asks for one or none (nil).
  private func receive(
    _ request: FrontendRequest, _ first: ClientState.Sending,
    repeating: (HTTPResponse?) async -> ClientState.Sending? = { _ in nil }
  ) async throws -> HTTPResponse {
    let policy = configuration.retryPolicy
    var retries = request.retrying == .once ? policy.retries : 0
    var sending = first
    while true {
      let response: HTTPResponse
      do {
        response = try await transport.send(try await httpRequest(request, sending))
      } catch {
        let error = AuthenticatorError.wrapping(error, as: .transportFailed, stage: "frontend")
        guard retries > 0, FrontendRetryPolicy.isRetryable(error) else { throw error }
        retries -= 1
        try await pause(policy.delay(after: nil, at: environment.now()))
        sending = await repeating(nil) ?? sending
        continue
      }
      guard retries > 0, FrontendRetryPolicy.statuses.contains(response.status) else { return response }
      retries -= 1
      sending = await repeating(response) ?? sending
      try await pause(policy.delay(after: response, at: environment.now()))
    }
  }

  private func pause(_ duration: Duration) async throws {
    do {
      try await environment.sleep(environment.uptime() + duration)
    } catch {
      throw AuthenticatorError(.appCanceled, stage: "frontend", underlying: error)
    }
  }

  private func httpRequest(_ request: FrontendRequest, _ sending: ClientState.Sending) async throws -> HTTPRequest {
    var fields = [
      HTTPField("Accept", "application/json"), HTTPField("Content-Type", "application/x-www-form-urlencoded"),
      HTTPField("clerk-api-version", configuration.apiVersion),
    ]
    fields += configuration.fields
    if let token = sending.token { fields.append(HTTPField("Authorization", token.text)) }
    if let client = sending.clientID { fields.append(HTTPField("x-clerk-client-id", client)) }
    fields.append(HTTPField("x-native-device-id", try await installation.identifier()))
    if let app = environment.appIdentifier, HTTPToken.isFieldValue(app), !app.isEmpty {
      fields.append(HTTPField("x-bundle-id", app))
    }
    return HTTPRequest(
      method: request.method, url: request.url(of: configuration.server), fields: fields, body: request.body,
      timeout: configuration.requestTimeout, maximumBodyBytes: configuration.answerBytes)
  }

  private func read(_ response: HTTPResponse, for sending: ClientState.Sending) async throws -> FrontendAnswer {
    guard response.body.count <= configuration.answerBytes else {
      throw AuthenticatorError(.invalidMessage, stage: "frontend.answer", reason: "the answer is too long")
    }
    if let date = response.values("Date").first.flatMap(HTTPDate.parse),
      state.note(clock: ServerClock(environment, date: date))
    {
      // One of both clocks was set: the next run judges the session by it, too.
      await save()
    }
    guard response.status < 400 else {
      await take(TokenChange(response), Self.client(of: response, limits: limits), for: sending)
      throw refusal(response)
    }
    guard (200..<300).contains(response.status) else {
      await take(TokenChange(response), .absent, for: sending)
      throw AuthenticatorError(
        .invalidMessage, stage: "frontend.answer", reason: "the server answered \(response.status)")
    }
    let answer: FrontendAnswer
    do {
      answer = try FrontendAnswer(response, limits: limits)
    } catch {
      await take(TokenChange(response), .absent, for: sending)
      throw error
    }
    await take(TokenChange(response), answer.client, for: sending)
    return answer
  }

  private var limits: JSONLimits { JSONLimits(bytes: configuration.answerBytes, depth: 32, textBytes: 1 << 16) }

  private func refusal(_ response: HTTPResponse) -> AuthenticatorError {
    AuthenticatorError(
      FrontendAPIError(status: response.status, body: response.body),
      retryAfter: FrontendRetryPolicy.retryAfter(response, at: environment.now()))
  }

  /// The client beside a refusal, if the body is one that could hold it.
  private static func client(of response: HTTPResponse, limits: JSONLimits) -> FrontendAnswer.Piggyback {
    do { return FrontendAnswer.client(in: try JSONValue.parse(response.body, limits: limits)) } catch { return .absent }
  }

  private func take(
    _ token: TokenChange, _ client: FrontendAnswer.Piggyback, for sending: ClientState.Sending
  ) async {
    if case .malformed = client { emit(.postponed(.refresh, code: .invalidMessage)) }
    let before = state.identity
    guard state.receive(token, client, for: sending) else { return }
    let after = state.identity
    if before != after { emit(.sessionChanged(from: before.sessionID, to: after.sessionID)) }
    await save()
  }

  /// Keeps the state for the next run. When that fails, this run goes on with what it knows; `ClientState.isKept`
  /// tells.
  private func save() async {
    do { try await state.save() } catch { emit(.postponed(.saving, code: code(of: error))) }
  }
}
