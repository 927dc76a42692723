import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// A reader on the desk; returns when a badge was held against it.
protocol BadgeReader: Sendable {
  func waitForBadge() async throws
}

final class BadgeAuthenticator: DefaultDeviceAuthenticator {
  static let badge = VerificationMethod(rawValue: "badge")
  private let reader: any BadgeReader

  init(reader: any BadgeReader, context: AuthenticatorContext) {
    self.reader = reader
    super.init(context: context)
  }

  override func type() -> AuthenticatorType { AuthenticatorType(rawValue: "badge") }

  override func keyAccess(for request: KeyRequest) async throws -> KeyAccess {
    KeyAccess(gate: .verified([Self.badge]))
  }

  override func availability() async -> AuthenticatorAvailability { .available(.verified) }

  override func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    let reader = reader
    try await withDeadline(request.deadline) { try await reader.waitForBadge() }
    return VerificationTicket(
      verification: UserVerification(level: .verified, methods: [Self.badge], time: context.environment.now()),
      operation: request.operation, keys: request.keys, expires: request.deadline)
  }
}

@Suite("Article: writing an authenticator")
struct Writing {
  struct Desk: BadgeReader {
    var holdsBadge: Bool
    func waitForBadge() async throws {
      if !holdsBadge { throw AuthenticatorError(.userCanceled, stage: "badge") }
    }
  }

  private func authenticator(_ desk: Desk, _ test: TestEnvironment) throws -> BadgeAuthenticator {
    let verifier = try ScriptedUserVerifier(ScriptedDevice(), environment: test.environment)
    return BadgeAuthenticator(
      reader: desk,
      context: AuthenticatorContext(
        instance: "https://id.example.com/am", keyStore: try InMemoryKeyStore(environment: test.environment),
        verifier: verifier, environment: test.environment))
  }

  @Test func signsWithTheBadge() async throws {
    let test = TestEnvironment()
    let authenticator = try authenticator(Desk(holdsBadge: true), test)
    let record = try await stage(authenticator)
    let key = try await authenticator.authenticate(keyTag: record.tag, prompt: Prompt(reason: "Sign in"))
    let message = Array("hello".utf8)
    let signature = try await key.sign(message)
    #expect(try record.publicKey.isValidSignature(signature, for: message))
    await #expect(throws: AuthenticatorError(.verificationSpent)) { try await key.sign(message) }
  }

  @Test func refusesWithoutIt() async throws {
    let test = TestEnvironment()
    let authenticator = try authenticator(Desk(holdsBadge: false), test)
    let record = try await stage(authenticator)
    await #expect(throws: AuthenticatorError(.userCanceled)) {
      try await authenticator.authenticate(keyTag: record.tag, prompt: Prompt(reason: "Sign in"))
    }
  }

  @Test func keepsWhatIsOwed() async throws {
    let violations = try await ConformanceChecks.authenticator { context, _ in
      BadgeAuthenticator(reader: Desk(holdsBadge: true), context: context)
    }
    #expect(violations.isEmpty)
  }

  private func stage(_ authenticator: BadgeAuthenticator) async throws -> KeyRecord {
    let context = authenticator.context
    let owner = KeyOwner(
      instance: context.instance, family: .deviceBinding, party: "/", account: Array("mira".utf8))
    let staged = try await authenticator.register(
      RegistrationRequest(
        key: KeyRequest(owner: owner, algorithms: [.es256]), operation: try OperationID(in: context.environment),
        prompt: Prompt(reason: "Bind this device"), deadline: context.environment.uptime() + .seconds(60)))
    return try await staged.commit()
  }
}
