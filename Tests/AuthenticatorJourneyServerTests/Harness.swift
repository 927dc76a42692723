import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Synchronization
import Testing

/// A clock the test moves.
final class ManualClock: Sendable {
  private let time: Mutex<Int64>

  init(seconds: Int64 = 1_767_225_600) { time = Mutex(seconds * 1000) }

  var now: UnixTime { UnixTime(milliseconds: time.withLock { $0 }) }

  func advance(by seconds: Int64) { time.withLock { $0 += seconds * 1000 } }
}

/// Collects what the server tells and sends.
final class Ledger<Element: Sendable>: Sendable {
  private let content = Mutex<[Element]>([])
  var all: [Element] { content.withLock { $0 } }
  func append(_ element: Element) { content.withLock { $0.append(element) } }
}

/// An answer with its body read.
struct Answer {
  let status: Int
  let body: JSONValue
  let response: ServerResponse

  var authID: String? { body["authId"]?.stringValue }
  var token: String? { body["tokenId"]?.stringValue }
  var message: String? { body["message"]?.stringValue }
  var errorCode: JSONValue? { body["detail"]?["errorCode"] }
  var types: [String] { (body["callbacks"]?.arrayValue ?? []).compactMap { $0["type"]?.stringValue } }

  /// The output of the callback at an index.
  func output(_ index: Int, _ name: String) -> JSONValue? {
    body["callbacks"]?[index]?["output"]?.arrayValue?.first { $0["name"] == .string(name) }?["value"]
  }

  /// The step with values put into the inputs of the callbacks at these indices, by suffix.
  func filled(_ values: [Int: [String: JSONValue]]) -> JSONValue {
    var step = body.objectValue ?? [:]
    var callbacks = step["callbacks"]?.arrayValue ?? []
    for (index, inputs) in values {
      guard callbacks.indices.contains(index), var callback = callbacks[index].objectValue else { continue }
      let entries = (callback["input"]?.arrayValue ?? []).map { entry -> JSONValue in
        guard var entry = entry.objectValue, let name = entry["name"]?.stringValue else { return entry }
        let suffix = name.drop { !$0.isNumber }.drop { $0.isNumber }
        if let value = inputs[String(suffix)] { entry["value"] = value }
        return .object(entry)
      }
      callback["input"] = .array(entries)
      callbacks[index] = .object(callback)
    }
    step["callbacks"] = .array(callbacks)
    return .object(step)
  }
}

/// A server with a clock of its own, cheap passwords, and the users mira and noor in the realm /alpha.
struct Harness {
  static let password = "correct horse"
  static let base = "/am/json/realms/root/realms/alpha"

  let clock: ManualClock
  let registry: any JourneyRegistry
  let server: JourneyServer
  let links = Ledger<ResumeLink>()
  let events = Ledger<JourneyServerEvent>()
  let realm: Realm

  init(
    journeys: [JourneyTree]? = nil, registry: any JourneyRegistry = InMemoryRegistry(), clock: ManualClock = .init(),
    users: [String] = ["mira", "noor"], _ adjust: (inout JourneyServerConfiguration) -> Void = { _ in }
  ) async throws {
    self.clock = clock
    self.registry = registry
    realm = try #require(Realm("/alpha"))
    let environment = AuthenticatorEnvironment(
      appIdentifier: nil, deviceName: "server", now: { clock.now },
      uptime: { .milliseconds(clock.now.milliseconds) })
    var configuration = try JourneyServerConfiguration(environment: environment, journeys: journeys)
    configuration.passwordCost = ScryptParameters(logN: 6, r: 8, p: 1)
    configuration.passwordBounds = ScryptBounds(minimumLogN: 4)
    let (links, events) = (links, events)
    configuration.deliver = { links.append($0) }
    configuration.log = { events.append($0) }
    adjust(&configuration)
    server = try await JourneyServer(configuration: configuration, registry: registry)
    for name in users where try await registry.user(named: name, in: realm) == nil {
      try await server.addUser(named: name, password: Self.password, in: realm)
    }
  }

  // MARK: Requests

