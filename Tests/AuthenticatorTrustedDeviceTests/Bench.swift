import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import DeviceAuthenticators
import Synchronization
import Testing

/// A client over a scripted server, on a scripted device with one enrolled finger and the passcode 482913.
struct Bench {
  static let server = "https://clerk.example.com"

  let device: TestDevice
  let transport: ScriptedTransport
  let verifier: HookedVerifier
  let events: EventLog
  let configuration: TrustedDeviceConfiguration
  let client: TrustedDeviceClient

  init(
    _ body: ScriptedDevice = ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913"),
    environment: TestEnvironment = TestEnvironment(), server: String = Bench.server,
    publishableKey: String? = nil, proxy: String? = nil,
    configure: (inout TrustedDeviceConfiguration) -> Void = { _ in }
  ) throws {
    var configuration =
      if let publishableKey {
        try TrustedDeviceConfiguration(publishableKey: publishableKey, proxyURL: proxy)
      } else {
        try TrustedDeviceConfiguration(server: server)
      }
    configuration.retryPolicy = .none
    configure(&configuration)
    self.init(
      device: try TestDevice(body, instance: server, environment: environment), transport: ScriptedTransport(),
      configuration: configuration)
  }

  private init(
    device: TestDevice, transport: ScriptedTransport, configuration: TrustedDeviceConfiguration,
    verifier: ScriptedUserVerifier? = nil
  ) {
    self.device = device
    self.transport = transport
    self.configuration = configuration
    let (verifier, events) = (HookedVerifier(verifier ?? device.verifier), EventLog())
    self.verifier = verifier
    self.events = events
    client = TrustedDeviceClient(
      configuration, transport: transport, keyStore: device.store, verifier: verifier,
      environment: device.context.environment, onEvent: { events.add($0) })
  }

  /// The app, killed and started again: the same device and server, nothing in memory.
  /// - Parameter verifier: what checks the person from now on; nil: the device's.
  func restarted(
    verifier: ScriptedUserVerifier? = nil, configure: (inout TrustedDeviceConfiguration) -> Void = { _ in }
  ) -> Bench {
    var configuration = configuration
    configure(&configuration)
    return Bench(device: device, transport: transport, configuration: configuration, verifier: verifier)
  }

  /// The same device and app as a client of another server.
  func beside(server: String) throws -> Bench {
    beside(configuration: try TrustedDeviceConfiguration(server: server))
  }

  func beside(configuration: TrustedDeviceConfiguration) -> Bench {
    var other = configuration
    other.retryPolicy = .none
    return Bench(device: device, transport: ScriptedTransport(), configuration: other)
  }

  var devices: TrustedDevices { client.trustedDevices }
  var now: UnixTime { device.environment.clock.now }
  var requests: [HTTPRequest] { transport.requests }

  /// Every key of the store, in any state.
  func records(_ states: Set<KeyRecord.State> = Set(KeyRecord.State.allCases)) async throws -> [KeyRecord] {
    try await device.store.records(matching: .everything).filter { states.contains($0.state) }
  }

  func activeIDs() async throws -> [String] {
    try await records([.active]).compactMap { $0.externalID.map { String(decoding: $0, as: UTF8.self) } }.sorted()
  }

  // MARK: Playing the server

  /// Loads the settings.
  func load(_ settings: JSONValue = Wire.environment()) async throws {
    transport.add(json: settings)
    try await client.refresh()
  }

  /// Loads the settings, if that was not done, and signs in with a password.
  /// - Parameter answers: to what the client asks right after that, to settle what was left.
  func signIn(
    _ user: String = "user_A", session: String = "sess_A", status: String = "active",
    settings: JSONValue? = nil, settling answers: JSONValue...
  ) async throws {
    let isLoaded = try await client.environment != nil
    if let settings { try await load(settings) } else if !isLoaded { try await load() }
    transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: session),
        client: Wire.client(sessions: [Wire.session(session, user: user, status: status)], last: session)),
      fields: [HTTPField("Authorization", "token-1")])
    for answer in answers { transport.add(json: answer) }
    try await client.auth.signIn(identifier: "mira@example.com", password: "a password")
  }

  /// Ends the session, as the server would on being asked.
  func signOut() async throws {
    transport.add(
      json: Wire.envelope(["object": "session", "id": "sess_A", "status": "removed"], client: Wire.client()))
    try await client.auth.signOut()
  }

  func script(prepare challenge: JSONValue? = nil) {
    transport.add(json: Wire.envelope(challenge ?? Wire.challenge(expires: now.advanced(by: .seconds(300)))))
  }

  func script(attempt id: String, name: String? = "Test device") {
    transport.add(json: Wire.envelope(Wire.device(id, name: name, at: now)))
  }

  /// Enrolls the signed-in user.
  @discardableResult
  func enroll(_ id: String = "tdc_1", hint: String? = nil, policy: TrustedDevicePolicy? = nil) async throws
    -> TrustedDevice
  {
    script()
    script(attempt: id)
    device.verifier.perform(.match())
    return try await devices.enroll(identifierHint: hint, policy: policy)
  }

  func script(create id: String, challenge: JSONValue? = nil) {
    let challenge = challenge ?? Wire.challenge(for: id, expires: now.advanced(by: .seconds(300)))
    transport.add(
      json: Wire.envelope(Wire.signIn(challenge: challenge)), fields: [HTTPField("Authorization", "token-2")])
  }

  func script(complete session: String, user: String = "user_A") {
    transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: session),
        client: Wire.client(sessions: [Wire.session(session, user: user)], last: session)))
  }

  /// Adds a refusal.
  func script(_ status: Int, _ code: String, parameter: String? = nil) {
    transport.add(status, json: Wire.refusal(code, parameter: parameter))
  }
}

