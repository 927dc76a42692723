import AuthenticatorCore

/// What a UAF client tells an app (FIDO UAF Application API, section "ErrorCode").
///
/// This file alone maps our codes to those of the three layers and to `UAFOutcome`.
public struct UAFErrorCode: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// It succeeded.
  public static let noError = UAFErrorCode(rawValue: 0x00)
  /// Not an end: the person is asked. Only `UAFAuthenticationView.State` has it.
  public static let waitUserAction = UAFErrorCode(rawValue: 0x01)
  /// The message came over an insecure connection. For apps, which fetch messages; the client sees no connection.
  public static let insecureTransport = UAFErrorCode(rawValue: 0x02)
  /// The person refused a step.
  public static let userCancelled = UAFErrorCode(rawValue: 0x03)
  /// No version is in common.
  public static let unsupportedVersion = UAFErrorCode(rawValue: 0x04)
  /// The policy admits nothing here.
  public static let noSuitableAuthenticator = UAFErrorCode(rawValue: 0x05)
  /// The message is malformed.
  public static let protocolError = UAFErrorCode(rawValue: 0x06)
  /// The caller is not trusted by the application.
  public static let untrustedFacetID = UAFErrorCode(rawValue: 0x07)
  /// The key is gone for good.
  public static let keyDisappearedPermanently = UAFErrorCode(rawValue: 0x09)
  /// The person was not recognized, or the key is not this caller's.
  public static let authenticatorAccessDenied = UAFErrorCode(rawValue: 0x0C)
  /// The content cannot be shown.
  public static let invalidTransactionContent = UAFErrorCode(rawValue: 0x0D)
  /// Nobody answered.
  public static let userNotResponsive = UAFErrorCode(rawValue: 0x0E)
  /// No room for another key.
  public static let insufficientAuthenticatorResources = UAFErrorCode(rawValue: 0x0F)
  /// Locked.
  public static let userLockout = UAFErrorCode(rawValue: 0x10)
  /// Nobody is enrolled.
  public static let userNotEnrolled = UAFErrorCode(rawValue: 0x11)
  /// Anything else.
  public static let unknown = UAFErrorCode(rawValue: 0xFF)

  /// The code in a version of the protocol: 1.0 had fewer, and what it did not have is unknown to it.
  public func inVersion(_ version: UAFVersion) -> UAFErrorCode {
    version >= .v11 || rawValue <= 0x07 ? self : .unknown
  }
}

/// What an authenticator answers to a command (FIDO UAF Authenticator Commands, section "Status codes").
public enum UAFCommandStatus: UInt16, Hashable, Sendable, CaseIterable {
  /// It succeeded.
  case ok = 0x00
  /// Anything else.
  case unknownError = 0x01
  /// The person was not recognized, or the key is not this caller's.
  case accessDenied = 0x02
  /// Nobody is enrolled.
  case userNotEnrolled = 0x03
  /// The content cannot be shown.
  case cannotRenderTransactionContent = 0x04
  /// The person refused.
  case userCancelled = 0x05
  /// The command is unknown.
  case commandNotSupported = 0x06
  /// The attestation asked for cannot be given.
  case attestationNotSupported = 0x07
  /// A parameter is malformed.
  case parametersInvalid = 0x08
  /// The key is gone for good.
  case keyDisappearedPermanently = 0x09
  /// The command took too long.
  case timeout = 0x0A
  /// Nobody answered.
  case userNotResponsive = 0x0E
  /// No room for another key.
  case insufficientResources = 0x0F
  /// Locked.
  case userLockout = 0x10
}

/// What an ASM answers to its client (FIDO UAF ASM API, section "Status codes").
public enum UAFModuleStatus: UInt16, Hashable, Sendable, CaseIterable {
  /// It succeeded.
  case ok = 0x00
  /// Anything else.
  case error = 0x01
  /// The person was not recognized, or the key is not this caller's.
  case accessDenied = 0x02
  /// The person refused.
  case userCancelled = 0x03
  /// The content cannot be shown.
  case cannotRenderTransactionContent = 0x04
  /// The key is gone for good.
  case keyDisappearedPermanently = 0x09
  /// The authenticator is not there any more.
  case authenticatorDisconnected = 0x0B
  /// Nobody answered.
  case userNotResponsive = 0x0E
  /// No room for another key.
  case insufficientAuthenticatorResources = 0x0F
  /// Locked.
  case userLockout = 0x10
  /// Nobody is enrolled.
  case userNotEnrolled = 0x11
}

