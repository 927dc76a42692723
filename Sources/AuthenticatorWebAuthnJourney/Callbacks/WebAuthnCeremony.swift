import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourney
import AuthenticatorWebAuthn

/// What one run of a WebAuthn callback has fixed from its first moment: with what, for whom, until when.
struct WebAuthnCeremony {
  let configuration: WebAuthnJourneyConfiguration
  let origin: String
  /// The uptime at which the time limit ends: the server's, or the app's shorter one.
  let deadline: Duration
  private let callback: Callback
  private let challenge: [UInt8]

  /// Decides what can be decided before anything is shown.
  /// - Throws: `invalidRequest` without configuration, for one of another server, and for an origin that the server
  ///   would take apart; `invalidMessage` for a challenge that this flow has answered before.
  init(
    _ configuration: WebAuthnJourneyConfiguration?, _ callback: Callback, challenge: [UInt8], timeout: Int?
  ) throws {
    guard let configuration else { throw Self.invalid("the callback has no configuration") }
    let journey = callback.payload.context.journey
    guard configuration.context.instance == journey.instance else {
      throw Self.invalid("the configuration's instance is not the journey's server")
    }
    origin = try configuration.origin ?? WebURL(journey.instance).origin
    guard !WebAuthnOutcome.hasSeparator(origin.utf8) else {
      throw Self.invalid("the origin contains the separator of the outcome")
    }
    self.configuration = configuration
    self.callback = callback
    self.challenge = SHA256.hash(challenge)
    let limit = min(Self.timeLimit(timeout), configuration.heldTimeLimits.upperBound)
    deadline = configuration.context.environment.uptime() + limit
    guard callback.node?.hasAnswered(challenge: self.challenge) != true else { throw Self.used }
  }

  /// The server's limit, held to 5 to 600 seconds.
  static func timeLimit(_ milliseconds: Int?) -> Duration {
    let limits = WebAuthnJourneyConfiguration.timeLimits
    return min(max(.milliseconds(milliseconds ?? 60_000), limits.lowerBound), limits.upperBound)
  }

  var caller: WebAuthnCaller {
    WebAuthnCaller(origin: origin, clientDataMembers: configuration.clientDataMembers)
  }

  /// The platform's passkeys, if they are wanted and there.
  func provider(_ isWanted: Bool) async -> (any PasskeyProvider)? {
    guard isWanted, let provider = configuration.passkeyProvider, await provider.isAvailable() else { return nil }
    return provider
  }

  /// The relying party ID for a provider, which knows no origin of ours.
  func relyingPartyID(_ requested: String?) throws -> String {
    if let requested { return requested }
    if let permitted = configuration.client.nativeOrigins[origin] {
      guard permitted.count == 1, let id = permitted.first else {
        throw AuthenticatorError(.relyingPartyRefused, stage: "webauthn")
      }
      return id
    }
    return try WebURL(origin).host
  }

  /// Runs a provider within the time limit.
  func race<Value: Sendable>(_ work: @escaping () async throws -> Value) async throws -> Value {
    try await IsolatedRace.run(
      until: deadline, in: configuration.context.environment, stage: "passkey", work)
  }

  /// Notes that the challenge is answered by an outcome that leaves now.
  func spendChallenge() throws {
    guard callback.node?.answer(challenge: challenge) != false else { throw Self.used }
  }

  private static var used: AuthenticatorError {
    AuthenticatorError(.invalidMessage, stage: "webauthn", reason: "the challenge is used before")
  }

  private static func invalid(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "webauthn", reason: reason)
  }
}
