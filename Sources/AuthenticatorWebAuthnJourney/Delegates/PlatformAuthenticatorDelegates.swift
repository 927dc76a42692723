/// Takes the name of the credential that the person chose, exactly as it was offered; nil: none. May be called from
/// anywhere; the first call counts.
public typealias WebAuthnCredentialsSelectionCallback = @Sendable (String?) -> Void

/// Takes the person's answer. May be called from anywhere; the first call counts.
public typealias WebAuthnUserConsentCallback = @Sendable (WebAuthnUserConsentResult) -> Void

/// A person's answer to the question whether a credential may be made.
public enum WebAuthnUserConsentResult: Hashable, Sendable {
  /// Yes.
  case allow
  /// No.
  case reject
}

/// Where `WebAuthnAuthenticationCallback` asks the app. Called on the caller's actor.
///
/// A view controller conforms to it as `@MainActor PlatformAuthenticatorAuthenticationDelegate`.
public protocol PlatformAuthenticatorAuthenticationDelegate {
  /// Lets the person choose among two credentials or more.
  ///
  /// Show the names as you like, but answer with one of `keyNames` as it stands: `<display name> <yyyyMMdd HH:mm:ss>`,
  /// the time of registration in local time, sorted, each name once. Nil or any other text ends the ceremony as
  /// `userCanceled`; silence ends it at the server's time limit.
  func selectCredential(keyNames: [String], selectionCallback: @escaping WebAuthnCredentialsSelectionCallback)
}

/// Where `WebAuthnRegistrationCallback` asks the app. Called on the caller's actor.
///
/// Without a delegate, what the person agrees to is the prompt that verifies them.
public protocol PlatformAuthenticatorRegistrationDelegate {
  /// A credential of this account is on this device already. Agreeing ends the ceremony as `credentialExcluded`,
  /// rejecting as `userCanceled`: only who agrees lets the server know.
  func excludeCredentialDescriptorConsent(consentCallback: @escaping WebAuthnUserConsentCallback)

  /// A credential is to be made. Rejecting ends the ceremony as `userCanceled`.
  /// - Parameters:
  ///   - keyName: `<display name> <yyyyMMdd HH:mm:ss>`, as the credential will be offered for signing in.
  ///   - rpName: the relying party's own word for itself; server text, cleaned.
  ///   - rpId: the relying party ID, a domain: what a decision should rest on.
  ///   - userName: the account; server text, cleaned.
  ///   - userDisplayName: the account's display name; server text, cleaned.
  func createNewCredentialConsent(
    keyName: String, rpName: String, rpId: String, userName: String, userDisplayName: String,
    consentCallback: @escaping WebAuthnUserConsentCallback)
}
