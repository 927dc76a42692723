import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorDeviceBinding
import AuthenticatorJourney
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// A scripted device and a client whose server is scripted.
struct BindingKit {
  static let instance = "https://am.example.com/am"
  static let mira = "id=7b0f4c1e,ou=user,o=alpha,ou=services,ou=am-config"
  static let noor = "id=11c2d3e4,ou=user,o=alpha,ou=services,ou=am-config"

  let device: TestDevice
  let transport = ScriptedTransport()
  let journey: Journey
  var configuration: DeviceBindingConfiguration

  init(
    _ body: ScriptedDevice = ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913"),
    steps: [ScriptedStep] = [], environment: TestEnvironment = TestEnvironment(),
    providers: [any KeyProvider] = [EmulatedHardware()], instance: String = instance, realm: String = "/alpha"
  ) throws {
    device = try TestDevice(body, instance: instance, environment: environment, providers: providers)
    device.verifier.script(steps)
    configuration = DeviceBindingConfiguration(
      context: device.context,
      factories: .defaults(applicationPIN: ApplicationPINConfig(pinCollector: device.verifier)))
    journey = Journey(
      try JourneyConfiguration(server: instance, realm: realm), transport: transport,
      environment: environment.environment,
      callbacks: .standard.registering(DeviceBindingCallback.self).registering(DeviceSigningVerifierCallback.self))
  }

  var clock: ManualClock { device.environment.clock }
  var verifier: ScriptedUserVerifier { device.verifier }
  var store: FaultInjectingKeyStore { device.store }

  // MARK: Pages

  /// The node of a scripted answer, in a flow of its own.
  func page(_ callbacks: JSONValue..., fields: [HTTPField] = []) async throws -> ContinueNode {
    transport.add(json: Self.step(callbacks), fields: fields)
    return try #require(try await journey.start("Journey").continueNode)
  }

  static func step(_ callbacks: [JSONValue]) -> JSONValue { ["authId": "auth", "callbacks": .array(callbacks)] }

  func bindPage(
    _ type: String = "BIOMETRIC_ONLY", user: String = mira, challenge: String = "q3PzJ0mYtS2m0Q+/=",
    timeout: JSONValue = 60, attestation: JSONValue = false, fields: [HTTPField] = []
  ) async throws -> (node: ContinueNode, callback: DeviceBindingCallback) {
    let node = try await page(
      Self.binding(type, user: user, challenge: challenge, timeout: timeout, attestation: attestation),
      fields: fields)
    return (node, try #require(node.callback(DeviceBindingCallback.self)))
  }

  func signPage(
    user: JSONValue = .string(mira), challenge: String = "8Z1nC5aLh7Rw4U+/=", timeout: JSONValue = 60,
    fields: [HTTPField] = []
  ) async throws -> (node: ContinueNode, callback: DeviceSigningVerifierCallback) {
    let node = try await page(Self.signing(user: user, challenge: challenge, timeout: timeout), fields: fields)
    return (node, try #require(node.callback(DeviceSigningVerifierCallback.self)))
  }

  static func binding(
    _ type: String = "BIOMETRIC_ONLY", user: String = mira, challenge: String = "q3PzJ0mYtS2m0Q+/=",
    timeout: JSONValue = 60, attestation: JSONValue = false, leavingOut omitted: String? = nil
  ) -> JSONValue {
    let output: [(String, JSONValue)] = [
      ("userId", .string(user)), ("username", user == noor ? "noor" : "mira"), ("authenticationType", .string(type)),
      ("challenge", .string(challenge)), ("title", "Server title"), ("subtitle", "Server subtitle"),
      ("description", "Server reason"), ("timeout", timeout), ("attestation", attestation),
    ]
    return callback(
      "DeviceBindingCallback", output, inputs: ["jws", "deviceName", "deviceId", "clientError"], omitted)
  }

  static func signing(
    user: JSONValue = .string(mira), challenge: String = "8Z1nC5aLh7Rw4U+/=", timeout: JSONValue = 60,
    leavingOut omitted: String? = nil
  ) -> JSONValue {
    let output: [(String, JSONValue)] = [
      ("userId", user), ("challenge", .string(challenge)), ("title", "Confirm"), ("subtitle", "Payment"),
      ("description", "Approve 20 EUR"), ("timeout", timeout),
    ]
    return callback("DeviceSigningVerifierCallback", output, inputs: ["jws", "clientError"], omitted)
  }

  private static func callback(
    _ type: String, _ output: [(String, JSONValue)], inputs: [String], _ omitted: String?
  ) -> JSONValue {
    [
      "type": .string(type),
      "output": .array(output.filter { $0.0 != omitted }.map { ["name": .string($0.0), "value": $0.1] }),
      "input": .array(inputs.filter { $0 != omitted }.map { ["name": .string("IDToken1\($0)"), "value": ""] }),
    ]
  }

  static let success: JSONValue = ["tokenId": "token-1", "successUrl": "/", "realm": "/alpha"]
  static let loginFailure: JSONValue = ["code": 401, "reason": "Unauthorized", "message": "Login failure"]

  // MARK: Whole ceremonies

  /// Sends a node to a server that is pleased.
  func accept(_ node: ContinueNode) async throws {
    transport.add(json: Self.success)
    let end = try await node.next()
    if case .success = end {} else { Issue.record("\(end)") }
  }

  /// Sends a node to a server that is not.
  func refuse(_ node: ContinueNode) async throws {
    transport.add(401, json: Self.loginFailure)
    let end = try await node.next()
    if case .failure = end {} else { Issue.record("\(end)") }
  }

  /// Binds and is accepted; returns the key, which is active then.
  @discardableResult
  func bind(_ steps: ScriptedStep...) async throws -> UserKey { try await bind("BIOMETRIC_ONLY", Self.mira, steps) }

  @discardableResult
  func bind(user: String, _ steps: ScriptedStep...) async throws -> UserKey {
    try await bind("BIOMETRIC_ONLY", user, steps)
  }

  @discardableResult
  func bind(_ type: String, user: String = mira, _ steps: ScriptedStep...) async throws -> UserKey {
    try await bind(type, user, steps)
  }

  private func bind(_ type: String, _ user: String, _ steps: [ScriptedStep]) async throws -> UserKey {
    device.verifier.script(steps)
    let (node, callback) = try await bindPage(type, user: user, challenge: "bind-\(transport.requests.count)")
    let key = try await callback.bind(configuration)
    try await accept(node)
    return key
  }

  /// Signs and is accepted.
  @discardableResult
  func sign(user: JSONValue = .string(mira), _ steps: ScriptedStep...) async throws -> UserKey {
    device.verifier.script(steps)
    let (node, callback) = try await signPage(user: user, challenge: "sign-\(transport.requests.count)")
    let key = try await callback.sign(configuration)
    try await accept(node)
    return key
  }

  // MARK: What is there

  /// Every record of the store, whatever its state.
  func records() async throws -> [KeyRecord] { try await store.records(matching: .everything) }

  func states() async throws -> [KeyRecord.State] { try await records().map(\.state) }
}

/// What a call threw; records an issue when it threw nothing or something foreign.
func thrown(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> some Any
) async -> AuthenticatorError? {
  do {
    _ = try await body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch let error as AuthenticatorError {
    return error
  } catch {
    Issue.record("threw \(error)", sourceLocation: sourceLocation)
  }
  return nil
}
