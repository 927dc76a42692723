public import AuthenticatorCrypto
public import AuthenticatorRelyingParty

/// Who the server is to browsers and authenticators, and what its WebAuthn nodes trust, unless a node says otherwise.
public struct WebAuthnConfiguration: Sendable {
  /// The relying party ID; nil: the host of the server's address, `localhost` when that is this machine's own.
  public var relyingPartyID: String?
  /// Origins that may run ceremonies beside the server's own, compared as whole texts: web origins such as
  /// `https://app.example.com` and those of native apps such as `ios:bundle-id:com.example.app`.
  public var origins: Set<String> = []
  /// The certificates that vouch for attestation, with the revocation lists that are heeded; nil: none does.
  public var trustAnchors: TrustAnchors?
  /// Further ones, by the name (`trustStoreAlias`) that nodes ask for them by.
  public var trustStores: [String: TrustAnchors] = [:]
  /// What FIDO's metadata must say about every model that is registered; nil: it is not asked.
  public var modelPolicy: ModelPolicy?
  /// What a credential means whose eligibility for backup has changed since it was registered.
  public var backupEligibilityPolicy = AuthenticationExpectation.BackupEligibilityPolicy.strict

  /// The defaults.
  public init() {}
}
