import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import DeviceAuthenticators
import Testing

/// A scripted device and a client of the real server, in one process.
struct ServerKit {
  static let party = "am.example.com"

  let device: TestDevice
  let transport: InProcessTransport
  let journey: Journey
  var configuration: WebAuthnJourneyConfiguration

  init(configure: (inout JourneyServerConfiguration) throws -> Void = { _ in }) async throws {
    device = try TestDevice(instance: InProcessServer.address)
    let environment = device.environment.environment
    let server = try await InProcessServer(
      users: ["mira": "correct horse", "noor": "battery staple"], environment: environment, configure: configure)
    transport = InProcessTransport(server.server)
    configuration = WebAuthnJourneyConfiguration(
      context: device.context, factories: .defaults(), authenticatorType: .biometricAllowFallback)
    journey = Journey(
      try JourneyConfiguration(server: InProcessServer.address), transport: transport, environment: environment,
      callbacks: .standard.registeringWebAuthn())
  }

  var verifier: ScriptedUserVerifier { device.verifier }

  struct Walk {
    var node: JourneyNode
    /// What the ceremonies threw.
    var codes: [AuthenticatorError.Code] = []

    var isSuccess: Bool { if case .success = node { true } else { false } }
    var isFailure: Bool { if case .failure = node { true } else { false } }
  }

  /// Walks a journey to its end, doing what it asks for.
  func walk(
    _ name: String, as user: String = "mira", _ steps: ScriptedStep...,
    delegate: (any PlatformAuthenticatorAuthenticationDelegate)? = nil, local: Bool = false
  ) async throws -> Walk {
    verifier.script(steps)
    var walk = Walk(node: try await journey.start(name, options: JourneyOptions(forceAuth: true)))
    for _ in 0..<10 {
      guard case .continue(let page) = walk.node else { return walk }
      page.callback(NameCallback.self)?.name = user
      page.callback(PasswordCallback.self)?.password = user == "mira" ? "correct horse" : "battery staple"
      page.callback(WebAuthnAuthenticationCallback.self)?.delegate = delegate
      do {
        try await page.callback(WebAuthnRegistrationCallback.self)?.register(configuration, node: page)
        try await page.callback(WebAuthnAuthenticationCallback.self)?.authenticate(
          configuration, node: page, preferImmediatelyAvailableCredentials: local)
      } catch let error as AuthenticatorError {
        walk.codes.append(error.code)
      }
      walk.node = try await page.next()
    }
    Issue.record("the journey does not end")
    return walk
  }

  /// Whom the session belongs to.
  func sessionUser() async throws -> String { try await devices().user().id }

  func devices() throws -> WebAuthnDevices { try WebAuthnDevices(journey, context: device.context) }

  func credentials() async throws -> [PublicKeyCredentialSource] {
    try await configuration.platformAuthenticator().credentials(of: Self.party)
  }
}
