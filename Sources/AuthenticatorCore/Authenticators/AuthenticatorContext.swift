/// What an authenticator works with. A key is settled in the store that holds it, so ceremonies take no other.
public struct AuthenticatorContext: Sendable {
  /// The server the keys are for: base URL without trailing slash.
  public var instance: String
  /// Where its keys and their records are kept.
  public var keyStore: any KeyStore
  /// What checks the person.
  public var verifier: any UserVerifier
  /// Clock, randomness, identity of the app and the sink of audit events.
  public var environment: AuthenticatorEnvironment

  /// Makes a context; `instance` must be given without trailing slash.
  public init(
    instance: String, keyStore: any KeyStore, verifier: any UserVerifier, environment: AuthenticatorEnvironment
  ) {
    self.instance = instance
    self.keyStore = keyStore
    self.verifier = verifier
    self.environment = environment
  }
}
