import AuthenticatorCore
import AuthenticatorWebAuthn

/// The words by which a device tells PingAM that a WebAuthn step failed: `unsupported`, or `ERROR::` with a
/// DOMException's name. This file alone maps our codes to them.
extension WebAuthnOutcome {
  /// The device cannot do what was asked.
  public static let unsupported = WebAuthnOutcome(rawValue: "unsupported")

  /// The word for an error of WebAuthn's own name.
  ///
  /// The message is the same for every cause of a name: what the server learns from a refusal is the name.
  public init(named name: DOMExceptionName) {
    guard name != .notSupported else {
      self = .unsupported
      return
    }
    rawValue = "ERROR::\(name.rawValue):\(Self.message(name))"
  }

  /// The word for a code; UnknownError for those not listed.
  public init(_ code: AuthenticatorError.Code) { self.init(named: Self.name(code)) }

  /// The word for any error that a callback threw.
  public init(_ error: any Error) { self.init(AuthenticatorError(webAuthn: error).code) }

  private static func name(_ code: AuthenticatorError.Code) -> DOMExceptionName {
    switch code {
    case .unsupported, .unsupportedAlgorithm: .notSupported
    case .timedOut, .userNotResponsive: .timeout
    case .appCanceled: .abort
    case .credentialExcluded: .invalidState
    case .constraintNotMet, .biometryNotEnrolled, .passcodeNotSet, .verifierUnavailable, .hardwareRequired:
      .constraint
    case .userCanceled, .systemCanceled, .fallbackRequested, .userVerificationFailed, .lockedOut,
      .hardwareLockedOut, .notInteractive, .pinRejected, .keyNotFound, .keyInvalidated, .deviceNotRegistered,
      .verificationInsufficient, .verificationSpent, .busy, .notAllowed:
      .notAllowed
    case .invalidRequest, .invalidMessage: .data
    case .relyingPartyRefused: .security
    case .transportFailed: DOMExceptionName(rawValue: "NetworkError")
    default: .unknown
    }
  }

  private static func message(_ name: DOMExceptionName) -> String {
    switch name {
    case .timeout: "The operation timed out."
    case .abort: "The operation was aborted."
    case .invalidState: "A credential of this account is on the device already."
    case .constraint: "The authenticator does not meet the requirements."
    case .notAllowed: "The operation is not allowed or was canceled."
    case .data: "The request is incomplete or malformed."
    case .security: "The relying party ID does not belong to the origin."
    case DOMExceptionName(rawValue: "NetworkError"): "The network failed."
    default: "The operation failed."
    }
  }
}

extension AuthenticatorError.Code {
  /// The relying party ID that the server asks for does not belong to the app's origin. In WebAuthn's words a
  /// SecurityError.
  public static let relyingPartyRefused = AuthenticatorError.Code(rawValue: "relyingPartyRefused")
  /// The request was refused for a reason that has no code of its own. In WebAuthn's words a NotAllowedError.
  public static let notAllowed = AuthenticatorError.Code(rawValue: "notAllowed")
}

extension AuthenticatorError {
  /// An error of the WebAuthn client in the package's own vocabulary: what happened at the authenticator, or else what
  /// the name stands for.
  init(webAuthn error: any Error) {
    guard let error = error as? WebAuthnError else {
      self = .wrapping(error, as: .integrityFailed, stage: "webauthn")
      return
    }
    if let cause = error.cause {
      self = cause
      return
    }
    let code: Code =
      switch error.name {
      case .security: .relyingPartyRefused
      case .notSupported: .unsupported
      case .constraint: .constraintNotMet
      case .abort: .appCanceled
      case .timeout: .timedOut
      case .invalidState: .credentialExcluded
      case .type, .data, .encoding, .syntax: .invalidMessage
      default: .notAllowed
      }
    self.init(code, stage: "webauthn", reason: error.reason, underlying: error)
  }
}
