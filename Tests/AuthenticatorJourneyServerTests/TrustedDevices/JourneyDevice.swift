import AuthenticatorCoding
import AuthenticatorJourneyServer
import Testing

/// A client that answers the page of a trusted-device node, written from the documentation.
struct JourneyDevice {
  let key: DeviceKey

  init() throws { key = try DeviceKey() }

  func data(_ page: Answer) -> JSONValue? { page.output(0, "data") }

  func enrollment(_ page: Answer) throws -> JSONObject {
    let text = try #require(data(page)?["challenge"]?["client_data"]?.stringValue)
    return [
      "public_key_jwk": .string(key.jwk), "client_data": .string(text), "signature": .string(try key.sign(text)),
      "algorithm": "ES256", "platform": "linux", "app_identifier": .string(key.application), "name": "Desk",
    ]
  }

  func signIn(_ page: Answer, _ id: String) throws -> JSONObject {
    let text = try #require(data(page)?["challenge"]?["client_data"]?.stringValue)
    return [
      "trusted_device_id": .string(id), "client_data": .string(text), "signature": .string(try key.sign(text)),
      "algorithm": "ES256", "app_identifier": .string(key.application),
    ]
  }
}

/// Reports how a node ended: its outcome, and the reason in the shared state.
private struct Report: TreeNode {
  static let nodeType = "Report"
  let outcomes: [NodeOutcome] = [.outcome]
  let outcome: String

  func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard context.answers == nil else { return .done(.outcome) }
    let reason = context.state.shared["trustedDeviceFailure"] ?? context.state.shared["trustedDeviceClientError"]
    return .ask([.textOutput([outcome, reason?.stringValue].compactMap { $0 }.joined(separator: " "))])
  }
}

/// A tree that ends with a report, whatever the outcome.
private func reporting(_ name: String, _ node: any TreeNode, asksName: Bool) throws -> JourneyTree {
  let ends = node.outcomes.map { TreeStep($0.rawValue, Report(outcome: $0.rawValue)).next(.failure) }
  let step = node.outcomes.reduce(TreeStep("node", node)) { $0.on($1, to: .step($1.rawValue)) }
  return try JourneyTree(name) {
    if asksName { TreeStep("name", UsernameCollector()).next("node") }
    step
    ends
  }
}

extension Harness {
  /// With the built-in journeys, and `Enroll`, `SignIn` and `SignInNameless`, which report how their node ended.
  static func withTrustedDevices(
    _ registry: any JourneyRegistry = InMemoryRegistry(), _ adjust: (inout TrustedDeviceSettings) -> Void = { _ in }
  ) async throws -> Harness {
    let trees =
      try BuiltInJourneys.all() + [
        reporting("Enroll", TrustedDeviceEnrollNode(), asksName: true),
        reporting("SignIn", TrustedDeviceSignInNode(), asksName: true),
        reporting("SignInNameless", TrustedDeviceSignInNode(), asksName: false),
      ]
    return try await Harness(journeys: trees, registry: registry) { configuration in
      configuration.trustedDevices.realm = Realm("/alpha")
      adjust(&configuration.trustedDevices)
    }
  }

  /// The page of a journey's node, behind the name where one is asked.
  func begin(_ journey: String, _ name: String = "mira") async throws -> Answer {
    let first = try await start(journey)
    return first.types == ["NameCallback"] ? try await post(first.filled([0: ["": .string(name)]])) : first
  }

  /// Fills the hidden value.
  func answer(_ page: Answer, _ text: String) async throws -> Answer {
    try await post(page.filled([1: ["": .string(text)]]))
  }

  /// What the report after an answer says.
  func report(_ page: Answer, _ text: String) async throws -> String? {
    try await answer(page, text).output(0, "message")?.stringValue
  }

  /// Enrolls through the built-in journey; returns the credential's id.
  func enroll(_ device: JourneyDevice, _ name: String = "mira") async throws -> String {
    let page = try await login(name, journey: "EnrollTrustedDevice")
    let done = try await answer(page, try device.enrollment(page).serializedString())
    #expect(done.token != nil)
    return try #require(device.data(page)?["trusted_device_id"]?.stringValue)
  }
}
