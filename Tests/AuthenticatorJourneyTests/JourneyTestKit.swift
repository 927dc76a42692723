import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import Testing

/// A client whose server is scripted.
struct TestClient {
  let transport = ScriptedTransport()
  let environment = TestEnvironment()
  let storage: any SessionStorage
  let journey: Journey

  init(
    realm: String = "/alpha", session: JourneySession? = nil, storage: (any SessionStorage)? = nil,
    callbacks: CallbackRegistry = .standard, configure: (inout JourneyConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = try JourneyConfiguration(server: "https://am.example.com/am", realm: realm)
    configure(&configuration)
    self.storage =
      storage
      ?? InMemorySessionStorage(
        session.map {
          StoredSession(instance: "https://am.example.com/am", realm: configuration.realm.description, session: $0)
        })
    journey = Journey(
      configuration, transport: transport, environment: environment.environment, storage: self.storage,
      callbacks: callbacks)
  }

  /// Starts a journey whose first answer is this.
  func start(_ answer: JSONValue, options: JourneyOptions = JourneyOptions()) async throws -> JourneyNode {
    transport.add(json: answer)
    return try await journey.start("Login", options: options)
  }

  /// The node that asks, for a first answer.
  func page(_ answer: JSONValue, options: JourneyOptions = JourneyOptions()) async throws -> ContinueNode {
    try #require(try await start(answer, options: options).continueNode)
  }
}

/// Wire shapes; each starts valid.
enum Wire {
  static func step(_ callbacks: JSONValue..., authID: String = "auth-1", extra: [(String, JSONValue)] = []) -> JSONValue
  {
    .object(JSONObject([("authId", .string(authID)), ("callbacks", .array(callbacks))] + extra))
  }

  static func callback(
    _ type: String, _ output: [(String, JSONValue)] = [], inputs: [(String, JSONValue)]? = nil, id: Int64? = nil
  ) -> JSONValue {
    var object = JSONObject([("type", .string(type))])
    let entry: ((String, JSONValue)) -> JSONValue = { ["name": .string($0.0), "value": $0.1] }
    object["output"] = .array(output.map(entry))
    if let inputs { object["input"] = .array(inputs.map(entry)) }
    if let id { object["_id"] = .integer(id) }
    return .object(object)
  }

  static let name = callback("NameCallback", [("prompt", "Account")], inputs: [("IDToken1", "")], id: 0)
  static let password = callback("PasswordCallback", [("prompt", "Secret")], inputs: [("IDToken2", "")], id: 1)
  static let login = step(name, password)
  static let success: JSONValue = ["tokenId": "token-1", "successUrl": "/enduser/", "realm": "/alpha"]
  static let loginFailure: JSONValue = [
    "code": 401, "reason": "Unauthorized", "message": "Login failure", "detail": ["failureUrl": "/no"],
  ]

  static func poll(_ wait: JSONValue = "5000", extra: JSONValue...) -> JSONValue {
    let callbacks = [callback("PollingWaitCallback", [("waitTime", wait), ("message", "Wait")])] + extra
    return .object(JSONObject([("authId", "auth-p"), ("callbacks", .array(callbacks))]))
  }
}

/// The code of what a call throws; records an issue when it throws nothing or something foreign.
func code(
  of body: () async throws -> some Any, sourceLocation: SourceLocation = #_sourceLocation
) async -> AuthenticatorError.Code? {
  do {
    _ = try await body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch let error as AuthenticatorError {
    return error.code
  } catch {
    Issue.record("threw \(error)", sourceLocation: sourceLocation)
  }
  return nil
}

extension JourneyNode {
  var failure: JourneyFailure? {
    guard case .failure(let failure) = self else { return nil }
    return failure
  }
  var session: JourneySession? {
    guard case .success(let session) = self else { return nil }
    return session
  }
}
