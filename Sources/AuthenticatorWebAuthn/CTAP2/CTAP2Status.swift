public import AuthenticatorCore

/// The first byte of a CTAP2 answer (CTAP 2.1 section 8.2). This file is the only one that turns error codes into it.
public struct CTAP2Status: RawRepresentable, Hashable, Sendable, Error {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Done.
  public static let ok = CTAP2Status(rawValue: 0x00)
  /// There is no such command.
  public static let invalidCommand = CTAP2Status(rawValue: 0x01)
  /// A parameter has a value that it cannot have.
  public static let invalidParameter = CTAP2Status(rawValue: 0x02)
  /// The message has the wrong length.
  public static let invalidLength = CTAP2Status(rawValue: 0x03)
  /// A value of the wrong CBOR type.
  public static let cborUnexpectedType = CTAP2Status(rawValue: 0x11)
  /// Not CBOR, or not in canonical form.
  public static let invalidCBOR = CTAP2Status(rawValue: 0x12)
  /// A parameter is missing.
  public static let missingParameter = CTAP2Status(rawValue: 0x14)
  /// More than the authenticator takes.
  public static let limitExceeded = CTAP2Status(rawValue: 0x15)
  /// A credential of the exclude list is here.
  public static let credentialExcluded = CTAP2Status(rawValue: 0x19)
  /// No algorithm of the list is supported.
  public static let unsupportedAlgorithm = CTAP2Status(rawValue: 0x26)
  /// The person said no.
  public static let operationDenied = CTAP2Status(rawValue: 0x27)
  /// There is no room for a credential.
  public static let keyStoreFull = CTAP2Status(rawValue: 0x28)
  /// An option that this authenticator does not have.
  public static let unsupportedOption = CTAP2Status(rawValue: 0x2B)
  /// An option that is not for this command.
  public static let invalidOption = CTAP2Status(rawValue: 0x2C)
  /// The client withdrew the request.
  public static let keepaliveCancel = CTAP2Status(rawValue: 0x2D)
  /// There is no credential.
  public static let noCredentials = CTAP2Status(rawValue: 0x2E)
  /// Nobody answered.
  public static let userActionTimeout = CTAP2Status(rawValue: 0x2F)
  /// Not now, or not in this order.
  public static let notAllowed = CTAP2Status(rawValue: 0x30)
  /// The PIN is wrong.
  public static let pinInvalid = CTAP2Status(rawValue: 0x31)
  /// The PIN was wrong too often: only a reset helps.
  public static let pinBlocked = CTAP2Status(rawValue: 0x32)
  /// The client's proof of the PIN is wrong.
  public static let pinAuthInvalid = CTAP2Status(rawValue: 0x33)
  /// The PIN was wrong too often: only a restart helps.
  public static let pinAuthBlocked = CTAP2Status(rawValue: 0x34)
  /// There is no PIN.
  public static let pinNotSet = CTAP2Status(rawValue: 0x35)
  /// The request needs a PIN token.
  public static let pinUvAuthTokenRequired = CTAP2Status(rawValue: 0x36)
  /// The new PIN is too short or too long.
  public static let pinPolicyViolation = CTAP2Status(rawValue: 0x37)
  /// The data does not fit.
  public static let requestTooLarge = CTAP2Status(rawValue: 0x39)
  /// The person must be there.
  public static let userPresenceRequired = CTAP2Status(rawValue: 0x3B)
  /// Verifying the person is blocked.
  public static let userVerificationBlocked = CTAP2Status(rawValue: 0x3C)
  /// Stored data is damaged.
  public static let integrityFailure = CTAP2Status(rawValue: 0x3D)
  /// There is no such subcommand.
  public static let invalidSubcommand = CTAP2Status(rawValue: 0x3E)
  /// The person was not recognized.
  public static let userVerificationInvalid = CTAP2Status(rawValue: 0x3F)
  /// The token does not permit this.
  public static let unauthorizedPermission = CTAP2Status(rawValue: 0x40)
  /// Anything else.
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
