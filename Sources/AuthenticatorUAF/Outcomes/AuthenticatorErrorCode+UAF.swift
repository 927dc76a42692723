import AuthenticatorCore

extension AuthenticatorError.Code {
  /// The caller is none of the facets that the application names.
  public static let untrustedFacet = AuthenticatorError.Code(rawValue: "untrustedFacet")
  /// The message and this client have no protocol version in common.
  public static let unsupportedVersion = AuthenticatorError.Code(rawValue: "unsupportedVersion")
  /// The server's policy admits no authenticator of this device, or none that could be used now.
  public static let noSuitableAuthenticator = AuthenticatorError.Code(rawValue: "noSuitableAuthenticator")
  /// The transaction's content cannot be shown.
  public static let invalidTransactionContent = AuthenticatorError.Code(rawValue: "invalidTransactionContent")
  /// The authenticator has no room for another key.
  public static let insufficientAuthenticatorResources = AuthenticatorError.Code(
    rawValue: "insufficientAuthenticatorResources")
  /// No key of this caller fits, or its user could not be told.
  public static let keyAccessDenied = AuthenticatorError.Code(rawValue: "keyAccessDenied")

  /// The codes that this protocol adds.
  public static let uaf: [AuthenticatorError.Code] = [
    .untrustedFacet, .unsupportedVersion, .noSuitableAuthenticator, .invalidTransactionContent,
    .insufficientAuthenticatorResources, .keyAccessDenied,
  ]
}