  func send(
    _ method: String, _ path: String, query: String? = nil, session: String? = nil, fields: [HTTPField] = [],
    body: [UInt8] = []
  ) async throws -> Answer {
    var fields = fields
    if !body.isEmpty, !fields.contains(where: { $0.name == "Content-Type" }) {
      fields.append(HTTPField("Content-Type", "application/json"))
    }
    if let session { fields.append(HTTPField("iPlanetDirectoryPro", session)) }
    let response = await server.handle(
      ServerRequest(method: method, path: path, query: query, fields: fields, body: body))
    return Answer(
      status: response.status, body: response.body.isEmpty ? .null : try JSONValue.parse(response.body),
      response: response)
  }

  func start(_ journey: String, query: String = "", session: String? = nil) async throws -> Answer {
    try await send(
      "POST", Self.base + "/authenticate", query: "authIndexType=service&authIndexValue=\(journey)\(query)",
      session: session, body: Array("{}".utf8))
  }

  func post(_ step: JSONValue, query: String? = nil, session: String? = nil) async throws -> Answer {
    try await send("POST", Self.base + "/authenticate", query: query, session: session, body: step.serialized())
  }

  /// Fills name and password of the page that asks for both.
  func credentials(_ page: Answer, _ name: String = "mira", _ password: String = Harness.password) -> JSONValue {
    page.filled([0: ["": .string(name)], 1: ["": .string(password)]])
  }

  func login(
    _ name: String = "mira", _ password: String = Harness.password, journey: String = "Login"
  ) async throws -> Answer {
    try await post(credentials(try await start(journey), name, password))
  }

  /// A session of this user.
  func session(of name: String = "mira") async throws -> String { try #require(try await login(name).token) }

  // MARK: Devices

  /// Signs in by password and answers the binding that follows.
  func bind(_ device: Device, user: String = "mira", journey: String = "BindDevice") async throws -> Answer {
    let page = try await login(user, journey: journey)
    return try await post(page.filled([0: try device.bindingAnswer(to: page, now: clock.now.seconds)]))
  }

  func sign(_ device: Device, user: String = "mira", journey: String = "SignDevice") async throws -> Answer {
    let name = try await start(journey)
    let page = try await post(name.filled([0: ["": .string(user)]]))
    return try await post(page.filled([0: ["jws": .string(try device.proof(for: page, now: clock.now.seconds))]]))
  }
}

/// A device with one key, written from the protocol's description and not with the package's client.
struct Device {
  var key: PrivateKey
  var keyID: String
  var application = JourneyServerConfiguration.defaultApplicationID
  var name = "Test device"
  /// The universal id the device remembers; nil: the one the server sends.
  var userID: String?

  init(keyID: String = "key-1") throws {
    key = try PrivateKey.generate(.es256)
    self.keyID = keyID
  }

  func proof(
    for page: Answer, binding: Bool = false, now: Int64,
    bend: (inout JSONObject, inout JSONObject) -> Void = { _, _ in }
  ) throws -> String {
    var header: JSONObject = ["alg": "ES256", "kid": .string(keyID), "typ": "JWS"]
    if binding {
      let point = try #require(key.publicKey.x963Representation)
      header["jwk"] = [
        "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[1..<33])),
        "y": .string(Base64URL.encode(point[33...])), "use": "sig", "alg": "ES256", "kid": .string(keyID),
      ]
    }
    let sub = try #require(userID ?? page.output(0, "userId")?.stringValue)
    var claims: JSONObject = [
      "iss": .string(application), "sub": .string(sub), "challenge": try #require(page.output(0, "challenge")),
      "iat": .integer(now), "nbf": .integer(now), "exp": .integer(now + 60),
    ]
    bend(&header, &claims)
    let input = "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(claims.serialized()))"
    return "\(input).\(Base64URL.encode(try key.sign(Array(input.utf8)).rawRepresentation))"
  }

  func bindingAnswer(to page: Answer, now: Int64) throws -> [String: JSONValue] {
    [
      "jws": .string(try proof(for: page, binding: true, now: now)), "deviceName": .string(name),
      "deviceId": "device-1",
    ]
  }
}
