import AuthenticatorCore
import AuthenticatorCrypto

/// Asks the person once, and signs the challenge with what that opens.
package struct ChallengePrompt {
  private let environment: AuthenticatorEnvironment
  private let clock: ServerClock
  private let challenge: TrustedDeviceChallenge
  private let reason: String
  private let limit: Duration

  /// - Parameter limit: how long the person has, unless the challenge ends sooner.
  package init(
    environment: AuthenticatorEnvironment, clock: ServerClock, challenge: TrustedDeviceChallenge, reason: String,
    limit: Duration
  ) {
    self.environment = environment
    self.clock = clock
    self.challenge = challenge
    self.reason = reason
    self.limit = limit
  }

  /// - Throws: the verifier's codes; `keyInvalidated`, `keyNotFound`, `deviceNotRegistered` for a key that cannot be
  ///   used; `challengeExpired` when the challenge ended while the person was asked; `timedOut` when the person took
  ///   longer than the app allows.
  package func sign(
    _ authenticator: any DeviceAuthenticator, _ record: KeyRecord, _ operation: OperationID,
    ticket: VerificationTicket? = nil
  ) async throws -> Signature {
    let span = clock.span(until: challenge.expiresAt)
    let deadline = environment.uptime() + min(span, limit)
    do {
      let key = try await authenticator.authenticate(
        SigningRequest(
          record: record, operation: operation, level: .verified, prompt: Prompt(reason: reason), deadline: deadline,
          ticket: ticket))
      let signature = try await key.sign(Array(challenge.clientData.utf8))
      guard environment.uptime() < deadline else { throw AuthenticatorError(.timedOut, stage: "trustedDevice") }
      return signature
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .verifierUnavailable, stage: "trustedDevice")
      // A verification that is worthless because time ran out is a timeout, and a timeout that the challenge caused is
      // the challenge's end.
      guard error.code == .timedOut || error.code == .verificationSpent, environment.uptime() >= deadline else {
        throw error
      }
      throw AuthenticatorError(
        span <= limit ? .challengeExpired : .timedOut, stage: "trustedDevice", underlying: error)
    }
  }
}
