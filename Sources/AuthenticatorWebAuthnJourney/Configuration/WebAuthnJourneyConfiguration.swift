import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorWebAuthn

/// With what the WebAuthn callbacks of a journey work. A value; give it to the callbacks, or to the registry once.
public struct WebAuthnJourneyConfiguration: Sendable {
  /// Key store, verifier and environment. Its `instance` must be the journey's.
  public var context: AuthenticatorContext
  /// Makes the authenticators: one of `authenticatorType` for new credentials, and for those that are there one of the
  /// type that made them.
  public var factories: AuthenticatorFactories
  /// What verifies the person and makes the keys of new credentials.
  public var authenticatorType: AuthenticatorType
  /// How the platform authenticator behaves: algorithms, attestation, counters, what the person reads.
  public var platform: WebAuthnPlatformConfiguration
  /// How the client behaves: public suffixes, related origins, native origins. Its time limits do not count: in a
  /// journey the server's does, and `timeLimit`.
  public var client: WebAuthnClientConfiguration
  /// What the client data names as origin; nil: the journey server's own. An origin that is no web origin (an app's)
  /// must be one of the client's `nativeOrigins`, and the server's node must admit it.
  public var origin: String?
  /// Further members of the client data, as some platforms add them.
  public var clientDataMembers: JSONObject
  /// What the server lists a new device as; nil: the environment's device name.
  public var deviceName: String?
  /// The platform's passkeys; nil: there are none, and the package's own authenticator is used.
  public var passkeyProvider: (any PasskeyProvider)?
  /// Lets the person choose when a callback has no delegate; nil: then nobody chooses, and the ceremony is not allowed.
  public var selection: (any CredentialSelectionDelegate & Sendable)?
  /// Asks before a credential is made when a callback has no delegate; nil: what the person agrees to is the prompt
  /// that verifies them, which names the relying party and the account.
  public var consent: (any CredentialConsentDelegate & Sendable)?
  /// A time limit of the app's own, for one ceremony with its prompts; the shorter of it and the server's holds.
  /// Suggestions (conditional mediation) have none.
  public var timeLimit: Duration?

  /// Makes a configuration.
  public init(
    context: AuthenticatorContext, factories: AuthenticatorFactories, authenticatorType: AuthenticatorType,
    platform: WebAuthnPlatformConfiguration = WebAuthnPlatformConfiguration(),
    client: WebAuthnClientConfiguration = WebAuthnClientConfiguration(), origin: String? = nil,
    clientDataMembers: JSONObject = [:], deviceName: String? = nil,
    passkeyProvider: (any PasskeyProvider)? = nil,
    selection: (any CredentialSelectionDelegate & Sendable)? = nil,
    consent: (any CredentialConsentDelegate & Sendable)? = nil, timeLimit: Duration? = nil
  ) {
    self.context = context
    self.factories = factories
    self.authenticatorType = authenticatorType
    self.platform = platform
    self.client = client
    self.origin = origin
    self.clientDataMembers = clientDataMembers
    self.deviceName = deviceName
    self.passkeyProvider = passkeyProvider
    self.selection = selection
    self.consent = consent
    self.timeLimit = timeLimit
  }

  /// The platform authenticator over the configured store, for listing and deleting credentials. Removing one here
  /// leaves it on the server's list: signing in with it fails, and registering again makes a new one.
  /// - Throws: `unsupported` when there is no factory for `authenticatorType`.
  public func platformAuthenticator() async throws -> WebAuthnPlatformAuthenticator {
    WebAuthnPlatformAuthenticator(
      wrapping: try await factories.make(authenticatorType, context), factories: factories, configuration: platform,
      consentDelegate: consent, selectionDelegate: selection)
  }

  /// What the callbacks hold a server's time limit to, unless the app's own is shorter.
  static let timeLimits: ClosedRange<Duration> = .seconds(5) ... .seconds(600)

  /// What a ceremony's time limit is held to.
  var heldTimeLimits: ClosedRange<Duration> {
    let longest = min(Self.timeLimits.upperBound, max(timeLimit ?? Self.timeLimits.upperBound, .zero))
    return min(Self.timeLimits.lowerBound, longest)...longest
  }

  /// The client of one ceremony.
  func makeClient() async throws -> WebAuthnClient {
    var settings = client
    settings.timeouts = heldTimeLimits
    return WebAuthnClient(authenticator: try await platformAuthenticator(), configuration: settings)
  }
}
