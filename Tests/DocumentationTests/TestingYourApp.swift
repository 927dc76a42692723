import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

@Suite("Article: testing")
struct TestingYourApp {
  @Test func aChangedFingerprintSetVoidsTheKey() async throws {
    let test = TestEnvironment()
    let person = try ScriptedUserVerifier(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], steps: [.match()]),
      environment: test.environment)
    let context = AuthenticatorContext(
      instance: "https://id.example.com/am",
      keyStore: try InMemoryKeyStore(environment: test.environment),
      verifier: person, environment: test.environment)
    let authenticator = BiometricOnlyAuthenticator(
      config: BiometricAuthenticatorConfig(allowsSoftwareKeys: true), context: context)

    let owner = KeyOwner(
      instance: context.instance, family: .deviceBinding, party: "/", account: Array("mira".utf8))
    let staged = try await authenticator.register(
      RegistrationRequest(
        key: KeyRequest(owner: owner, algorithms: [.es256]),
        operation: try OperationID(in: test.environment),
        prompt: Prompt(reason: "Bind this device"), deadline: test.clock.uptime + .seconds(60)))
    let record = try await staged.commit()

    _ = try await authenticator.authenticate(keyTag: record.tag, prompt: Prompt(reason: "Sign in"))
    #expect(person.prompts.map(\.reason) == ["Sign in"])

    try person.enroll("left-thumb")
    await #expect(throws: AuthenticatorError(.keyInvalidated)) {
      try await authenticator.authenticate(keyTag: record.tag, prompt: Prompt(reason: "Sign in"))
    }
    #expect(person.prompts.count == 1)
  }

  @Test func aSlowPersonRunsOutOfTime() async throws {
    let test = TestEnvironment()
    let person = try ScriptedUserVerifier(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], steps: [.noAnswer]),
      environment: test.environment)
    let context = AuthenticatorContext(
      instance: "https://id.example.com/am",
      keyStore: try InMemoryKeyStore(environment: test.environment),
      verifier: person, environment: test.environment)
    let authenticator = BiometricOnlyAuthenticator(
      config: BiometricAuthenticatorConfig(allowsSoftwareKeys: true), context: context)
    let request = VerificationRequest(
      operation: try OperationID(in: test.environment), level: .verified,
      owner: KeyOwner(instance: context.instance, family: .deviceBinding, party: "/", account: nil),
      prompt: Prompt(reason: "Sign in"), deadline: test.clock.uptime + .seconds(30))
    let clock = test.clock
    let waiting = Task {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(31))
    }
    await #expect(throws: AuthenticatorError(.timedOut)) { try await authenticator.verify(request) }
    await waiting.value
  }
}
