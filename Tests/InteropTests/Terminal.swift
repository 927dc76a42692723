import AuthenticatorKit
import AuthenticatorRelyingParty
import AuthenticatorTestSupport

/// A device, the real server in the same process, and a client between them.
struct Terminal {
  let device: TestDevice
  let server: InProcessServer
  let journey: Journey
  var binding: DeviceBindingConfiguration
  var webAuthn: WebAuthnJourneyConfiguration
  var uaf: UAFJourneyConfiguration
  var trustedDevices: TrustedDeviceJourneyConfiguration
  private let allowsSoftwareKeys: Bool

  init(_ row: MatrixRow = MatrixRow(name: "")) async throws {
    device = try TestDevice(
      row.device, instance: InProcessServer.address,
      providers: row.hasHardware ? [EmulatedHardware()] : [SoftwareKeyProvider()])
    let environment = device.environment.environment
    let models = try await Self.knownModels()
    server = try await InProcessServer(users: ["mira": "correct horse"], environment: environment) {
      $0.uaf.models = models
    }
    journey = try Journey(server: InProcessServer.address, environment: environment, transport: server)
    binding = DeviceBindingConfiguration(
      for: journey, keyStore: device.store, verifier: device.verifier, environment: environment,
      allowsSoftwareKeys: row.allowsSoftwareKeys)
    binding.factories.register(.badge) { BadgeAuthenticator(context: $0) }
    webAuthn = WebAuthnJourneyConfiguration(
      context: binding.context, factories: binding.factories, authenticatorType: .biometricOnly)
    trustedDevices = TrustedDeviceJourneyConfiguration(
      for: journey, keyStore: device.store, verifier: device.verifier, environment: environment,
      allowsSoftwareKeys: row.allowsSoftwareKeys)
    uaf = UAFJourneyConfiguration(client: try Self.uafClient(on: device, []))
    allowsSoftwareKeys = row.allowsSoftwareKeys
  }

  /// Has this type answer for every protocol: under device binding wherever the server says `word`, in UAF as the only
  /// model of the device.
  mutating func put(_ type: AuthenticatorType, behind word: WireAuthenticationType) throws {
    binding.types[word] = type
    webAuthn.authenticatorType = type
    let factories = binding.factories
    trustedDevices.authenticators.enrolling = { _, context in try await factories.make(type, context) }
    trustedDevices.authenticators.signing = factories
    // The server's app ID is the address of its facet list, which the client fetches.
    uaf.client = try Self.uafClient(
      on: device, Self.models.filter { $0.behavior.authenticator == type }, allowsSoftwareKeys: allowsSoftwareKeys,
      transport: server)
  }

  // MARK: UAF

  /// One model for each column; the numbers are no vendor's.
  private static let models: [UAFAuthenticatorModel] = {
    let badge = UAFBehavior(name: "badge", authenticator: .badge, userVerification: .presence)
    let behaviors: [(String, UAFBehavior)] = [
      ("FFFF#C001", .biometricWithState), ("FFFF#C002", .biometricOrPasscode), ("FFFF#C003", .passcode),
      ("FFFF#C004", .applicationPIN), ("FFFF#C005", .silent), ("FFFF#C006", badge),
    ]
    return behaviors.compactMap { name, behavior in
      AAID(name).map { UAFAuthenticatorModel(aaid: $0, behavior: behavior) }
    }
  }()

  /// What a vendor publishes of the models: how they are on a device that has everything.
  private static func knownModels() async throws -> UAFModels {
    let client = try uafClient(on: try TestDevice(instance: InProcessServer.address), models)
    return try UAFModels(json: .array(await client.metadataStatements()))
  }

  private static func uafClient(
    on device: TestDevice, _ models: [UAFAuthenticatorModel], allowsSoftwareKeys: Bool = false,
    transport: (any HTTPTransport)? = nil
  ) throws -> UAFClient {
    var own = AuthenticatorFactories()
    own.register(.badge) { BadgeAuthenticator(context: $0) }
    return try UAFClient(
      UAFClientConfiguration(
        context: device.context, authenticators: models,
        devices: UAFDeviceAuthenticators(
          biometric: BiometricAuthenticatorConfig(allowsSoftwareKeys: allowsSoftwareKeys),
          devicePasscode: DevicePasscodeConfig(allowsSoftwareKeys: allowsSoftwareKeys),
          applicationPIN: ApplicationPINConfig(pinCollector: device.verifier), custom: own),
        transport: transport, responder: device.verifier))
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
        try await page.callback(UAFCallback.self)?.process(uaf, node: page)
        try await page.callback(TrustedDeviceEnrollCallback.self)?.enroll(trustedDevices, node: page)
        try await page.callback(TrustedDeviceSignInCallback.self)?.signIn(trustedDevices, node: page)
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
