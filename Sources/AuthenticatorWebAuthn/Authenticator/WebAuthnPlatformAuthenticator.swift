internal import AuthenticatorCoding
public import AuthenticatorCore

/// Makes and uses public key credentials on top of any device authenticator (WebAuthn Level 3 section 6).
///
/// A decorator: the wrapped authenticator alone decides how the person is verified, how keys open and what their
/// records say; everything the protocol `DeviceAuthenticator` asks for is forwarded to it. Credentials are keys of the
/// family `webauthn` in its store, with the relying party ID as party and the user handle as account.
///
/// Not `Sendable`, as authenticators are not: it runs on its caller's actor. Ceremonies on several instances over one
/// store may run at the same time.
public final class WebAuthnPlatformAuthenticator: DeviceAuthenticator {
  /// What verifies the person and makes the keys of new credentials.
  public let wrapped: any DeviceAuthenticator
  /// Makes the authenticators of credentials that were made by another type. Credentials of a type that is neither the
  /// wrapped one's nor in this table are not there for any ceremony.
  public let factories: AuthenticatorFactories
  /// May change between ceremonies.
  public var configuration: WebAuthnPlatformConfiguration
  /// Asked before a credential is made; nil: the prompt that verifies the person is what they agree to.
  public var consentDelegate: (any CredentialConsentDelegate)?
  /// Asked when there is more than one candidate; nil: such a ceremony ends as `notInteractive`.
  public var selectionDelegate: (any CredentialSelectionDelegate)?

  /// See the properties. Ceremonies work with the wrapped authenticator's context.
  public init(
    wrapping authenticator: any DeviceAuthenticator, factories: AuthenticatorFactories = AuthenticatorFactories(),
    configuration: WebAuthnPlatformConfiguration = WebAuthnPlatformConfiguration(),
    consentDelegate: (any CredentialConsentDelegate)? = nil,
    selectionDelegate: (any CredentialSelectionDelegate)? = nil
  ) {
    wrapped = authenticator
    context = authenticator.context
    self.factories = factories
    self.configuration = configuration
    self.consentDelegate = consentDelegate
    self.selectionDelegate = selectionDelegate
  }

  // MARK: - DeviceAuthenticator, forwarded

  /// The wrapped authenticator's.
  public let context: AuthenticatorContext

  public func type() -> AuthenticatorType { wrapped.type() }

  public func availability() async -> AuthenticatorAvailability { await wrapped.availability() }

  public func isSupported(attestation: Attestation) async -> Bool {
    await wrapped.isSupported(attestation: attestation)
  }

  public func verify(_ request: VerificationRequest) async throws -> VerificationTicket {
    try await wrapped.verify(request)
  }

  public func register(_ request: RegistrationRequest) async throws -> StagedKey {
    try await wrapped.register(request)
  }

  /// Opens a key by the authenticator of its type.
  /// - Throws: `unsupported` for a type that is neither the wrapped one's nor in `factories`.
  public func authenticate(_ request: SigningRequest) async throws -> SigningKey {
    try await authenticator(of: request.record.authenticator).authenticate(request)
  }

  /// What would become of `authenticate(_:)`; `unknown` for a type that cannot be made.
  public func health(of record: KeyRecord) async -> KeyHealthReport {
    do {
      return await (try await authenticator(of: record.authenticator)).health(of: record)
    } catch {
      return KeyHealthReport(.unknown, protection: record.protection)
    }
  }

  /// Deletes the wrapped authenticator's keys, of every protocol. For credentials alone, see `deleteCredentials(of:)`.
  public func deleteKeys() async throws { try await wrapped.deleteKeys() }

  // MARK: - What ceremonies share

  var environment: AuthenticatorEnvironment { context.environment }
  var store: any KeyStore { context.keyStore }

  func authenticator(of type: AuthenticatorType) async throws -> any DeviceAuthenticator {
    type == wrapped.type() ? wrapped : try await factories.make(type, context)
  }

  /// Whether a record can be opened here.
  func canOpen(_ record: KeyRecord) -> Bool {
    record.authenticator == wrapped.type() || factories.types.contains(record.authenticator)
  }

  func owner(_ relyingPartyID: String, account: [UInt8]?) -> KeyOwner {
    KeyOwner(instance: context.instance, family: .webAuthn, party: relyingPartyID, account: account)
  }

  func checkGoingOn(until deadline: Duration, _ stage: String) throws {
    if Task.isCancelled { throw AuthenticatorError(.appCanceled, stage: stage, underlying: CancellationError()) }
    guard environment.uptime() < deadline else { throw AuthenticatorError(.timedOut, stage: stage) }
  }

  static func invalid(_ stage: String, _ reason: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: stage, reason: reason)
  }

  /// The longest relying party ID: a domain, or an AppID.
  static let maximumRelyingPartyIDBytes = 1024

  static func checkInput(_ stage: String, relyingPartyID: String, clientDataHash: [UInt8]) throws {
    guard clientDataHash.count == 32 else { throw invalid(stage, "the hash of the client data has not 32 bytes") }
    guard (1...maximumRelyingPartyIDBytes).contains(relyingPartyID.utf8.count) else {
      throw invalid(stage, "the relying party ID is empty or too long")
    }
  }

  /// Where a credential may be replaced: one discoverable credential for each relying party and user handle.
  static func slot(_ relyingPartyID: String, _ userHandle: [UInt8]) -> String {
    relyingPartyID + " " + Base64URL.encode(userHandle)
  }
}