extension UAFErrorCode {
  /// The client's code for one of ours: the client's own codes, and what authenticators answer by way of the ASM;
  /// `unknown` for codes not listed.
  public init(_ code: AuthenticatorError.Code) {
    switch code {
    case .unsupportedVersion: self = .unsupportedVersion
    case .noSuitableAuthenticator, .passcodeNotSet, .verifierUnavailable, .hardwareRequired, .unsupported,
      .unsupportedAlgorithm, .credentialExcluded, .notInteractive:
      self = .noSuitableAuthenticator
    case .invalidMessage, .invalidRequest: self = .protocolError
    case .untrustedFacet: self = .untrustedFacetID
    // What registrations alone may tell, the ASM has turned into a denial before (`UAFModuleStatus`).
    default: self = UAFErrorCode(UAFModuleStatus(UAFCommandStatus(code), isRegistration: true))
    }
  }

  /// The client's code for one of ours in answer to a message: of the message's version, as far as it can be read.
  public init(_ code: AuthenticatorError.Code, answering message: UAFMessage) {
    let version = try? UAFRequestEntries(message.uafProtocolMessage).versions.first
    self = UAFErrorCode(code).inVersion(version ?? .v11)
  }
}

extension UAFCommandStatus {
  /// The authenticator's status for one of our codes; `unknownError` for codes not listed.
  public init(_ code: AuthenticatorError.Code) {
    switch code {
    case .userCanceled, .appCanceled, .fallbackRequested: self = .userCancelled
    case .keyInvalidated, .deviceNotRegistered: self = .keyDisappearedPermanently
    case .userVerificationFailed, .keyAccessDenied, .keyNotFound, .verificationInsufficient, .verificationSpent:
      self = .accessDenied
    case .invalidTransactionContent: self = .cannotRenderTransactionContent
    case .userNotResponsive, .timedOut: self = .userNotResponsive
    case .insufficientAuthenticatorResources: self = .insufficientResources
    case .lockedOut, .hardwareLockedOut: self = .userLockout
    case .biometryNotEnrolled: self = .userNotEnrolled
    case .invalidMessage, .invalidRequest: self = .parametersInvalid
    default: self = .unknownError
    }
  }
}

extension UAFModuleStatus {
  /// The ASM's status for an authenticator's answer.
  /// - Parameters:
  ///   - isRegistration: registrations alone tell that nobody is enrolled.
  ///   - doesItself: whether the ASM does the job when the authenticator does not support the command.
  public init(_ status: UAFCommandStatus, isRegistration: Bool, doesItself: Bool = false) {
    switch status {
    case .ok: self = .ok
    case .accessDenied: self = .accessDenied
    case .userNotEnrolled: self = isRegistration ? .userNotEnrolled : .accessDenied
    case .cannotRenderTransactionContent: self = .cannotRenderTransactionContent
    case .userCancelled: self = .userCancelled
    case .commandNotSupported: self = doesItself ? .ok : .error
    case .keyDisappearedPermanently: self = .keyDisappearedPermanently
    case .userNotResponsive: self = .userNotResponsive
    case .insufficientResources: self = .insufficientAuthenticatorResources
    case .userLockout: self = .userLockout
    case .unknownError, .attestationNotSupported, .parametersInvalid, .timeout: self = .error
    }
  }
}

extension UAFErrorCode {
  /// The client's code for an ASM's answer.
  public init(_ status: UAFModuleStatus) {
    switch status {
    case .ok: self = .noError
    case .error: self = .unknown
    case .accessDenied: self = .authenticatorAccessDenied
    case .userCancelled: self = .userCancelled
    case .cannotRenderTransactionContent: self = .invalidTransactionContent
    case .keyDisappearedPermanently: self = .keyDisappearedPermanently
    case .authenticatorDisconnected: self = .noSuitableAuthenticator
    case .userNotResponsive: self = .userNotResponsive
    case .insufficientAuthenticatorResources: self = .insufficientAuthenticatorResources
    case .userLockout: self = .userLockout
    case .userNotEnrolled: self = .userNotEnrolled
    }
  }
}

extension UAFOutcome {
  /// The word for one of our codes; `failure` for codes not listed.
  public init(_ code: AuthenticatorError.Code) {
    switch code {
    case .fallbackRequested: self = .fallback
    case .userCanceled, .appCanceled: self = .canceled
    case .systemCanceled: self = .systemCanceled
    case .userVerificationFailed: self = .failed
    case .notInteractive: self = .notInteractive
    default:
      switch UAFErrorCode(code) {
      case .userLockout: self = .locked
      case .noSuitableAuthenticator: self = .noMatch
      case .userNotEnrolled: self = .notEnrolled
      case .userNotResponsive: self = .userNotResponsive
      case .keyDisappearedPermanently: self = .keyDisappeared
      case .authenticatorAccessDenied: self = .accessDenied
      case .untrustedFacetID: self = .appNotFound
      case .protocolError: self = .protocolError
      case .unsupportedVersion: self = .unsupportedVersion
      case .invalidTransactionContent: self = .invalidTransactionContent
      case .insufficientAuthenticatorResources: self = .insufficientResources
      default: self = .failure
      }
    }
  }
}
