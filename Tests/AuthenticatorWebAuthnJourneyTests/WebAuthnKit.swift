import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import DeviceAuthenticators
import Testing

/// A scripted device and a client whose server is scripted.
struct WebAuthnKit {
  static let instance = "https://am.example.com/am"
  static let origin = "https://am.example.com"
  static let party = "am.example.com"

  let device: TestDevice
  let transport = ScriptedTransport()
  let journey: Journey
  var configuration: WebAuthnJourneyConfiguration

  init(
    _ steps: ScriptedStep..., type: AuthenticatorType = .biometricOnly,
    body: ScriptedDevice = ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913")
  ) throws {
    device = try TestDevice(body, instance: Self.instance)
    device.verifier.script(steps)
    configuration = WebAuthnJourneyConfiguration(
      context: device.context,
      factories: .defaults(applicationPIN: ApplicationPINConfig(pinCollector: device.verifier)),
      authenticatorType: type)
    journey = Journey(
      try JourneyConfiguration(server: Self.instance, realm: "/alpha"), transport: transport,
      environment: device.environment.environment, callbacks: .standard.registeringWebAuthn())
  }

  var clock: ManualClock { device.environment.clock }
  var verifier: ScriptedUserVerifier { device.verifier }
  var promptKinds: [PromptRecord.Kind] { verifier.prompts.map(\.kind) }

  // MARK: Pages

  /// The node of a scripted answer, in a flow of its own.
  func page(_ callbacks: JSONValue...) async throws -> ContinueNode {
    transport.add(json: Self.step(callbacks))
    return try #require(try await journey.start("Journey").continueNode)
  }

  func registrationPage(
    _ bend: (inout JSONObject) -> Void = { _ in }
  ) async throws -> (node: ContinueNode, callback: WebAuthnRegistrationCallback) {
    let node = try await page(Self.metadata(ServerData.registration(bend)), Self.hidden)
    return (node, try #require(node.callback(WebAuthnRegistrationCallback.self)))
  }

  func authenticationPage(
    _ bend: (inout JSONObject) -> Void = { _ in }
  ) async throws -> (node: ContinueNode, callback: WebAuthnAuthenticationCallback) {
    let node = try await page(Self.metadata(ServerData.authentication(bend)), Self.hidden)
    return (node, try #require(node.callback(WebAuthnAuthenticationCallback.self)))
  }

  static func step(_ callbacks: [JSONValue]) -> JSONValue { ["authId": "auth", "callbacks": .array(callbacks)] }

  static func metadata(_ data: JSONObject) -> JSONValue {
    ["type": "MetadataCallback", "output": [["name": "data", "value": .object(data)]]]
  }

  static func script(_ source: String) -> JSONValue {
    [
      "type": "TextOutputCallback",
      "output": [["name": "message", "value": .string(source)], ["name": "messageType", "value": "4"]],
    ]
  }

  static let hidden: JSONValue = [
    "type": "HiddenValueCallback",
    "output": [["name": "value", "value": "false"], ["name": "id", "value": "webAuthnOutcome"]],
    "input": [["name": "IDToken2", "value": "webAuthnOutcome"]],
  ]

  static let recoveryCode: JSONValue = [
    "type": "ConfirmationCallback",
    "output": [
      ["name": "prompt", "value": ""], ["name": "messageType", "value": 0],
      ["name": "options", "value": ["Use Recovery Code"]], ["name": "optionType", "value": -1],
      ["name": "defaultOption", "value": 0],
    ],
    "input": [["name": "IDToken3", "value": 100]],
  ]

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

  /// Registers, is accepted, and returns the credential's name.
  @discardableResult
  func register(
    _ steps: ScriptedStep..., user: String = "mira", displayName: String = "Mira M.", discoverable: Bool = true
  ) async throws -> CredentialID {
    verifier.script(steps)
    let (node, callback) = try await registrationPage {
      ServerData.bend(&$0, user: user, displayName: displayName, discoverable: discoverable)
    }
    let response = try await callback.register(configuration, node: node)
    try await accept(node)
    return response.id
  }

  // MARK: What is there

  /// What the hidden field held in the last request.
  var sentOutcome: String? { transport.requests.last.flatMap(Self.outcome) }

  static func outcome(in request: HTTPRequest) -> String? {
    let callbacks = request.json?["callbacks"]?.arrayValue ?? []
    return callbacks.first { $0["type"] == "HiddenValueCallback" }?["input"]?[0]?["value"]?.stringValue
  }

  /// Every record of the store, whatever its state.
  func records() async throws -> [KeyRecord] { try await device.store.records(matching: .everything) }

  /// The credentials that are offered.
  func credentials() async throws -> [PublicKeyCredentialSource] {
    try await configuration.platformAuthenticator().credentials(of: Self.party)
  }
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
