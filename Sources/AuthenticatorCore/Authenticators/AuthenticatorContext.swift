/// What an authenticator works with. A key is settled in the store that holds it, so ceremonies take no other.
public struct AuthenticatorContext: Sendable {
  /// The server the keys are for: base URL without trailing slash.
  public var instance: String
  public var keyStore: any KeyStore
  public var verifier: any UserVerifier
  public var environment: AuthenticatorEnvironment

  public init(
    instance: String, keyStore: any KeyStore, verifier: any UserVerifier, environment: AuthenticatorEnvironment
  ) {
    self.instance = instance
    self.keyStore = keyStore
    self.verifier = verifier
    self.environment = environment
  }
}
