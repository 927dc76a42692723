import AuthenticatorCore

/// The words for everything a flow can end with, other than success. Open; the words below are stable.
///
/// | word | when |
/// |---|---|
/// | `loginFailure` | 401: wrong credentials, a Failure end node, a locked or inactive account |
/// | `timeout` | the step token or the server's session ran out; start again |
/// | `suspendedSession` | the resume link was used before, or is too old |
/// | `policyFailure` | a value broke the server's policies; `failedPolicies` lists them |
/// | `forbidden` | 403 without policy details |
/// | `badRequest` | another 4xx: unknown journey, unreadable step token, wrong callbacks |
/// | `unexpectedRedirect` | 3xx: redirects are never followed |
/// | `serverFault` | 5xx |
///
/// Trouble that is thrown has the code of its `AuthenticatorError`: `transportFailed` (no answer), `timedOut` (a time
/// limit of ours), `invalidMessage` (an answer that is malformed or too large), `busy` (another flow is under way),
/// `appCanceled`, `invalidRequest` (refused here, nothing was sent), `storageFailed`.
public struct JourneyErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  /// Wrong credentials, a Failure end node, a locked or inactive account.
  public static let loginFailure = JourneyErrorCode(rawValue: "loginFailure")
  /// The step token or the server's session ran out.
  public static let timeout = JourneyErrorCode(rawValue: "timeout")
  /// The resume link was used before, or is too old.
  public static let suspendedSession = JourneyErrorCode(rawValue: "suspendedSession")
  /// A value broke the server's policies.
  public static let policyFailure = JourneyErrorCode(rawValue: "policyFailure")
  /// 403 without policy details.
  public static let forbidden = JourneyErrorCode(rawValue: "forbidden")
  /// Another 4xx.
  public static let badRequest = JourneyErrorCode(rawValue: "badRequest")
  /// 3xx; never followed.
  public static let unexpectedRedirect = JourneyErrorCode(rawValue: "unexpectedRedirect")
  /// 5xx.
  public static let serverFault = JourneyErrorCode(rawValue: "serverFault")

  /// The word for a thrown error: the code of an `AuthenticatorError`; `appCanceled` for a cancelled task; otherwise
  /// `transportFailed`, since nothing else throws errors of foreign make.
  public init(_ error: any Error) {
    self.init(rawValue: AuthenticatorError.wrapping(error, as: .transportFailed, stage: "journey").code.rawValue)
  }

  /// Every word of a failure node, for documentation and tests.
  public static let known: [JourneyErrorCode] = [
    .loginFailure, .timeout, .suspendedSession, .policyFailure, .forbidden, .badRequest, .unexpectedRedirect,
    .serverFault,
  ]
}
