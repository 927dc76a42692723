import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// A server that knows one UAF model, and a device of that model.
struct UAFKit {
  let harness: Harness
  var client = TestUAFClient()
  var device: TestUAFAuthenticator

  init(
    journeys: [JourneyTree]? = nil, registry: any JourneyRegistry = InMemoryRegistry(), clock: ManualClock = .init(),
    device: TestUAFAuthenticator? = nil, _ adjust: (inout UAFSettings) -> Void = { _ in }
  ) async throws {
    let device = try device ?? TestUAFAuthenticator()
    self.device = device
    client.facetID = "linux:exe:org.example.authenticator"
    var settings = UAFSettings()
    settings.models = try UAFModels(json: [.object(device.metadata())])
    settings.realm = Realm("/alpha")
    adjust(&settings)
    harness = try await Harness(journeys: journeys, registry: registry, clock: clock) { $0.uaf = settings }
  }

  /// The UAF message of a step.
  static func request(_ page: Answer) throws -> JSONValue {
    try JSONValue.parse(try #require(page.output(0, "data")?["uafRequest"]?.stringValue))
  }

  /// Writes a text into the hidden field of a step.
  func answer(_ page: Answer, _ text: String) async throws -> Answer {
    try await harness.post(page.filled([1: ["": .string(text)]]))
  }

  /// The step of a journey that asks for a registration.
  func registrationStep(_ user: String = "mira") async throws -> Answer {
    try await harness.login(user, journey: "RegisterUAF")
  }

  func register(_ user: String = "mira") async throws -> Answer {
    let page = try await registrationStep(user)
    return try await answer(page, try client.register(device, try Self.request(page)))
  }

  /// The step of a journey that asks for a signature.
  func authenticationStep(_ user: String? = "mira", journey: String = "LoginUAF") async throws -> Answer {
    let first = try await harness.start(journey)
    guard let user else { return first }
    return try await harness.post(first.filled([0: ["": .string(user)]]))
  }

  mutating func signIn(_ user: String? = "mira", journey: String = "LoginUAF") async throws -> Answer {
    let page = try await authenticationStep(user, journey: journey)
    return try await answer(page, try client.authenticate(&device, try Self.request(page)))
  }

  /// The checks that refused, in order.
  var refusals: [String] {
    harness.events.all.compactMap {
      guard case .proofRefused(_, let check) = $0 else { return nil }
      return check
    }
  }

  func keys(_ user: String = "mira") async throws -> [UAFKeyRecord] {
    let id = try #require(try await harness.registry.user(named: user, in: harness.realm)).id
    return try await harness.registry.uafKeys(ofUser: id, realm: harness.realm)
  }
}
