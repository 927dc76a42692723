import AuthenticatorCore

/// What became of an operation, in the words of client SDKs of this kind. Each end is distinct. Open.
public struct UAFOutcome: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The word.
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  /// It succeeded.
  public static let success = UAFOutcome(rawValue: "SUCCESS")
  /// The person pressed the app's own fallback button: neither a cancel nor a failed attempt.
  public static let fallback = UAFOutcome(rawValue: "FALLBACK")
  /// The person or the app canceled.
  public static let canceled = UAFOutcome(rawValue: "CANCELED")
  /// The system took the prompt away.
  public static let systemCanceled = UAFOutcome(rawValue: "SYSTEM_CANCELED")
  /// The person was not recognized.
  public static let failed = UAFOutcome(rawValue: "FAILED")
  /// Too many failures: the next operation asks for the passcode first, where there is one.
  public static let locked = UAFOutcome(rawValue: "LOCKED")
  /// The policy admits nothing that could be used here.
  public static let noMatch = UAFOutcome(rawValue: "NO_MATCH")
  /// Somebody had to be asked, and there is no way to ask.
  public static let notInteractive = UAFOutcome(rawValue: "NOT_INTERACTIVE")
  /// Nobody is enrolled whom the authenticator could recognize.
  public static let notEnrolled = UAFOutcome(rawValue: "NOT_ENROLLED")
  /// Nobody answered in time.
  public static let userNotResponsive = UAFOutcome(rawValue: "USER_NOT_RESPONSIVE")
  /// The key is gone for good: register again.
  public static let keyDisappeared = UAFOutcome(rawValue: "KEY_DISAPPEARED_PERMANENTLY")
  /// No key of this caller fits.
  public static let accessDenied = UAFOutcome(rawValue: "ACCESS_DENIED")
  /// The app is none of the application's facets.
  public static let appNotFound = UAFOutcome(rawValue: "APP_NOT_FOUND")
  /// The message is malformed.
  public static let protocolError = UAFOutcome(rawValue: "PROTOCOL_ERROR")
  /// No version is in common.
  public static let unsupportedVersion = UAFOutcome(rawValue: "UNSUPPORTED_VERSION")
  /// The transaction's content cannot be shown.
  public static let invalidTransactionContent = UAFOutcome(rawValue: "INVALID_TRANSACTION_CONTENT")
  /// The authenticator has no room.
  public static let insufficientResources = UAFOutcome(rawValue: "INSUFFICIENT_AUTHENTICATOR_RESOURCES")
  /// Anything else.
  public static let failure = UAFOutcome(rawValue: "FAILURE")

  /// Every outcome declared here.
  public static let known: [UAFOutcome] = [
    .success, .fallback, .canceled, .systemCanceled, .failed, .locked, .noMatch, .notInteractive, .notEnrolled,
    .userNotResponsive,
    .keyDisappeared, .accessDenied, .appNotFound, .protocolError, .unsupportedVersion, .invalidTransactionContent,
    .insufficientResources, .failure,
  ]
}

/// What is publicly known of the `FidoStatus` numbers of the Digipass App SDK, for apps that come from it.
///
/// Two numbers are public, and the word FALLBACK without its number; all others are not, so they are not here.
public struct FidoStatusCompatibility: Hashable, Sendable {
  /// Our word.
  public let outcome: UAFOutcome
  /// The vendor's number; nil: it is not public.
  public let fidoStatus: Int?
  /// The vendor's name; nil: it is not public.
  public let fidoStatusName: String?

  /// What is known.
  public static let table: [FidoStatusCompatibility] = [
    FidoStatusCompatibility(outcome: .failed, fidoStatus: 1, fidoStatusName: nil),
    FidoStatusCompatibility(outcome: .locked, fidoStatus: 23, fidoStatusName: nil),
    FidoStatusCompatibility(outcome: .fallback, fidoStatus: nil, fidoStatusName: "FALLBACK"),
  ]

  /// Our word for a vendor's number; nil for numbers that are not public.
  public static func outcome(fidoStatus: Int) -> UAFOutcome? {
    table.first { $0.fidoStatus == fidoStatus }?.outcome
  }
}
