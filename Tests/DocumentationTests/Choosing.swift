import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

@Suite("Article: choosing an authenticator")
struct Choosing {
  private let test = TestEnvironment()

  private func context(_ device: ScriptedDevice) throws -> AuthenticatorContext {
    AuthenticatorContext(
      instance: "https://id.example.com/am",
      keyStore: try InMemoryKeyStore(environment: test.environment),
      verifier: try ScriptedUserVerifier(device, environment: test.environment),
      environment: test.environment)
  }

  @Test func asksWhatTheDeviceCanDo() async throws {
    let context = try context(ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"]))
    #expect(await strongest(in: context) == .applicationPIN)
  }

  func strongest(in context: AuthenticatorContext) async -> AuthenticatorType {
    let biometric = BiometricOnlyAuthenticator(config: BiometricAuthenticatorConfig(), context: context)
    if await biometric.isSupported(attestation: .none) { return .biometricOnly }
    let either = BiometricDeviceCredentialAuthenticator(config: BiometricAuthenticatorConfig(), context: context)
    if await either.isSupported(attestation: .none) { return .biometricAllowFallback }
    return .applicationPIN
  }

  @Test func allowsSoftwareKeysByName() async throws {
    let context = try context(ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913"))
    let config = BiometricAuthenticatorConfig(allowsSoftwareKeys: true)
    let authenticator = BiometricOnlyAuthenticator(config: config, context: context)
    #expect(await authenticator.isSupported(attestation: .none))
  }

  @Test func putsAPasscodeBehindAPolicy() async throws {
    let context = try context(ScriptedDevice(passcode: "482913"))
    let config = BiometricAuthenticatorConfig(enrollment: .currentSet, allowsSoftwareKeys: true)
    var factories = AuthenticatorFactories.defaults(biometricAllowFallback: config)
    factories.register(.devicePasscode) { context in
      DevicePasscodeAuthenticator(config: DevicePasscodeConfig(allowsSoftwareKeys: true), context: context)
    }
    #expect(try await factories.make(.biometricAllowFallback, context).type() == .biometricAllowFallback)
    #expect(await (try factories.make(.devicePasscode, context)).isSupported(attestation: .none))
  }
}
