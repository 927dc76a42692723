/// The words a Frontend API refuses with. Each has one status and one text.
enum FrontendErrorCode: String, Hashable, Sendable, CaseIterable {
  // MARK: Trusted devices

  case trustedDeviceNotRegistered = "trusted_device_not_registered"
  case formResourceNotFound = "form_resource_not_found"
  case trustedDeviceChallengeNotFound = "trusted_device_challenge_not_found"
  case trustedDeviceChallengeExpired = "trusted_device_challenge_expired"
  case trustedDeviceSignatureVerificationFailed = "trusted_device_signature_verification_failed"
  case trustedDeviceInvalidPublicKey = "trusted_device_invalid_public_key"
  case trustedDeviceInvalidClientData = "trusted_device_invalid_client_data"
  case trustedDeviceBindingMismatch = "trusted_device_binding_mismatch"
  case trustedDeviceCredentialQuotaExceeded = "trusted_device_credential_quota_exceeded"
  case trustedDeviceAlreadyEnrolled = "trusted_device_already_enrolled"
  case trustedDeviceAppIdentifierNotConfigured = "trusted_device_app_identifier_not_configured"

  // MARK: Switches

  case nativeAPIDisabled = "native_api_disabled"
  case featureNotEnabled = "feature_not_enabled"
  case signUpModeRestricted = "sign_up_mode_restricted"
  case userQuotaExceeded = "user_quota_exceeded"

  // MARK: Who is asking

  case sessionExists = "session_exists"
  case identifierAlreadySignedIn = "identifier_already_signed_in"
  case sessionReverificationRequired = "session_reverification_required"
  case authenticationInvalid = "authentication_invalid"
  case signedOut = "signed_out"
  case userLocked = "user_locked"
  case userBanned = "user_banned"
  case deviceBlocked = "device_blocked"
  case requiresDeviceAttestation = "requires_device_attestation"
  case verificationExpired = "verification_expired"
  case verificationFailed = "verification_failed"

  // MARK: Requests

  case resourceNotFound = "resource_not_found"
  case formParamMissing = "form_param_missing"
  case formParamValueInvalid = "form_param_value_invalid"
  case formPasswordIncorrect = "form_password_incorrect"
  case formPasswordLengthTooShort = "form_password_length_too_short"
  case formIdentifierExists = "form_identifier_exists"
  case nativeRequestRequired = "native_request_required"
  case requestBodyInvalid = "request_body_invalid"
  case requestTooLarge = "request_too_large"
  case unsupportedContentType = "unsupported_content_type"
  case methodNotAllowed = "method_not_allowed"
  case tooManyRequests = "too_many_requests"
  case serviceUnavailable = "service_unavailable"
  case internalError = "internal_error"

  /// The HTTP status it is sent with.
  var status: Int {
    switch self {
    case .trustedDeviceNotRegistered, .formResourceNotFound, .trustedDeviceInvalidPublicKey,
      .trustedDeviceInvalidClientData, .trustedDeviceBindingMismatch, .formParamMissing, .formParamValueInvalid,
      .formPasswordIncorrect, .formPasswordLengthTooShort, .formIdentifierExists:
      422
    case .trustedDeviceChallengeNotFound, .trustedDeviceChallengeExpired, .trustedDeviceSignatureVerificationFailed,
      .trustedDeviceCredentialQuotaExceeded, .trustedDeviceAppIdentifierNotConfigured, .nativeAPIDisabled,
      .sessionExists, .identifierAlreadySignedIn, .verificationExpired, .verificationFailed, .nativeRequestRequired,
      .requestBodyInvalid:
      400
    case .authenticationInvalid, .signedOut, .deviceBlocked, .requiresDeviceAttestation: 401
    case .featureNotEnabled, .signUpModeRestricted, .userQuotaExceeded, .sessionReverificationRequired, .userLocked,
      .userBanned:
      403
    case .resourceNotFound: 404
    case .methodNotAllowed: 405
    case .trustedDeviceAlreadyEnrolled: 409
    case .requestTooLarge: 413
    case .unsupportedContentType: 415
    case .tooManyRequests: 429
    case .internalError: 500
    case .serviceUnavailable: 503
    }
  }

  /// What people read.
  var message: String {
    switch self {
    case .trustedDeviceNotRegistered: "This device is not registered any more"
    case .formResourceNotFound: "There is no such device"
    case .trustedDeviceChallengeNotFound: "The challenge is not known or was used before"
    case .trustedDeviceChallengeExpired: "The challenge has expired"
    case .trustedDeviceSignatureVerificationFailed: "The signature is not by this device's key"
    case .trustedDeviceInvalidPublicKey: "The public key is not a P-256 key as JWK"
    case .trustedDeviceInvalidClientData: "The client data is not what was sent"
    case .trustedDeviceBindingMismatch: "The challenge was made for something else"
    case .trustedDeviceCredentialQuotaExceeded: "There are as many trusted devices as allowed"
    case .trustedDeviceAlreadyEnrolled: "This installation is enrolled already"
    case .trustedDeviceAppIdentifierNotConfigured: "This app identifier is not configured"
    case .nativeAPIDisabled: "The Native API is switched off"
    case .featureNotEnabled: "Sign-in with trusted devices is switched off"
    case .signUpModeRestricted: "Nobody can sign up here"
    case .userQuotaExceeded: "There are as many users as allowed"
    case .sessionExists: "You are signed in already"
    case .identifierAlreadySignedIn: "This user is signed in already"
    case .sessionReverificationRequired: "Sign in again first"
    case .authenticationInvalid: "The device token is not valid"
    case .signedOut: "You are signed out"
    case .userLocked: "This account is locked"
    case .userBanned: "This account is switched off"
    case .deviceBlocked: "This device is blocked"
    case .requiresDeviceAttestation: "Only attested devices may ask"
    case .verificationExpired: "The sign-in has expired"
    case .verificationFailed: "The sign-in cannot be completed this way"
    case .resourceNotFound: "There is nothing here"
    case .formParamMissing: "A field is missing"
    case .formParamValueInvalid: "A field has a value that is not allowed"
    case .formPasswordIncorrect: "The name or the password is wrong"
    case .formPasswordLengthTooShort: "The password is too short"
    case .formIdentifierExists: "This name is taken"
    case .nativeRequestRequired: "Only native requests are answered: add _is_native=true"
    case .requestBodyInvalid: "The query or the form is malformed"
    case .requestTooLarge: "The request is too large"
    case .unsupportedContentType: "The body must be a form"
    case .methodNotAllowed: "This method is not for this address"
    case .tooManyRequests: "Too many failures from this address"
    case .serviceUnavailable: "The server is busy; try again"
    case .internalError: "The server failed"
    }
  }
}
