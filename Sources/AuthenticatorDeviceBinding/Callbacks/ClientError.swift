import AuthenticatorCore

/// The words by which a device tells PingAM that it will not answer (`clientError`). Open: a server's node may define
/// outcomes of its own, which an app sets itself.
///
/// This file alone maps our codes to them.
public struct ClientError: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The word on the wire.
  public let rawValue: String
  /// Takes a word.
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  /// The person or app gave up, was not recognized, or something unexpected happened.
  public static let abort = ClientError(rawValue: "Abort")
  /// Time ran out.
  public static let timeout = ClientError(rawValue: "Timeout")
  /// The device cannot do what was asked.
  public static let unsupported = ClientError(rawValue: "Unsupported")
  /// There is no usable key for this user.
  public static let clientNotRegistered = ClientError(rawValue: "ClientNotRegistered")

  /// The word for a code; `Abort` for those not listed.
  public init(_ code: AuthenticatorError.Code) {
    switch code {
    case .timedOut, .userNotResponsive: self = .timeout
    case .unsupported, .unsupportedAlgorithm, .hardwareRequired, .biometryNotEnrolled, .passcodeNotSet,
      .verifierUnavailable, .keyGenerationFailed, .accessControlFailed:
      self = .unsupported
    case .keyNotFound, .keyInvalidated, .deviceNotRegistered: self = .clientNotRegistered
    default: self = .abort
    }
  }

  /// The word for any error.
  public init(_ error: any Error) {
    self.init(AuthenticatorError.wrapping(error, as: .invalidRequest, stage: "").code)
  }
}
