import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import AuthenticatorTrustedDeviceJourney
import DeviceAuthenticators
import Testing

/// A scripted device, a journey client and a trusted-device client of the same server, all in one process.
struct JourneyKit {
  let device: TestDevice
  let transport: InProcessTransport
  var journey: Journey
  let client: TrustedDeviceClient
  var configuration: TrustedDeviceJourneyConfiguration

  init(
    _ body: ScriptedDevice = ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913"),
    policy: TrustedDeviceEnrollNode.Policy = .biometryOrDevicePasscode,
    configure: @escaping (inout TrustedDeviceSettings) -> Void = { _ in }
  ) async throws {
    device = try TestDevice(body, instance: InProcessServer.address)
    let environment = device.environment.environment
    let server = try await InProcessServer(
      users: ["mira": "correct horse", "kim": "battery staple"], environment: environment
    ) { server in
      server.journeys.append(
        try JourneyTree("Enroll") {
          TreeStep("name", UsernameCollector()).next("enroll")
          TreeStep("enroll", TrustedDeviceEnrollNode(policy: policy)).on(.success, to: .success).otherwise(.failure)
        })
      server.journeys.append(
        try JourneyTree("SignIn") {
          TreeStep("name", UsernameCollector()).next("sign")
          TreeStep("sign", TrustedDeviceSignInNode()).on(.success, to: .success).otherwise(.failure)
        })
      configure(&server.trustedDevices)
    }
    transport = InProcessTransport(server.server)
    journey = Journey(
      try JourneyConfiguration(server: InProcessServer.address), transport: transport, environment: environment,
      callbacks: .standard.registeringTrustedDevices())
    var frontend = try TrustedDeviceConfiguration(server: InProcessServer.address)
    frontend.retryPolicy = .none
    client = TrustedDeviceClient(
      frontend, transport: transport, keyStore: device.store, verifier: device.verifier,
      environment: device.context.environment)
    configuration = TrustedDeviceJourneyConfiguration(context: device.context)
  }

  /// Another process of the same app on the same device, with a network of its own.
  func beside(over transport: any HTTPTransport) throws -> JourneyKit {
    var kit = self
    kit.journey = Journey(
      try JourneyConfiguration(server: InProcessServer.address), transport: transport,
      environment: device.environment.environment, callbacks: .standard.registeringTrustedDevices())
    return kit
  }

  struct Walk {
    var node: JourneyNode
    /// What the ceremonies threw.
    var codes: [AuthenticatorError.Code] = []
    /// What stood in the hidden fields.
    var outcomes: [String] = []

    var isSuccess: Bool { if case .success = node { true } else { false } }
    var isFailure: Bool { if case .failure = node { true } else { false } }
  }

  /// Walks a journey to its end, doing what it asks for.
  func walk(
    _ name: String, as user: String = "mira", _ steps: ScriptedStep..., policy: TrustedDevicePolicy? = nil
  ) async throws -> Walk {
    device.verifier.script(steps)
    var walk = Walk(node: try await journey.start(name, options: JourneyOptions(forceAuth: true)))
    for _ in 0..<10 {
      guard case .continue(let page) = walk.node else { return walk }
      page.callback(NameCallback.self)?.name = user
      page.callback(PasswordCallback.self)?.password = user == "mira" ? "correct horse" : "battery staple"
      do {
        try await page.callback(TrustedDeviceEnrollCallback.self)?.enroll(configuration, node: page, policy: policy)
        try await page.callback(TrustedDeviceSignInCallback.self)?.signIn(configuration, node: page)
      } catch let error as AuthenticatorError {
        walk.codes.append(error.code)
      }
      if let outcome = page.trustedDeviceOutcome { walk.outcomes.append(outcome) }
      walk.node = try await page.next()
    }
    return walk
  }

  /// Walks to the first page with a trusted-device callback.
  func page(_ name: String, as user: String = "mira") async throws -> ContinueNode {
    var node = try await journey.start(name, options: JourneyOptions(forceAuth: true))
    for _ in 0..<5 {
      guard case .continue(let page) = node else { break }
      if page.callback(TrustedDeviceCallback.self) != nil { return page }
      page.callback(NameCallback.self)?.name = user
      page.callback(PasswordCallback.self)?.password = user == "mira" ? "correct horse" : "battery staple"
      node = try await page.next()
    }
    throw AuthenticatorError(.invalidRequest, reason: "the journey has no such page")
  }

  func records(_ states: Set<KeyRecord.State> = Set(KeyRecord.State.allCases)) async throws -> [KeyRecord] {
    try await device.store.records(matching: .everything).filter { states.contains($0.state) }
  }

  /// The credentials of mira that the server has.
  func listed() async throws -> [TrustedDevice] {
    if try await client.auth.session == nil {
      try await client.auth.signIn(identifier: "mira", password: "correct horse")
    }
    return try await client.trustedDevices.list()
  }
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
