import AuthenticatorKit
import AuthenticatorTestSupport

/// A device, the real server in the same process, and a client between them.
struct Terminal {
  let device: TestDevice
  let server: InProcessServer
  let journey: Journey
  var binding: DeviceBindingConfiguration
  var webAuthn: WebAuthnJourneyConfiguration

  init(_ row: MatrixRow = MatrixRow(name: "")) async throws {
    device = try TestDevice(
      row.device, instance: InProcessServer.address,
      providers: row.hasHardware ? [EmulatedHardware()] : [SoftwareKeyProvider()])
    let environment = device.environment.environment
    server = try await InProcessServer(users: ["mira": "correct horse"], environment: environment)
    journey = try Journey(server: InProcessServer.address, environment: environment, transport: server)
    binding = DeviceBindingConfiguration(
      for: journey, keyStore: device.store, verifier: device.verifier, environment: environment,
      allowsSoftwareKeys: row.allowsSoftwareKeys)
    binding.factories.register(.badge) { BadgeAuthenticator(context: $0) }
    webAuthn = WebAuthnJourneyConfiguration(
      context: binding.context, factories: binding.factories, authenticatorType: .biometricOnly)
  }

  /// What happened in a journey: the proofs that were sent, and how it ended.
  struct Visit {
    var proofs: [String] = []
    var code: AuthenticatorError.Code?
    var isSignedIn = false
  }

  /// The person enters, touches and chooses whatever is asked for.
  func visit(_ name: String) async throws -> Visit {
    device.verifier.script([.pin("2718"), .passcode("482913"), .match()])
    var visit = Visit()
    var node = try await journey.start(name, options: JourneyOptions(forceAuth: true))
    while case .continue(let page) = node {
      page.callback(NameCallback.self)?.name = "mira"
      page.callback(PasswordCallback.self)?.password = "correct horse"
      do {
        if let callback = page.callback(DeviceBindingCallback.self) {
          try await callback.bind(binding)
          visit.proofs += [callback.jws].compactMap { $0 }
        }
        if let callback = page.callback(DeviceSigningVerifierCallback.self) {
          try await callback.sign(binding)
          visit.proofs += [callback.jws].compactMap { $0 }
        }
        try await page.callback(WebAuthnRegistrationCallback.self)?.register(webAuthn, node: page)
        try await page.callback(WebAuthnAuthenticationCallback.self)?.authenticate(webAuthn, node: page)
      } catch let error as AuthenticatorError {
        visit.code = error.code
      }
      node = try await page.next()
    }
    if case .success = node { visit.isSignedIn = true }
    return visit
  }
}

/// An app's own authenticator: whoever holds the badge.
final class BadgeAuthenticator: DefaultDeviceAuthenticator {
  override func type() -> AuthenticatorType { .badge }

  override func keyAccess(for request: KeyRequest) async throws -> KeyAccess {
    KeyAccess(gate: .verified([VerificationMethod(rawValue: "badge")]))
  }

  override func availability() async -> AuthenticatorAvailability { .available(.verified) }

  override func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    VerificationTicket(
      verification: UserVerification(
        level: .verified, methods: [VerificationMethod(rawValue: "badge")], time: context.environment.now()),
      operation: request.operation, keys: request.keys, expires: request.deadline)
  }
}
