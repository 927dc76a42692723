import AuthenticatorCore
import AuthenticatorTrustedDevice

/// The words by which a device tells a journey that it will not answer a trusted-device step. Open: an app may put one
/// of its own into `ContinueNode.trustedDeviceOutcome`.
///
/// This file alone maps our codes to them.
public struct TrustedDeviceClientError: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The word on the wire.
  public let rawValue: String
  /// Takes a word: 1 to 64 lower-case letters, digits and underscores.
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  // MARK: This device cannot do it at all
  /// There is no app identifier, or no authenticator for the key.
  public static let unsupportedPlatform = Self(rawValue: "unsupported_platform")
  /// No sensor, nothing enrolled, or an enrolled set that cannot be read.
  public static let biometricAuthenticationUnavailable = Self(rawValue: "biometric_authentication_unavailable")
  /// No passcode.
  public static let passcodeNotSet = Self(rawValue: "passcode_not_set")
  /// No hardware for keys, and software was not allowed.
  public static let secureKeyStorageUnavailable = Self(rawValue: "secure_key_storage_unavailable")
  /// No ES256.
  public static let unsupportedAlgorithm = Self(rawValue: "unsupported_algorithm")
  /// The policy asked for is not known here.
  public static let policyUnsupported = Self(rawValue: "policy_unsupported")

  // MARK: There is no usable key for this user
  /// No credential.
  public static let noLocalCredential = Self(rawValue: "no_local_credential")
  /// A credential without its key.
  public static let keyNotFound = Self(rawValue: "key_not_found")
  /// A key that can never be used again.
  public static let keyInvalidated = Self(rawValue: "key_invalidated")

  // MARK: The prompt ended without a yes
  /// By the person, the app or the system.
  public static let biometricAuthenticationCanceled = Self(rawValue: "biometric_authentication_canceled")
  /// The person was not recognized.
  public static let biometricAuthenticationFailed = Self(rawValue: "biometric_authentication_failed")
  /// The sensor is locked.
  public static let biometricLockout = Self(rawValue: "biometric_lockout")
  /// Nobody answered in time.
  public static let timeout = Self(rawValue: "timeout")

  // MARK: It was tried and failed
  /// The challenge has ended.
  public static let challengeExpired = Self(rawValue: "challenge_expired")
  /// The challenge is for something else.
  public static let challengeMismatch = Self(rawValue: "challenge_mismatch")
  /// No key could be made.
  public static let keyGenerationFailed = Self(rawValue: "key_generation_failed")
  /// Anything else.
  public static let signingFailed = Self(rawValue: "signing_failed")

  /// The word for a code; `signing_failed` for those not listed.
  public init(_ code: AuthenticatorError.Code) {
    switch code {
    case .unsupported: self = .unsupportedPlatform
    case .verifierUnavailable, .biometryNotEnrolled, .enrollmentStateUnreadable:
      self = .biometricAuthenticationUnavailable
    case .passcodeNotSet: self = .passcodeNotSet
    case .hardwareRequired: self = .secureKeyStorageUnavailable
    case .unsupportedAlgorithm: self = .unsupportedAlgorithm
    case .policyUnsupported: self = .policyUnsupported
    case .noLocalCredential: self = .noLocalCredential
    case .keyNotFound: self = .keyNotFound
    case .keyInvalidated, .deviceNotRegistered: self = .keyInvalidated
    case .userCanceled, .appCanceled, .systemCanceled, .fallbackRequested: self = .biometricAuthenticationCanceled
    case .userVerificationFailed: self = .biometricAuthenticationFailed
    case .lockedOut: self = .biometricLockout
    case .timedOut, .userNotResponsive: self = .timeout
    case .challengeExpired: self = .challengeExpired
    case .challengeMismatch: self = .challengeMismatch
    case .keyGenerationFailed, .accessControlFailed: self = .keyGenerationFailed
    default: self = .signingFailed
    }
  }

  /// Every word declared here.
  public static let known: [Self] = [
    .unsupportedPlatform, .biometricAuthenticationUnavailable, .passcodeNotSet, .secureKeyStorageUnavailable,
    .unsupportedAlgorithm, .policyUnsupported, .noLocalCredential, .keyNotFound, .keyInvalidated,
    .biometricAuthenticationCanceled, .biometricAuthenticationFailed, .biometricLockout, .timeout, .challengeExpired,
    .challengeMismatch, .keyGenerationFailed, .signingFailed,
  ]
}
