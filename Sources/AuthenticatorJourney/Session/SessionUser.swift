import AuthenticatorCore

/// Who the session belongs to.
public struct SessionUser: Hashable, Sendable {
  /// The name in the server's addresses.
  public let id: String
  /// The universal identifier, which keys of a protocol may carry.
  public let universalID: String
}

extension SessionUser: CustomStringConvertible {
  /// Nothing: user names do not belong in logs.
  public var description: String { "SessionUser" }
}

extension AuthenticatorError.Code {
  /// The server answered a management request with a refusal; `reason` has the status.
  public static let serverRefused = AuthenticatorError.Code(rawValue: "serverRefused")
}
