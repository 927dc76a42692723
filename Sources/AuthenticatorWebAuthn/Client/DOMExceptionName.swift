public import AuthenticatorCore

/// The name of an error as WebAuthn's callers know it (Web IDL section 2.8.1). Open. This file is the only one that
/// turns codes into names.
public struct DOMExceptionName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  /// The caller withdrew the request, or a later one took its place.
  public static let abort = DOMExceptionName(rawValue: "AbortError")
  /// The authenticator cannot do what was required.
  public static let constraint = DOMExceptionName(rawValue: "ConstraintError")
  /// The options lack a part, or one has the wrong form.
  public static let data = DOMExceptionName(rawValue: "DataError")
  /// Text that is not base64url.
  public static let encoding = DOMExceptionName(rawValue: "EncodingError")
  /// A credential of the exclude list is here.
  public static let invalidState = DOMExceptionName(rawValue: "InvalidStateError")
  /// Refused, for whatever reason.
  public static let notAllowed = DOMExceptionName(rawValue: "NotAllowedError")
  /// No algorithm, credential type or extension input that is supported.
  public static let notSupported = DOMExceptionName(rawValue: "NotSupportedError")
  /// The relying party ID does not belong to the origin.
  public static let security = DOMExceptionName(rawValue: "SecurityError")
  /// A credential's name in an extension input cannot be read.
  public static let syntax = DOMExceptionName(rawValue: "SyntaxError")
  /// The time is over. Never told to web callers; PingAM knows it.
  public static let timeout = DOMExceptionName(rawValue: "TimeoutError")
  /// A value of the wrong type or out of range; in JavaScript an exception of its own kind.
  public static let type = DOMExceptionName(rawValue: "TypeError")
  /// Something failed that has no name of its own.
  public static let unknown = DOMExceptionName(rawValue: "UnknownError")
}

extension DOMExceptionName {
  /// The name that an authenticator's error has at the authenticator (WebAuthn Level 3 sections 6.3.2 and 6.3.3), with
  /// the time limit told apart.
  public init(_ code: AuthenticatorError.Code) {
    switch code {
    case .appCanceled: self = .abort
    case .credentialExcluded: self = .invalidState
    case .unsupportedAlgorithm, .unsupported: self = .notSupported
    case .constraintNotMet, .biometryNotEnrolled, .passcodeNotSet, .verifierUnavailable, .hardwareRequired:
      self = .constraint
    case .timedOut, .userNotResponsive: self = .timeout
    case .userCanceled, .systemCanceled, .fallbackRequested, .userVerificationFailed, .lockedOut, .notInteractive,
      .pinRejected, .hardwareLockedOut, .keyNotFound, .keyInvalidated, .deviceNotRegistered,
      .verificationInsufficient, .verificationSpent, .busy:
      self = .notAllowed
    default: self = .unknown
    }
  }

  /// The name a client gives to an authenticator's error. What a relying party could learn about this device from more
  /// than these few names, it does not learn (WebAuthn Level 3 sections 5.1.3 and 5.1.4, the lists of exceptions).
  init(_ code: AuthenticatorError.Code, told ceremony: CollectedClientData.Ceremony) {
    switch (DOMExceptionName(code), ceremony) {
    case (.abort, _): self = .abort
    case (.invalidState, .create): self = .invalidState
    case (.notSupported, .create): self = .notSupported
    case (.constraint, .create): self = .constraint
    default: self = .notAllowed
    }
  }

  /// The name a client gives to options that cannot be read.
  init(_ kind: WebAuthnJSONError.Kind) {
    switch kind {
    case .encoding: self = .encoding
    case .notAnObject, .missing, .wrongType, .outOfRange, .contradiction: self = .type
    }
  }
}
