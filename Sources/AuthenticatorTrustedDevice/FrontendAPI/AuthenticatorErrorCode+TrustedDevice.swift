public import AuthenticatorCore

extension AuthenticatorError.Code {
  // MARK: Before a key or a request
  /// Nobody is signed in, or the server ended the session.
  public static let signedOut = AuthenticatorError.Code(rawValue: "signedOut")
  /// Somebody is signed in already, and the server admits one session only.
  public static let alreadySignedIn = AuthenticatorError.Code(rawValue: "alreadySignedIn")
  /// Session, user or sign-in changed while the person was asked; nothing was sent after that.
  public static let sessionChanged = AuthenticatorError.Code(rawValue: "sessionChanged")
  /// The server's settings could not be had.
  public static let environmentUnavailable = AuthenticatorError.Code(rawValue: "environmentUnavailable")
  /// The server has its interface for native apps switched off.
  public static let nativeAPIDisabled = AuthenticatorError.Code(rawValue: "nativeAPIDisabled")
  /// The server has trusted devices switched off.
  public static let featureDisabled = AuthenticatorError.Code(rawValue: "featureDisabled")
  /// Keys cannot be made under this policy.
  public static let policyUnsupported = AuthenticatorError.Code(rawValue: "policyUnsupported")
  /// No credential of this app, identifier, hint and user is on this installation; the reason says what did not fit.
  public static let noLocalCredential = AuthenticatorError.Code(rawValue: "noLocalCredential")

  // MARK: Credentials and challenges
  /// It is not certain that the server's credential is this installation's.
  public static let unclaimed = AuthenticatorError.Code(rawValue: "unclaimed")
  /// Another enrollment of this installation for the same user ran at the same time, and the server keeps that one's
  /// credential, or may do so: nothing of this enrollment is in use.
  public static let overtaken = AuthenticatorError.Code(rawValue: "overtaken")
  /// The server does not know the credential, or has revoked it: enroll again after another sign-in.
  public static let credentialGone = AuthenticatorError.Code(rawValue: "credentialGone")
  /// The challenge ended before it was used; start again.
  public static let challengeExpired = AuthenticatorError.Code(rawValue: "challengeExpired")
  /// The server does not know the challenge, or it was used before; start again.
  public static let challengeNotFound = AuthenticatorError.Code(rawValue: "challengeNotFound")
  /// The challenge is for another credential or another algorithm, or cannot be signed; the person was not asked.
  public static let challengeMismatch = AuthenticatorError.Code(rawValue: "challengeMismatch")
  /// The server could not verify the signature.
  public static let signatureRefused = AuthenticatorError.Code(rawValue: "signatureRefused")
  /// The server refused the key, or what was signed.
  public static let credentialRefused = AuthenticatorError.Code(rawValue: "credentialRefused")
  /// The user has as many trusted devices as the server admits.
  public static let quotaExceeded = AuthenticatorError.Code(rawValue: "quotaExceeded")
  /// The server has an active credential of this user and installation.
  public static let alreadyEnrolled = AuthenticatorError.Code(rawValue: "alreadyEnrolled")
  /// The app's identifier is not registered with the server.
  public static let appIdentifierRefused = AuthenticatorError.Code(rawValue: "appIdentifierRefused")

  // MARK: Other refusals
  /// The server wants the person verified once more first.
  public static let reverificationRequired = AuthenticatorError.Code(rawValue: "reverificationRequired")
  /// The account is locked or banned.
  public static let accountLocked = AuthenticatorError.Code(rawValue: "accountLocked")
  /// The device is blocked, or the server wants it attested.
  public static let deviceRefused = AuthenticatorError.Code(rawValue: "deviceRefused")
  /// What was asked for is not there.
  public static let resourceNotFound = AuthenticatorError.Code(rawValue: "resourceNotFound")
  /// A verification failed or ended, a password was wrong, or an identifier is unknown.
  public static let factorRefused = AuthenticatorError.Code(rawValue: "factorRefused")
  /// Too many requests.
  public static let rateLimited = AuthenticatorError.Code(rawValue: "rateLimited")
  /// The server refused for another reason.
  public static let requestRefused = AuthenticatorError.Code(rawValue: "requestRefused")
  /// The server failed; whether it acted is unknown.
  public static let serverFailed = AuthenticatorError.Code(rawValue: "serverFailed")
}

