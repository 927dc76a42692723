import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

@Suite struct DefaultDeviceAuthenticatorTests {
  // MARK: The base class

  @Test func withoutAnAccessRuleItRefusesToRegister() async throws {
    let device = try TestDevice.fingerprint()
    let base = DefaultDeviceAuthenticator(context: device.context)
    #expect(await base.availability() == .unavailable(.unsupported))
    #expect(await !base.isSupported(attestation: .none))
    let request = try device.registration(of: device.owner())
    #expect(await code { try await base.register(request) } == .unsupported)
    #expect(device.store.calls.isEmpty)
    #expect(device.verifier.prompts.isEmpty)
  }

  @Test func itCollectsNoPIN() async throws {
    let device = try TestDevice.fingerprint()
    let request = verification(device)
    let access = KeyAccess(gate: .secret(SecretDomain(rawValue: "pin")))
    #expect(
      await code { try await DefaultDeviceAuthenticator(context: device.context).verify(request, by: access) }
        == .unsupported)
  }

  // MARK: Records of others

  @Test func aRecordOfAnotherTypeOrInstanceIsRefusedBeforeThePrompt() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    let request = try device.signing(record)
    #expect(await code { try await device.passcode.authenticate(request) } == .invalidRequest)
    var context = device.context
    context.instance = "https://other.example"
    let elsewhere = BiometricOnlyAuthenticator(context: context)
    #expect(await code { try await elsewhere.authenticate(request) } == .invalidRequest)
    let registration = try device.registration(of: device.owner())
    #expect(await code { try await elsewhere.register(registration) } == .invalidRequest)
    let verification = verification(device)
    #expect(await code { try await elsewhere.verify(verification) } == .invalidRequest)
    #expect(device.verifier.prompts.count == 1)
  }

  // MARK: Tickets

  @Test func aTicketOfTheOperationAsksNothingAgain() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    var request = try device.signing(record)
    request.ticket = try await device.biometricOnly.verify(
      VerificationRequest(
        operation: request.operation, level: .verified, owner: record.owner, prompt: request.prompt,
        deadline: request.deadline))
    let key = try await device.biometricOnly.authenticate(request)
    try await device.expectSignature(of: key)
    #expect(device.verifier.prompts.count == 2)
    #expect(await code { try await key.sign([1]) } == .verificationSpent)
  }

  @Test func aTicketThatDoesNotFitIsPassedOver() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.biometricOnly)
    let request = try device.signing(record)
    let now = device.environment.clock.now
    func ticket(
      _ methods: Set<VerificationMethod> = [.fingerprint], level: VerificationLevel = .verified,
      operation: OperationID? = nil, keys: Set<KeyTag>? = nil, expires: Duration? = nil
    ) -> VerificationTicket {
      VerificationTicket(
        verification: UserVerification(level: level, methods: methods, time: now),
        operation: operation ?? request.operation, keys: keys, expires: expires ?? request.deadline)
    }
    let unfit = [
      ticket(operation: OperationID(bytes: [7])), ticket(keys: [KeyTag(rawValue: "other")]),
      ticket(expires: device.environment.clock.uptime), ticket([.passcode]), ticket(level: .presence),
    ]
    for ticket in unfit {
      device.verifier.script([.match()])
      let prompts = device.verifier.prompts.count
      var request = request
      request.ticket = ticket
      let key = try await device.biometricOnly.authenticate(request)
      try await device.expectSignature(of: key)
      #expect(device.verifier.prompts.count == prompts + 1)
    }
  }

  @Test func aPromptsTicketOpensThatKeyOnly() async throws {
    let device = try TestDevice.fingerprint(.match(), .match(), .match())
    let alice = try await device.bind(device.biometricOnly)
    let bob = try await device.bind(device.biometricOnly, owner: device.owner("bob"))
    let key = try await device.biometricOnly.authenticate(try device.signing(alice))
    let other = SigningKey(record: bob, ticket: nil, store: device.store)
    #expect(await code { try await other.sign([1]) } == .verificationInsufficient)
    try await device.expectSignature(of: key)
  }

  // MARK: Verifying without a key

  @Test func theLevelDecidesWhatIsAsked() async throws {
    let device = try TestDevice.fingerprint(.approve, .match())
    var request = verification(device)
    request.level = .none
    #expect(try await device.biometricOnly.verify(request).verification.methods.isEmpty)
    request.level = .presence
    #expect(try await device.biometricOnly.verify(request).verification.methods == [.presence])
    request.level = .verified
    #expect(try await device.biometricOnly.verify(request).verification.methods == [.fingerprint])
    #expect(device.kinds == [.presence, .biometric])
  }

  /// Says yes to less than it was asked for.
  private final class Sloppy: BiometricOnlyAuthenticator {
    override func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
      VerificationTicket(
        verification: UserVerification(level: .presence, methods: [.fingerprint], time: context.environment.now()),
        operation: request.operation, expires: request.deadline)
    }
  }

  @Test func anOverrideThatVerifiesTooLittleOpensNothing() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.biometricOnly)
    let request = try device.signing(record)
    #expect(
      await code { try await Sloppy(context: device.context).authenticate(request) } == .verificationInsufficient)
  }

  /// Forgets to verify.
  private final class Forgetful: BiometricOnlyAuthenticator {
    override func authenticate(_ request: SigningRequest) async throws -> SigningKey {
      SigningKey(record: request.record, ticket: nil, store: context.keyStore)
    }
  }

  @Test func anOverrideThatForgetsToVerifyCannotSign() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.biometricOnly)
    let key = try await Forgetful(context: device.context).authenticate(try device.signing(record))
    #expect(await code { try await key.sign([1]) } == .verificationInsufficient)
  }

  private struct ReaderJammed: Error {}
  private final class Jammed: BiometricOnlyAuthenticator {
    override func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
      throw ReaderJammed()
    }
  }

  @Test func anAppsOwnErrorIsWrappedOnce() async throws {
    let device = try TestDevice.fingerprint(.match())
    let record = try await device.bind(device.biometricOnly)
    let request = try device.signing(record)
    let error = await error { try await Jammed(context: device.context).authenticate(request) }
    #expect(error?.code == .verifierUnavailable)
    #expect(error?.underlying is ReaderJammed)
    #expect(device.environment.events.last == .verificationFailed(code: .verifierUnavailable))
  }

  // MARK: The short form

  @Test func aTagAloneSuffices() async throws {
    let device = try TestDevice.fingerprint(.match(), .match())
    let record = try await device.bind(device.biometricOnly)
    let key = try await device.biometricOnly.authenticate(keyTag: record.tag, prompt: Prompt(reason: "Sign in"))
    try await device.expectSignature(of: key)
    #expect(
      await code {
        try await device.biometricOnly.authenticate(keyTag: KeyTag(rawValue: "none"), prompt: Prompt(reason: ""))
      } == .keyNotFound)
  }

  // MARK: Factories

  @Test func defaultFactoriesMakeEveryType() async throws {
    let device = try TestDevice.fingerprint()
    let factories = AuthenticatorFactories.defaults(
      biometricOnly: BiometricAuthenticatorConfig(fallbackTitle: "Other"),
      applicationPIN: ApplicationPINConfig(pinCollector: device.verifier))
    let types: [AuthenticatorType] = [
      .biometricOnly, .biometricAllowFallback, .devicePasscode, .applicationPIN, .none,
    ]
    #expect(factories.types == Set(types))
    for type in types { #expect(try await factories.make(type, device.context).type() == type) }
    let only = try await factories.make(.biometricOnly, device.context) as? BiometricOnlyAuthenticator
    #expect(only?.config.fallbackTitle == "Other")
    let withoutPIN = AuthenticatorFactories.defaults()
    #expect(await code { _ = try await withoutPIN.make(.applicationPIN, device.context) } == .unsupported)
  }

  private func verification(_ device: TestDevice) -> VerificationRequest {
    VerificationRequest(
      operation: OperationID(bytes: [1]), level: .verified, owner: device.owner(), prompt: Prompt(reason: "Verify"),
      deadline: device.environment.clock.uptime + .seconds(60))
  }
}
