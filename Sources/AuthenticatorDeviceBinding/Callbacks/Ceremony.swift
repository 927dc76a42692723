import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourney
import DeviceAuthenticators

/// What one run of bind or sign has fixed from its first moment: whose, until when, under which clock.
struct Ceremony {
  let configuration: DeviceBindingConfiguration
  let journey: JourneyContext
  let operation: OperationID
  let issuer: String
  let clock: ProofClock
  /// The uptime at which the time limit ends: the server's, or the app's own if that is shorter.
  let deadline: Duration
  let timeout: Duration
  let prompt: Prompt

  /// Decides what can be decided without a key.
  /// - Throws: `timedOut` for a time limit of zero; `unsupported` without app identifier; `invalidRequest` for a
  ///   configuration of another server; `clockSkewed`.
  init(_ configuration: DeviceBindingConfiguration, _ callback: Callback, texts: ServerTexts, timeout: Duration) throws
  {
    let environment = configuration.context.environment
    let started = environment.uptime()
    let timeout = min(timeout, configuration.timeLimit ?? timeout)
    guard timeout > .zero else { throw AuthenticatorError(.timedOut, stage: "binding") }
    journey = callback.payload.context.journey
    guard configuration.context.instance == journey.instance else {
      throw AuthenticatorError(
        .invalidRequest, stage: "binding", reason: "the configuration's instance is not the journey's server")
    }
    guard let issuer = environment.appIdentifier, !issuer.isEmpty else {
      throw AuthenticatorError(.unsupported, stage: "binding", reason: "the environment has no app identifier")
    }
    self.configuration = configuration
    self.issuer = issuer
    self.timeout = timeout
    clock = try ProofClock(callback.payload.context)
    operation = try OperationID(in: environment)
    deadline = started + timeout
    prompt = configuration.prompt ?? texts.prompt
  }

  var environment: AuthenticatorEnvironment { configuration.context.environment }

  /// - Throws: `timedOut` once the deadline has passed.
  func checkDeadline() throws {
    guard environment.uptime() < deadline else { throw AuthenticatorError(.timedOut, stage: "binding") }
  }

  /// What an error in the middle of the ceremony means: a verification that is worthless because time ran out is a
  /// timeout.
  func judged(_ error: any Error) -> any Error {
    guard let error = error as? AuthenticatorError, error.code == .verificationSpent,
      environment.uptime() >= deadline
    else { return error }
    return AuthenticatorError(.timedOut, stage: "binding", underlying: error)
  }

  /// The times of a proof that is made now.
  func times(_ signer: ProofSigner) -> (issue: UnixTime, notBefore: UnixTime, expiration: UnixTime) {
    let issue = clock.onServer(signer.issueTime())
    return (issue, clock.onServer(signer.notBeforeTime()), issue.advanced(by: timeout))
  }

  /// An authenticator: the given one, or a fresh one of the type.
  /// - Throws: `unsupported` for a type without factory; `invalidRequest` for one of another server.
  func authenticator(
    _ given: (any DeviceAuthenticator)?, type: AuthenticatorType
  ) async throws -> any DeviceAuthenticator {
    guard let given else {
      do {
        return try await configuration.factories.make(type, configuration.context)
      } catch {
        throw AuthenticatorError.wrapping(error, as: .unsupported, stage: "binding")
      }
    }
    guard given.context.instance == journey.instance else {
      throw AuthenticatorError(
        .invalidRequest, stage: "binding", reason: "the authenticator's instance is not the journey's server")
    }
    return given
  }

  /// The challenge's name in memory and journals; the challenge itself is kept nowhere.
  static func digest(_ challenge: String) -> [UInt8] { SHA256.hash(Array(challenge.utf8)) }

  /// Refuses a challenge that this flow has answered before.
  static func checkFresh(_ challenge: String, _ callback: Callback) throws {
    guard !challenge.isEmpty, callback.node?.hasAnswered(challenge: digest(challenge)) != true else {
      throw AuthenticatorError(.invalidMessage, stage: "binding", reason: "the challenge is empty or used before")
    }
  }

  /// Notes that the challenge is answered by a proof that leaves now.
  static func spend(_ challenge: String, _ callback: Callback) throws {
    guard let node = callback.node else { return }
    guard node.answer(challenge: digest(challenge)) else {
      throw AuthenticatorError(.invalidMessage, stage: "binding", reason: "the challenge is used before")
    }
  }

  /// Runs a clean-up or a settlement to its end even when the calling task was cancelled.
  static func settled<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    try await Task { try await body() }.value
  }
}

/// The server's texts for the person.
struct ServerTexts {
  let title: String
  let subtitle: String
  let description: String

  /// - Throws: `invalidMessage`, naming the missing output.
  init(_ payload: CallbackPayload) throws {
    title = try payload.requiredText("title")
    subtitle = try payload.requiredText("subtitle")
    description = try payload.requiredText("description")
  }

  var prompt: Prompt {
    Prompt(
      title: DisplayText.cleaned(title, maximumBytes: 256), subtitle: DisplayText.cleaned(subtitle, maximumBytes: 256),
      reason: DisplayText.cleaned(description, maximumBytes: 1024))
  }
}

/// The server's time limit.
package enum ServerTimeout {
  /// What holds when the server does not say.
  package static let standard: Duration = .seconds(60)
  /// Longer ones are no use: a proof that lives for more than an hour is refused by careful servers.
  package static let longest: Duration = .seconds(3600)

  /// - Throws: `invalidMessage` for a limit that is no number.
  static func read(_ payload: CallbackPayload) throws -> Duration {
    guard payload.output("timeout") != nil else { return standard }
    guard let seconds = payload.wholeNumber("timeout") else {
      throw AuthenticatorError(.invalidMessage, stage: "journey.callback", reason: "timeout is no number")
    }
    return min(.seconds(max(seconds, 0)), longest)
  }
}
