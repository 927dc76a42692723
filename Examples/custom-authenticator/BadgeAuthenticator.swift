import AuthenticatorKit

/// Verifies the person by the badge on the reader: an authenticator of an app's own, in four overrides.
final class BadgeAuthenticator: DefaultDeviceAuthenticator {
  static let badge = VerificationMethod(rawValue: "badge")
  let reader: BadgeReader

  init(reader: BadgeReader, context: AuthenticatorContext) {
    self.reader = reader
    super.init(context: context)
  }

  override func type() -> AuthenticatorType { AuthenticatorType(rawValue: "badge") }

  override func keyAccess(for request: KeyRequest) async throws -> KeyAccess {
    KeyAccess(gate: .verified([Self.badge]))
  }

  override func availability() async -> AuthenticatorAvailability {
    reader.isConnected ? .available(.verified) : .unavailable(.verifierUnavailable)
  }

  override func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    let (reader, environment) = (reader, context.environment)
    let owner = try await withDeadline(request.deadline) { try await reader.waitForBadge() }
    guard owner == "mira" else { throw AuthenticatorError(.userVerificationFailed, stage: "badge") }
    return VerificationTicket(
      verification: UserVerification(level: .verified, methods: [Self.badge], time: environment.now()),
      operation: request.operation, keys: request.keys, expires: request.deadline)
  }
}

/// Stands for the reader's driver.
struct BadgeReader: Sendable {
  var isConnected = true
  var badge = "mira"
  func waitForBadge() async throws -> String { badge }
}