/// What the server says, composed as valid messages.
enum Wire {
  static func environment(
    api: Bool = true, feature: Bool = true, afterSignIn: Bool = false, afterSignUp: Bool = false
  ) -> JSONValue {
    .object(
      FrontendEnvironment(
        isNativeAPIEnabled: api, isTrustedDeviceSignInEnabled: feature, offersEnrollmentAfterSignIn: afterSignIn,
        offersEnrollmentAfterSignUp: afterSignUp
      ).json)
  }

  static func envelope(_ response: JSONValue, client: JSONValue = [:]) -> JSONValue {
    ["response": response, "client": client]
  }

  static func client(sessions: [JSONValue] = [], last: String? = nil, signIn: String? = nil) -> JSONValue {
    [
      "object": "client", "id": "client_A", "sessions": .array(sessions),
      "sign_in": signIn.map { ["id": .string($0)] } ?? .null, "sign_up": .null,
      "last_active_session_id": last.map { .string($0) } ?? .null,
    ]
  }

  static func session(_ id: String, user: String, status: String = "active") -> JSONValue {
    [
      "object": "session", "id": .string(id), "status": .string(status),
      "user": [
        "id": .string(user), "username": .string(user), "primary_email_address_id": "email_1",
        "email_addresses": [["id": "email_1", "email_address": .string("\(user)@example.com")]],
      ],
      "tasks": status == "pending" ? [["key": "choose-organization"]] : [],
    ]
  }

  static func challenge(for id: String? = nil, expires: UnixTime, data: String = #"{"challenge_id":"ch_1"}"#)
    -> JSONValue
  {
    var object: JSONObject = [
      "object": "trusted_device_challenge", "challenge": "Zm9v", "challenge_id": "ch_1",
      "client_data": .string(data), "expires_at": .integer(expires.milliseconds), "algorithm": "ES256",
    ]
    if let id { object["trusted_device_id"] = .string(id) }
    return .object(object)
  }

  static func device(_ id: String, name: String? = "Test device", status: String = "active", at time: UnixTime)
    -> JSONValue
  {
    .object(
      TrustedDevice(
        id: id, platform: .ios, appIdentifier: "com.example.app", name: name,
        status: TrustedDevice.Status(rawValue: status), createdAt: time, updatedAt: time
      ).json)
  }

  static func signIn(status: String = "needs_first_factor", createdSession: String? = nil, challenge: JSONValue? = nil)
    -> JSONValue
  {
    var object: JSONObject = ["object": "sign_in_attempt", "id": "sia_1", "status": .string(status)]
    object["created_session_id"] = createdSession.map { .string($0) } ?? .null
    if let challenge {
      object["first_factor_verification"] = [
        "object": "verification_trusted_device", "status": "unverified", "strategy": "trusted_device",
        "trusted_device_challenge": challenge,
      ]
    }
    return .object(object)
  }

  static func refusal(_ code: String, parameter: String? = nil) -> JSONValue {
    var error: JSONObject = ["code": .string(code), "message": "no", "long_message": "No, really."]
    if let parameter { error["meta"] = ["param_name": .string(parameter)] }
    return ["errors": [.object(error)], "clerk_trace_id": "trace_1"]
  }
}

/// Keeps the events of one client.
final class EventLog: Sendable {
  private let events = Mutex<[TrustedDeviceEvent]>([])
  func add(_ event: TrustedDeviceEvent) { events.withLock { $0.append(event) } }
  var all: [TrustedDeviceEvent] { events.withLock { $0 } }
}

/// A verifier in whose prompt something else happens first.
final class HookedVerifier: UserVerifier {
  private let base: ScriptedUserVerifier
  private let hook = Mutex<(@Sendable () async throws -> Void)?>(nil)

  init(_ base: ScriptedUserVerifier) { self.base = base }

  /// Runs once, while the next prompt is shown.
  func duringPrompt(_ hook: @escaping @Sendable () async throws -> Void) { self.hook.withLock { $0 = hook } }

  func methods() async -> [VerificationMethod: MethodState] { await base.methods() }
  func enrollmentState() async throws -> EnrollmentState? { try await base.enrollmentState() }
  func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    let hook = hook.withLock { hook in
      defer { hook = nil }
      return hook
    }
    try await hook?()
    return try await base.verify(request, by: access)
  }
}

extension HTTPRequest {
  /// The members of a form body, decoded.
  var form: [String: String] {
    var members: [String: String] = [:]
    for pair in String(decoding: body ?? [], as: UTF8.self).split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      members[decoded(halves[0])] = halves.count == 2 ? decoded(halves[1]) : ""
    }
    return members
  }

  private func decoded(_ text: Substring) -> String { PercentEncoding.decode(text) ?? "?" }

  /// Method and path.
  var line: String { "\(method) \(url.path)" }
}

/// Runs what must throw, and gives the error.
func failure<Value>(_ body: () async throws -> Value) async -> AuthenticatorError? {
  do {
    _ = try await body()
    Issue.record("nothing was thrown")
    return nil
  } catch let error as AuthenticatorError {
    return error
  } catch {
    Issue.record("\(error) is no AuthenticatorError")
    return nil
  }
}