extension FrontendAPIError {
  /// The server's words in our vocabulary. This table alone maps them; the first known word decides, and a missing
  /// credential goes before every other.
  private static let codes: [String: AuthenticatorError.Code] = [
    "trusted_device_challenge_expired": .challengeExpired,
    "trusted_device_challenge_not_found": .challengeNotFound,
    "trusted_device_signature_verification_failed": .signatureRefused,
    "trusted_device_invalid_public_key": .credentialRefused,
    "trusted_device_invalid_client_data": .credentialRefused,
    "trusted_device_binding_mismatch": .credentialRefused,
    "trusted_device_credential_quota_exceeded": .quotaExceeded,
    "trusted_device_already_enrolled": .alreadyEnrolled,
    "trusted_device_app_identifier_not_configured": .appIdentifierRefused,
    "native_api_disabled": .nativeAPIDisabled,
    "feature_not_enabled": .featureDisabled,
    "session_exists": .alreadySignedIn,
    "identifier_already_signed_in": .alreadySignedIn,
    "session_reverification_required": .reverificationRequired,
    "authentication_invalid": .signedOut,
    "signed_out": .signedOut,
    "user_locked": .accountLocked,
    "user_banned": .accountLocked,
    "resource_not_found": .resourceNotFound,
    "verification_expired": .factorRefused,
    "verification_failed": .factorRefused,
    "form_password_incorrect": .factorRefused,
    "form_identifier_not_found": .factorRefused,
    "device_blocked": .deviceRefused,
    "requires_device_attestation": .deviceRefused,
  ]

  /// The words that are mapped, for tests and documentation.
  package static var knownWords: [String] { codes.keys.sorted() }

  /// The situation an app acts on.
  public var code: AuthenticatorError.Code {
    if isCredentialMissing { return .credentialGone }
    for item in errors { if let code = Self.codes[item.code] { return code } }
    switch status {
    case 401: return .signedOut
    case 404: return .resourceNotFound
    case 429: return .rateLimited
    case 500...: return .serverFailed
    default: return .requestRefused
    }
  }

  /// Whether the server certainly did nothing: it answered that the request is at fault.
  var isDefinite: Bool { (400..<500).contains(status) && status != 408 && status != 425 }
}

/// What a trusted-device operation knows beyond its code: the `underlying` error of what it throws.
public struct TrustedDeviceFailure: Error, Sendable {
  /// Why there was nothing to sign in with; nil for every other failure.
  public var unavailableReason: TrustedDeviceAvailability.UnavailableReason?
  /// Whether the credential's key is gone from this installation now.
  public var removedLocalState: Bool
  /// What the server answered; nil when it was not the server that refused.
  public var serverError: FrontendAPIError?
  /// The error behind it, when there is one.
  public var cause: (any Error)?

  /// Makes one.
  public init(
    unavailableReason: TrustedDeviceAvailability.UnavailableReason? = nil, removedLocalState: Bool = false,
    serverError: FrontendAPIError? = nil, cause: (any Error)? = nil
  ) {
    self.unavailableReason = unavailableReason
    self.removedLocalState = removedLocalState
    self.serverError = serverError
    self.cause = cause
  }
}

extension AuthenticatorError {
  /// What a trusted-device operation knows beyond the code; nil when there is no more.
  public var trustedDevice: TrustedDeviceFailure? { underlying as? TrustedDeviceFailure }

  /// The server's refusal behind it.
  var frontendError: FrontendAPIError? { trustedDevice?.serverError }

  /// The same error, saying that the credential's key is gone.
  package func afterRemoval() -> AuthenticatorError {
    var failure = trustedDevice ?? TrustedDeviceFailure(cause: underlying)
    failure.removedLocalState = true
    var error = self
    error.underlying = failure
    return error
  }

  init(_ refusal: FrontendAPIError, retryAfter: Duration? = nil) {
    self.init(
      refusal.code, stage: "frontend", reason: "the server answered \(refusal.description)", retryAfter: retryAfter,
      underlying: TrustedDeviceFailure(serverError: refusal))
  }
}
