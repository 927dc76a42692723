public import AuthenticatorCore

/// Why a WebAuthn request ended without a credential. Equality looks at the name alone.
///
/// Relying parties are told `name` and `reason` only; `cause` is for the app, and says more than they may learn.
public struct WebAuthnError: Error, Sendable, CustomStringConvertible {
  /// What relying parties are told.
  public let name: DOMExceptionName
  /// One sentence for a developer, without names of users, challenges or credentials.
  public let reason: String
  /// What happened at the authenticator; nil when it was not asked.
  public let cause: AuthenticatorError?

  /// See the properties.
  public init(_ name: DOMExceptionName, _ reason: String = "", cause: AuthenticatorError? = nil) {
    self.name = name
    self.reason = reason
    self.cause = cause
  }

  /// The error of options that cannot be read: an EncodingError or TypeError that says which member is at fault.
  public init(_ error: WebAuthnJSONError) {
    self.init(DOMExceptionName(error.kind), "the options are malformed: \(error)")
  }

  /// Turns whatever a ceremony threw into a request's error.
  init(_ error: any Error, told ceremony: CollectedClientData.Ceremony) {
    switch error {
    case let error as WebAuthnError: self = error
    case let error as WebAuthnJSONError: self.init(error)
    default:
      let cause = AuthenticatorError.wrapping(error, as: .integrityFailed, stage: "client")
      self.init(DOMExceptionName(cause.code, told: ceremony), "", cause: cause)
    }
  }

  public var description: String { reason.isEmpty ? name.rawValue : "\(name.rawValue): \(reason)" }
}

extension WebAuthnError: Equatable {
  public static func == (left: WebAuthnError, right: WebAuthnError) -> Bool { left.name == right.name }
}
