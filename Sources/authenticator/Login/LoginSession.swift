import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorHTTP
import AuthenticatorJourney
import AuthenticatorKit
import AuthenticatorTrustedDevice
import AuthenticatorTrustedDeviceJourney
import AuthenticatorUAFJourney
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import DeviceAuthenticators

/// Everything one login works with, made from the options.
struct LoginSession {
  let journey: Journey
  let device: Device
  let transport: ObservedTransport
  private let sessionFile: FileSessionStorage?
  let options: LoginOptions
  let console: Console

  /// Nothing is sent yet.
  init(_ options: LoginOptions, _ device: Device, console: Console) throws {
    self.options = options
    self.device = device
    self.console = console
    let person = device.person
    transport = ObservedTransport(try Self.transport(options), console: console)
    sessionFile = options.sessionFile.map { FileSessionStorage(path: $0) }
    journey = Journey(
      options.configuration, transport: transport, environment: person.environment,
      storage: sessionFile ?? InMemorySessionStorage() as any SessionStorage, callbacks: .complete)
  }

  /// With what the device answers; opens or makes its key store.
  private func binding() async throws -> DeviceBindingConfiguration {
    let holder = try await device.makingStore()
    let person = device.person
    return DeviceBindingConfiguration(
      context: holder.context(instance: options.configuration.instance), factories: device.factories,
      types: device.options.wireTypes, customClaims: options.claims,
      keySelector: options.user.map { NamedUserSelector(user: $0) as any UserKeySelector }
        ?? PromptingKeySelector(
          person.responder, prompt: Prompt(title: "Several users", reason: "Who signs in?"),
          environment: person.environment),
      timeLimit: options.timeout)
  }

  /// With what the device answers WebAuthn; opens or makes its key store.
  private func webAuthn() async throws -> WebAuthnJourneyConfiguration {
    let holder = try await device.makingStore()
    let origin = options.origin ?? options.configuration.webOrigin
    return WebAuthnJourneyConfiguration(
      context: holder.context(instance: options.configuration.instance), factories: device.factories,
      authenticatorType: device.options.authenticator ?? .biometricAllowFallback,
      platform: try Device.platformConfiguration(options.attestation, at: device.person.environment.now()),
      client: try Device.clientConfiguration(origin, options.relyingPartyIDs), origin: origin,
      selection: PromptedInteraction(responder: device.person.responder), timeLimit: options.timeout)
  }

  /// With what the device enrolls and signs in as a trusted device; opens or makes its key store.
  private func trustedDevices() async throws -> TrustedDeviceJourneyConfiguration {
    let holder = try await device.makingStore()
    // The keys of an earlier installation neither sign nor stand beside new ones.
    if device.installationMarkers != nil { try await trustedDeviceClient(holder).start() }
    return TrustedDeviceJourneyConfiguration(
      context: holder.context(instance: options.configuration.instance), authenticators: device.trustedDevices,
      policy: device.options.trustedDevicePolicy, promptTimeLimit: options.timeout ?? .seconds(60),
      onEvent: TrustedDeviceEventText.reporter(on: console))
  }

  /// With what the device answers UAF; opens or makes its key store.
  private func uaf() async throws -> UAFJourneyConfiguration {
    try await options.uaf.configuration(
      device, over: try await device.makingStore().store, instance: options.configuration.instance,
      certificateFile: options.certificateFile, user: options.user, timeout: options.timeout)
  }

  private static func transport(_ options: LoginOptions) throws -> CurlTransport {
    do {
      return try CurlTransport(CurlConfiguration(certificateFile: options.certificateFile))
    } catch let error as AuthenticatorError where error.code == .invalidRequest {
      throw Failure.unusable("inputUnusable", error.reason, stage: error.stage)
    }
  }

  /// Walks the journey. A journey that fails leaves no session but the one that was given.
  func run() async throws -> LoginOutcome {
    // Before anything is sent: a session that cannot be kept would be lost.
    try await sessionFile?.prepare()
    let given: JourneySession?
    do { given = try await journey.session } catch { throw LoginRun.failure(error) }
    let run = LoginRun(
      journey: journey, transport: transport, options: options,
      device: Ceremonies(
        binding: binding, webAuthn: webAuthn, trustedDevices: trustedDevices, uaf: uaf,
        realm: options.configuration.realm, user: options.user, credential: options.credential, console: console),
      questions: Questions(environment: device.person.environment), console: console)
    var outcome = await run.run()
    outcome.prompts = device.person.prompts()
    outcome.givenToken = given?.tokenID
    if outcome.word == .failure { await endNewSession(outcome) }
    return outcome
  }

  /// Ends the session that the journey made; the one that was given stays.
  func endNewSession(_ outcome: LoginOutcome) async {
    do {
      guard let session = try await journey.session, session.tokenID != outcome.givenToken else { return }
      try await journey.logout()
    } catch {
      console.trace("the session was not ended: \(Failure(error).code)")
    }
  }
}

extension JourneyConfiguration {
  /// What a browser on this machine would take for the server's origin. An address is no relying party ID; this machine
  /// by its name is one.
  var webOrigin: String {
    let isThisMachine = server.host == "[::1]" || server.host.hasPrefix("127.")
    guard isThisMachine else { return server.origin }
    return "\(server.scheme)://localhost" + server.origin.dropFirst("\(server.scheme)://\(server.host)".count)
  }
}

extension DeviceOptions {
  /// The policy under which a journey's trusted device is enrolled, unless the server asks for more.
  fileprivate var trustedDevicePolicy: TrustedDevicePolicy {
    authenticator == .biometricOnly ? .biometryCurrentSet : .biometryOrDevicePasscode
  }

  /// Which authenticator answers which of the server's words. A named authenticator answers the words it is strong
  /// enough for, and the others are refused; nothing is ever answered with less.
  var wireTypes: WireAuthenticationTable {
    switch authenticator {
    case .biometricOnly?:
      WireAuthenticationTable([.biometricOnly: .biometricOnly, .biometricAllowFallback: .biometricOnly, .none: .none])
    case .biometricAllowFallback?:
      WireAuthenticationTable([.biometricAllowFallback: .biometricAllowFallback, .none: .none])
    case .devicePasscode?: WireAuthenticationTable([.biometricAllowFallback: .devicePasscode, .none: .none])
    case .applicationPIN?: WireAuthenticationTable([.applicationPIN: .applicationPIN, .none: .none])
    default: .standard
    }
  }
}
