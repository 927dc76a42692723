import AuthenticatorWebAuthn

/// The passkeys of the platform: the operating system's own, with its own dialogs, maybe those of a phone nearby.
///
/// Conform to it to have journeys use them. Owed: responses in the standard's form, with client data of the provider's
/// own origin; `AuthenticatorError` for failures (`userCanceled`, `keyNotFound`, `credentialExcluded`, …); an end when
/// the task is cancelled, which happens at the ceremony's time limit. Called on the caller's actor.
/// `AuthenticatorTestSupport` has one that is scripted.
public protocol PasskeyProvider: Sendable {
  /// Whether it can be used now. Silent. When it cannot, the package's own authenticator is used.
  func isAvailable() async -> Bool

  /// Makes a passkey. `options.relyingParty.id` is always set.
  func create(
    _ options: PublicKeyCredentialCreationOptions, _ request: PasskeyRequest
  ) async throws -> RegistrationResponse

  /// Signs in with a passkey. `options.relyingPartyID` is always set.
  func get(
    _ options: PublicKeyCredentialRequestOptions, _ request: PasskeyRequest
  ) async throws -> AuthenticationResponse
}

/// What a passkey provider is told besides the options.
public struct PasskeyRequest: Sendable {
  /// What its dialog is attached to.
  public var window: (any PresentationAnchor)?
  /// Whether only passkeys of this device count: without one, the request fails at once and nothing is shown.
  public var preferImmediatelyAvailableCredentials: Bool
  /// The mediation that is asked for.
  public var mediation: WebAuthnMediation
  /// The uptime at which the ceremony ends.
  public var deadline: Duration

  /// See the properties.
  public init(
    window: (any PresentationAnchor)? = nil, preferImmediatelyAvailableCredentials: Bool = false,
    mediation: WebAuthnMediation = .optional, deadline: Duration
  ) {
    self.window = window
    self.preferImmediatelyAvailableCredentials = preferImmediatelyAvailableCredentials
    self.mediation = mediation
    self.deadline = deadline
  }
}
