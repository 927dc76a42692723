/// What went wrong, in one vocabulary for every authenticator and protocol.
///
/// `code` names the situation an app acts on; equality looks at the code alone, so `error == .init(.userCanceled)`
/// reads well in tests. No field ever holds a PIN, key bytes, a token, a challenge or a proof.
public struct AuthenticatorError: Error, Sendable {
  /// The situation. Open: an app or a new back end may add its own.
  public var code: Code
  /// Where it happened, as a short fixed word (`"register"`, `"verify"`, `"store.open"`); never user data.
  public var stage: String
  /// One sentence for a developer, free of secrets and user identifiers; empty when the code says it all.
  public var reason: String
  /// How long to wait before another try can succeed, when that is known.
  public var retryAfter: Duration?
  /// How many tries are left before the next lockout, when that is known.
  public var attemptsRemaining: Int?
  /// The cause, when another error led here.
  public var underlying: (any Error)?

  /// Makes an error; pass nothing secret and nothing about a user in `stage` and `reason`.
  public init(
    _ code: Code, stage: String = "", reason: String = "", retryAfter: Duration? = nil,
    attemptsRemaining: Int? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.stage = stage
    self.reason = reason
    self.retryAfter = retryAfter
    self.attemptsRemaining = attemptsRemaining
    self.underlying = underlying
  }

  /// Wraps an error of foreign make once: an `AuthenticatorError` passes through unchanged, a task's cancellation
  /// becomes `.appCanceled`, anything else becomes `code` with the original as `underlying`.
  public static func wrapping(_ error: any Error, as code: Code, stage: String) -> AuthenticatorError {
    if let error = error as? AuthenticatorError { return error }
    if error is CancellationError { return AuthenticatorError(.appCanceled, stage: stage, underlying: error) }
    return AuthenticatorError(code, stage: stage, underlying: error)
  }
}

extension AuthenticatorError: Equatable {
  public static func == (left: AuthenticatorError, right: AuthenticatorError) -> Bool { left.code == right.code }
}

extension AuthenticatorError: CustomStringConvertible {
  public var description: String {
    var text = code.rawValue
    if !stage.isEmpty { text += " at \(stage)" }
    if !reason.isEmpty { text += ": \(reason)" }
    return text
  }
}
