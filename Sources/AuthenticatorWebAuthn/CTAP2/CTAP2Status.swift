public import AuthenticatorCore

/// The first byte of a CTAP2 answer (CTAP 2.1 section 8.2). This file is the only one that turns error codes into it.
public struct CTAP2Status: RawRepresentable, Hashable, Sendable, Error {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let ok = CTAP2Status(rawValue: 0x00)
  public static let invalidCommand = CTAP2Status(rawValue: 0x01)
  public static let invalidParameter = CTAP2Status(rawValue: 0x02)
  public static let invalidLength = CTAP2Status(rawValue: 0x03)
  public static let cborUnexpectedType = CTAP2Status(rawValue: 0x11)
  public static let invalidCBOR = CTAP2Status(rawValue: 0x12)
  public static let missingParameter = CTAP2Status(rawValue: 0x14)
  public static let limitExceeded = CTAP2Status(rawValue: 0x15)
  public static let credentialExcluded = CTAP2Status(rawValue: 0x19)
  public static let unsupportedAlgorithm = CTAP2Status(rawValue: 0x26)
  public static let operationDenied = CTAP2Status(rawValue: 0x27)
  public static let keyStoreFull = CTAP2Status(rawValue: 0x28)
  public static let unsupportedOption = CTAP2Status(rawValue: 0x2B)
  public static let invalidOption = CTAP2Status(rawValue: 0x2C)
  public static let keepaliveCancel = CTAP2Status(rawValue: 0x2D)
  public static let noCredentials = CTAP2Status(rawValue: 0x2E)
  public static let userActionTimeout = CTAP2Status(rawValue: 0x2F)
  public static let notAllowed = CTAP2Status(rawValue: 0x30)
  public static let pinInvalid = CTAP2Status(rawValue: 0x31)
  public static let pinBlocked = CTAP2Status(rawValue: 0x32)
  public static let pinAuthInvalid = CTAP2Status(rawValue: 0x33)
  public static let pinAuthBlocked = CTAP2Status(rawValue: 0x34)
  public static let pinNotSet = CTAP2Status(rawValue: 0x35)
  public static let pinUvAuthTokenRequired = CTAP2Status(rawValue: 0x36)
  public static let pinPolicyViolation = CTAP2Status(rawValue: 0x37)
  public static let requestTooLarge = CTAP2Status(rawValue: 0x39)
  public static let userPresenceRequired = CTAP2Status(rawValue: 0x3B)
  public static let userVerificationBlocked = CTAP2Status(rawValue: 0x3C)
  public static let integrityFailure = CTAP2Status(rawValue: 0x3D)
  public static let invalidSubcommand = CTAP2Status(rawValue: 0x3E)
  public static let userVerificationInvalid = CTAP2Status(rawValue: 0x3F)
  public static let unauthorizedPermission = CTAP2Status(rawValue: 0x40)
  public static let other = CTAP2Status(rawValue: 0x7F)

  /// The status of an authenticator's error.
  public init(_ code: AuthenticatorError.Code) {
    switch code {
    case .userCanceled, .fallbackRequested, .systemCanceled, .notInteractive: self = .operationDenied
    case .appCanceled: self = .keepaliveCancel
    case .timedOut, .userNotResponsive: self = .userActionTimeout
    case .userVerificationFailed, .verificationInsufficient, .verificationSpent: self = .userVerificationInvalid
    case .lockedOut, .hardwareLockedOut: self = .userVerificationBlocked
    case .biometryNotEnrolled, .passcodeNotSet, .verifierUnavailable, .hardwareRequired: self = .notAllowed
    case .pinRejected: self = .pinPolicyViolation
    case .constraintNotMet, .unsupported: self = .unsupportedOption
    case .keyNotFound, .keyInvalidated, .deviceNotRegistered: self = .noCredentials
    case .credentialExcluded: self = .credentialExcluded
    case .unsupportedAlgorithm: self = .unsupportedAlgorithm
    case .invalidRequest, .invalidMessage: self = .invalidParameter
    case .busy: self = .notAllowed
    case .integrityFailed, .storeDamaged: self = .integrityFailure
    default: self = .other
    }
  }

  /// The status of whatever was thrown.
  init(_ error: any Error) {
    switch error {
    case let status as CTAP2Status: self = status
    case let error as AuthenticatorError: self.init(error.code)
    case is CancellationError: self = .keepaliveCancel
    default: self = .other
    }
  }
}
