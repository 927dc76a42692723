import AuthenticatorKit

/// Lets in whoever holds the badge. Replace the body of `verify` by your reader.
final class BadgeAuthenticator: DefaultDeviceAuthenticator {
  static let badge = AuthenticatorType(rawValue: "badge")
  static let method = VerificationMethod(rawValue: "badge")

  override func type() -> AuthenticatorType { Self.badge }

  override func keyAccess(for request: KeyRequest) async throws -> KeyAccess {
    KeyAccess(gate: .verified([Self.method]))
  }

  override func availability() async -> AuthenticatorAvailability { .available(.verified) }

  override func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    try await withDeadline(request.deadline) { try await Task.sleep(for: .milliseconds(10)) }
    return VerificationTicket(
      verification: UserVerification(level: .verified, methods: [Self.method], time: context.environment.now()),
      operation: request.operation, keys: request.keys, expires: request.deadline)
  }
}
