import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorUAF
import DeviceAuthenticators
import Testing

/// A scripted device with the built-in authenticators and a client, and messages of a server it may believe.
struct UAFKit {
  static let facet = "ios:bundle-id:com.example.app"
  static let passcode: ScriptedText = "482913"
  static let challenge = "kzZauv2hljZLV9-vxAyxtKyLZ_SJW8bVGz3WkOXN1P0"

  enum Model: String, CaseIterable {
    case passcode = "FFFF#A001"
    case state = "FFFF#A002"
    case deletion = "FFFF#A003"
    case either = "FFFF#A004"
    case presence = "FFFF#A005"
    case silent = "FFFF#A006"

    var behavior: UAFBehavior {
      switch self {
      case .passcode: .passcode
      case .state: .biometricWithState
      case .deletion: .biometricWithKeyDeletion
      case .either: .biometricOrPasscode
      case .presence: .presence
      case .silent: .silent
      }
    }

    var aaid: AAID {
      get throws { try #require(AAID(rawValue)) }
    }
  }

  let device: TestDevice
  var configuration: UAFClientConfiguration
  var client: UAFClient

  init(
    _ body: ScriptedDevice = ScriptedDevice(
      sensor: .fingerprint, enrolled: ["right-index"], passcode: UAFKit.passcode),
    algorithms: Set<SignatureAlgorithm> = [.es256], configure: (inout UAFClientConfiguration) throws -> Void = { _ in }
  ) throws {
    device = try TestDevice(body, instance: "https://rp.example", providers: [EmulatedHardware(algorithms: algorithms)])
    configuration = UAFClientConfiguration(
      context: device.context,
      authenticators: try Model.allCases.map { UAFAuthenticatorModel(aaid: try $0.aaid, behavior: $0.behavior) },
      responder: device.verifier)
    configuration.devices.biometric.contextDelegate = device.verifier
    try configure(&configuration)
    client = try UAFClient(configuration)
  }

  /// Another run of the app on the same device.
  func restarted() throws -> UAFKit {
    var copy = self
    copy.client = try UAFClient(configuration)
    return copy
  }

  // MARK: Messages

  static func header(
    _ op: String, appID: String? = nil, exts: JSONValue? = nil, version: JSONValue = ["major": 1, "minor": 1]
  ) -> JSONValue {
    var object = JSONObject([("upv", version), ("op", .string(op)), ("serverData", "c2VydmVy")])
    if let appID { object["appID"] = .string(appID) }
    if let exts { object["exts"] = exts }
    return .object(object)
  }

  static func accepting(_ aaids: [String], keyIDs: [UAFKeyID]? = nil) -> JSONValue {
    let sets = aaids.map { aaid -> JSONValue in
      var criteria: JSONObject = ["aaid": [.string(aaid)]]
      if let keyIDs { criteria["keyIDs"] = .array(keyIDs.map { .string($0.description) }) }
      return [.object(criteria)]
    }
    return ["accepted": .array(sets)]
  }

  static func registration(
    _ models: Model..., username: String = "alice", policy: JSONValue? = nil, header: JSONValue? = nil
  ) -> UAFMessage {
    let policy = policy ?? accepting(models.map(\.rawValue))
    let entry: JSONValue = [
      "header": header ?? Self.header("Reg"), "challenge": .string(challenge), "username": .string(username),
      "policy": policy,
    ]
    return UAFMessage(JSONValue.array([entry]).serializedString())
  }

  static func authentication(
    _ models: Model..., keyIDs: [UAFKeyID]? = nil, policy: JSONValue? = nil, transaction: JSONValue? = nil,
    header: JSONValue? = nil
  ) -> UAFMessage {
    let policy = policy ?? accepting(models.map(\.rawValue), keyIDs: keyIDs)
    var entry = JSONObject([
      ("header", header ?? Self.header("Auth")), ("challenge", .string(challenge)), ("policy", policy),
    ])
    if let transaction { entry["transaction"] = transaction }
    return UAFMessage(JSONValue.array([.object(entry)]).serializedString())
  }

  static func transaction(_ text: String) -> JSONValue {
    [["contentType": "text/plain", "content": .string(Base64URL.encode(Array(text.utf8)))]]
  }

  static func deregistration(_ aaid: String, _ keyID: String, header: JSONValue? = nil) -> UAFMessage {
    let entry: JSONValue = [
      "header": header ?? Self.header("Dereg"),
      "authenticators": [["aaid": .string(aaid), "keyID": .string(keyID)]],
    ]
    return UAFMessage(JSONValue.array([entry]).serializedString())
  }

  // MARK: Running

  /// Registers and confirms; the steps are the person's.
  @discardableResult
  func register(
    _ model: Model, username: String = "alice", steps: ScriptedStep...
  ) async throws -> KeyRegistrationData {
    device.verifier.script(steps)
    let response = try await client.process(
      Self.registration(model, username: username), facetID: Self.facet)
    try await client.notify(status: .ok, of: response, facetID: Self.facet)
    return try Self.registered(response)
  }

  func authenticate(
    _ message: UAFMessage, extras: UAFExtras = UAFExtras(), steps: ScriptedStep...
  ) async -> UAFResult {
    device.verifier.script(steps)
    return await client.authenticate(message, facetID: Self.facet, extras: extras)
  }

  /// The first assertion of a response.
  static func assertion(_ message: UAFMessage?) throws -> [UInt8] {
    let message = try #require(message)
    let response = try UAFResponse(message.uafProtocolMessage)
    return try #require(response.assertions.first).assertion
  }

  static func registered(_ response: UAFMessage) throws -> KeyRegistrationData {
    try RegistrationAssertion(try assertion(response)).keyRegistrationData
  }

  static func signed(_ message: UAFMessage?) throws -> AuthenticationSignedData {
    try AuthenticationAssertion(try assertion(message)).signedData
  }

  /// Every UAF record of the device, in every state.
  func records() async throws -> [KeyRecord] {
    try await device.store.records(
      matching: KeyQuery(
        instance: device.instance, family: .uaf, states: Set(KeyRecord.State.allCases)))
  }

  var prompts: [PromptRecord] { device.verifier.prompts }
}
