import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// The code of the `AuthenticatorError` that the body throws; anything else is a failure of the test.
func code<Value>(
  of body: () async throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
) async -> AuthenticatorError.Code? {
  await error(of: body, sourceLocation: sourceLocation)?.code
}

/// The `AuthenticatorError` that the body throws.
func error<Value>(
  of body: () async throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
) async -> AuthenticatorError? {
  do {
    _ = try await body()
    Issue.record("it succeeded", sourceLocation: sourceLocation)
    return nil
  } catch let error as AuthenticatorError {
    return error
  } catch {
    Issue.record("it threw \(error)", sourceLocation: sourceLocation)
    return nil
  }
}

extension TestDevice {
  /// Registers, uses once and commits, as a binding does; asks at most once.
  func bind(
    _ authenticator: some DeviceAuthenticator, owner: KeyOwner? = nil, prompt: Prompt = Prompt(reason: "Bind")
  ) async throws -> KeyRecord {
    let request = try registration(of: owner ?? self.owner(), prompt: prompt)
    let staged = try await authenticator.register(request)
    let key = try await authenticator.authenticate(
      SigningRequest(
        record: staged.record, operation: request.operation, prompt: request.prompt, deadline: request.deadline,
        ticket: staged.ticket))
    try await expectSignature(of: key)
    return try await staged.commit()
  }

  /// Signs with a key, which must work.
  @discardableResult
  func signIn(
    _ authenticator: some DeviceAuthenticator, _ record: KeyRecord, prompt: Prompt = Prompt(reason: "Sign in")
  ) async throws -> UserVerification? {
    let key = try await authenticator.authenticate(try signing(record, prompt: prompt))
    try await expectSignature(of: key)
    return key.verification
  }

  func expectSignature(of key: SigningKey) async throws {
    let message: [UInt8] = [1, 2, 3]
    let signature = try await key.sign(message)
    let verifier = try Verifier(key.record.publicKey, algorithm: key.record.algorithm)
    #expect(try verifier.isValidSignature(signature, for: message))
  }

  /// The kinds of the prompts shown.
  var kinds: [PromptRecord.Kind] { verifier.prompts.map(\.kind) }

  /// How the prompts ended.
  var results: [String?] { verifier.prompts.map(\.result) }

  var biometricOnly: BiometricOnlyAuthenticator { BiometricOnlyAuthenticator(context: context) }
  var allowFallback: BiometricDeviceCredentialAuthenticator {
    BiometricDeviceCredentialAuthenticator(context: context)
  }
  var passcode: DevicePasscodeAuthenticator { DevicePasscodeAuthenticator(context: context) }
  var applicationPIN: ApplicationPINAuthenticator {
    ApplicationPINAuthenticator(config: ApplicationPINConfig(pinCollector: verifier), context: context)
  }
  var none: NoneAuthenticator { NoneAuthenticator(context: context) }

  /// A finger enrolled and a passcode set, with these steps.
  static func fingerprint(_ steps: ScriptedStep...) throws -> TestDevice {
    try TestDevice(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913", steps: steps))
  }
}
