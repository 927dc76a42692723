import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Synchronization
import Testing

/// An answer of the Frontend API with its body read.
struct FrontendAnswer: Sendable {
  let status: Int
  let body: JSONValue
  /// The value of `Authorization`; nil: the field is not there.
  let token: String?

  var response: JSONValue { body["response"] ?? .null }
  var client: JSONValue { body["client"] ?? .null }
  var code: String? { body["errors"]?[0]?["code"]?.stringValue }
  var parameter: String? { body["errors"]?[0]?["meta"]?["param_name"]?.stringValue }
  var id: String? { response["id"]?.stringValue }
  var challenge: JSONValue? { response["first_factor_verification"]?["trusted_device_challenge"] }
}

/// A server that serves the realm /alpha, whose users are mira and noor.
struct FrontendHarness {
  static let application = JourneyServerConfiguration.defaultApplicationID

  let harness: Harness
  var clock: ManualClock { harness.clock }
  var server: JourneyServer { harness.server }
  var registry: any JourneyRegistry { harness.registry }

  init(
    registry: any JourneyRegistry = InMemoryRegistry(), clock: ManualClock = .init(),
    users: [String] = ["mira", "noor"],
    _ adjust: (inout TrustedDeviceSettings) -> Void = { _ in }
  ) async throws {
    harness = try await Harness(registry: registry, clock: clock, users: users) { configuration in
      configuration.trustedDevices.realm = Realm("/alpha")
      configuration.trustedDevices.signUp = true
      adjust(&configuration.trustedDevices)
    }
  }

  func app(installation: String? = nil) -> NativeApp { NativeApp(server: server, installation: installation) }

  /// An app that mira, or somebody else, has signed in to.
  func signedIn(_ name: String = "mira", installation: String? = nil) async throws -> NativeApp {
    let app = app(installation: installation)
    #expect(try await app.signIn(name).response["status"] == "complete")
    return app
  }

  /// A device enrolled by a signed-in app, which has signed out since.
  func enrolled(
    _ name: String = "mira", installation: String? = nil
  ) async throws -> (app: NativeApp, key: DeviceKey, id: String) {
    let app = try await signedIn(name, installation: installation)
    let key = try DeviceKey()
    let id = try #require(try await app.enroll(key).id)
    _ = try await app.send("DELETE", "client/sessions")
    return (app, key, id)
  }
}

/// One installation of an app, written from the protocol's description and not with the package's client.
final class NativeApp: Sendable {
  let server: JourneyServer
  let installation: String?
  private let state = Mutex<String?>(nil)

  init(server: JourneyServer, installation: String? = nil) {
    self.server = server
    self.installation = installation
  }

