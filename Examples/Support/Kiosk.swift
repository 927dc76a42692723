import AuthenticatorKit
import AuthenticatorTestSupport

/// What the examples share: a scripted device with one enrolled finger, a server in the same process, a client.
public struct Kiosk {
  public let device: TestDevice
  public let server: InProcessServer
  public let journey: Journey
  public var binding: DeviceBindingConfiguration
  public var webAuthn: WebAuthnJourneyConfiguration

  public init(
    users: [String: String] = ["mira": "correct horse"],
    device body: ScriptedDevice = ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913")
  ) async throws {
    device = try TestDevice(body, instance: InProcessServer.address)
    let environment = device.environment.environment
    server = try await InProcessServer(users: users, environment: environment)
    journey = try Journey(server: InProcessServer.address, environment: environment, transport: server)
    binding = DeviceBindingConfiguration(
      for: journey, keyStore: device.store, verifier: device.verifier, environment: environment)
    webAuthn = try WebAuthnJourneyConfiguration(
      for: journey, keyStore: device.store, verifier: device.verifier, environment: environment)
  }

  /// Walks a journey to its end: types name and password where asked, binds and signs where asked, registers and uses
  /// passkeys where asked.
  ///
  /// What fails has left its word in the node, so the journey goes on and the server decides.
  /// - Parameter chooser: asked when there are several passkeys.
  public func signIn(
    _ name: String, as user: String = "mira", password: String = "correct horse",
    chooser: (any PlatformAuthenticatorAuthenticationDelegate)? = nil
  ) async throws -> String {
    var node = try await journey.start(name, options: JourneyOptions(forceAuth: true))
    while case .continue(let page) = node {
      page.callback(NameCallback.self)?.name = user
      page.callback(PasswordCallback.self)?.password = password
      page.callback(WebAuthnAuthenticationCallback.self)?.delegate = chooser
      do {
        try await page.callback(DeviceBindingCallback.self)?.bind(binding)
        try await page.callback(DeviceSigningVerifierCallback.self)?.sign(binding)
        try await page.callback(WebAuthnRegistrationCallback.self)?.register(webAuthn, node: page)
        try await page.callback(WebAuthnAuthenticationCallback.self)?.authenticate(webAuthn, node: page)
      } catch let error as AuthenticatorError {
        print("  \(error.code)")
      }
      node = try await page.next()
    }
    switch node {
    case .success: return "signed in"
    case .failure(let failure): return "refused: \(failure.code)"
    default: return "parked"
    }
  }
}
