import AuthenticatorCore

/// Asks for nothing: the policy `NONE`. Its keys prove possession of the device.
open class NoneAuthenticator: DefaultDeviceAuthenticator {
  open override func type() -> AuthenticatorType { .none }

  /// Open, on whatever protection the store can give.
  open override func keyAccess(for request: KeyRequest) async throws -> KeyAccess { KeyAccess(gate: .open) }

  /// Asks for presence where a protocol demands it.
  /// - Throws: `unsupported` when the person is to be verified: it has no way to.
  open override func verify(
    _ request: VerificationRequest, by access: KeyAccess
  ) async throws -> VerificationTicket {
    guard request.level < .verified else {
      throw AuthenticatorError(.unsupported, stage: "verify", reason: "this authenticator verifies nobody")
    }
    return try await super.verify(request, by: access)
  }
}