  var token: String? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  private static func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case 48...57, 65...90, 97...122: encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%" + Hex.encode([byte])
      }
    }
    return encoded
  }

  static func form(_ fields: [(String, String)]) -> [UInt8] {
    Array(fields.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&").utf8)
  }

  /// Sends a request as the vendor's SDK does and follows the device-token rule.
  func send(
    _ method: String, _ path: String, _ form: [(String, String)] = [], query: String = "", session: String? = nil
  ) async throws -> FrontendAnswer {
    var query = "_is_native=true" + query
    if let session { query += "&_clerk_session_id=\(session)" }
    return try await raw(
      method, "/v1/" + path, query: query,
      fields: form.isEmpty ? [] : [HTTPField("Content-Type", "application/x-www-form-urlencoded")],
      body: form.isEmpty ? [] : Self.form(form))
  }

  func raw(
    _ method: String, _ path: String, query: String?, fields: [HTTPField] = [], body: [UInt8] = []
  ) async throws -> FrontendAnswer {
    var fields = fields
    if let token { fields.append(HTTPField("Authorization", token)) }
    if let installation { fields.append(HTTPField("x-native-device-id", installation)) }
    let response = await server.handle(
      ServerRequest(method: method, path: path, query: query, fields: fields, body: body))
    let answered = response.fields.first { $0.name == "Authorization" }?.value
    if let answered { token = answered.lowercased() == "bearer" ? nil : answered }
    return FrontendAnswer(
      status: response.status, body: response.body.isEmpty ? .null : try JSONValue.parse(response.body),
      token: answered)
  }

  // MARK: Flows

  func signIn(_ name: String = "mira", _ password: String = Harness.password) async throws -> FrontendAnswer {
    try await send("POST", "client/sign_ins", [("identifier", name), ("password", password)])
  }

  /// The id of the newest session that is live.
  func sessionID() async throws -> String? {
    try await send("GET", "client").response["last_active_session_id"]?.stringValue
  }

  func prepare(
    _ key: DeviceKey, session: String? = nil, family: String = "trusted_devices",
    bend: (inout [(String, String)]) -> Void = { _ in }
  ) async throws -> FrontendAnswer {
    var fields = key.fields
    bend(&fields)
    return try await send("POST", "me/\(family)/prepare", fields, session: session)
  }

  func attempt(
    _ key: DeviceKey, _ challenge: JSONValue?, session: String? = nil, family: String = "trusted_devices",
    bend: (inout [(String, String)]) -> Void = { _ in }
  ) async throws -> FrontendAnswer {
    let clientData = challenge?["client_data"]?.stringValue ?? ""
    var fields = key.fields + [("client_data", clientData), ("signature", try key.sign(clientData))]
    bend(&fields)
    return try await send("POST", "me/\(family)/attempt", fields, session: session)
  }

  /// Enrolls; the session must be there.
  func enroll(_ key: DeviceKey, session: String? = nil) async throws -> FrontendAnswer {
    let prepared = try await prepare(key, session: session)
    guard prepared.status == 200 else { return prepared }
    return try await attempt(key, prepared.response, session: session)
  }

  func begin(_ id: String, strategy: String = "trusted_device") async throws -> FrontendAnswer {
    try await send("POST", "client/sign_ins", [("strategy", strategy), ("trusted_device_id", id), ("locale", "en")])
  }

  func finish(
    _ begun: FrontendAnswer, _ key: DeviceKey, _ id: String, bend: (inout [(String, String)]) -> Void = { _ in }
  ) async throws -> FrontendAnswer {
    let clientData = begun.challenge?["client_data"]?.stringValue ?? ""
    var fields = [
      ("strategy", "trusted_device"), ("trusted_device_id", id), ("client_data", clientData),
      ("signature", try key.sign(clientData)), ("algorithm", "ES256"),
    ]
    bend(&fields)
    return try await send("POST", "client/sign_ins/\(begun.id ?? "none")/attempt_first_factor", fields)
  }

  func signIn(_ key: DeviceKey, _ id: String) async throws -> FrontendAnswer {
    let begun = try await begin(id)
    guard begun.status == 200 else { return begun }
    return try await finish(begun, key, id)
  }
}

/// A key of a device and what the device says of itself.
struct DeviceKey: Sendable {
  let key: PrivateKey
  var name: String? = "Desk"
  var application = FrontendHarness.application

  init() throws { key = try PrivateKey.generate(.es256) }

  var jwk: String {
    let point = key.publicKey.x963Representation ?? []
    return """
      {"kty":"EC","crv":"P-256","x":"\(Base64URL.encode(point[1..<33]))","y":"\(Base64URL.encode(point[33...]))","alg":"ES256"}
      """
  }

  var fields: [(String, String)] {
    [("platform", "linux"), ("app_identifier", application)] + (name.map { [("name", $0)] } ?? [])
      + [("algorithm", "ES256"), ("public_key_jwk", jwk)]
  }

  func sign(_ text: String) throws -> String {
    Base64URL.encode(try key.sign(Array(text.utf8)).rawRepresentation)
  }
}

extension [(String, String)] {
  subscript(name: String) -> String? {
    get { first { $0.0 == name }?.1 }
    set {
      let index = firstIndex { $0.0 == name }
      switch (index, newValue) {
      case (let index?, let value?): self[index].1 = value
      case (let index?, nil): remove(at: index)
      case (nil, let value?): append((name, value))
      case (nil, nil): break
      }
    }
  }
}
