import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorWebAuthn

/// Asks the device to sign in with a credential.
///
/// Call `authenticate`, then `ContinueNode.next()`, whether it succeeded or threw: with the node given, the outcome is
/// in its place. Removing a credential from the device leaves it on the server's list: signing in then ends as
/// `keyNotFound`, until the device is registered again.
public final class WebAuthnAuthenticationCallback: WebAuthnCallback {
  /// What the server asks for, in the standard's form.
  public let options: PublicKeyCredentialRequestOptions
  /// Whether the server reads outcomes in the JSON form.
  public let supportsJSONResponse: Bool
  /// How much is asked of the person: the server's wish, or `.optional`. With `.conditional`, credentials are suggested
  /// without a time limit until the task is cancelled, which leaves the hidden field alone.
  public var mediation: WebAuthnMediation
  /// Asked when there are several credentials; nil: the configuration's `selection`. Providers of passkeys ask by
  /// themselves.
  public var delegate: (any PlatformAuthenticatorAuthenticationDelegate)?

  /// The only credential that may sign in, when the person has chosen it already; nil: any that the server allows. Does
  /// not concern providers of passkeys.
  public var credential: CredentialID?

  private var used: (authenticator: WebAuthnPlatformAuthenticator, id: CredentialID)?

  /// Reads the options of either server generation, or of a script.
  /// - Throws: `invalidMessage`, naming the first member that is missing or malformed.
  public required init(_ payload: CallbackPayload) throws {
    guard case (let form, .authentication)? = StepForm.recognize(payload) else {
      throw AuthenticatorError(.invalidMessage, stage: "journey.callback", reason: "no WebAuthn authentication")
    }
    let step = try AuthenticationStep(form, label: "WebAuthnAuthenticationCallback")
    (options, supportsJSONResponse, mediation) = (step.options, step.acceptsJSON, step.mediation ?? .optional)
    try super.init(payload)
  }

  /// The server's time limit for the ceremony with its prompts, held to 5 to 600 seconds.
  public var timeout: Duration { WebAuthnCeremony.timeLimit(options.timeout) }

  /// Whether the server names no credentials: it learns from the credential who signs in ("Username from device").
  public var isUsernameless: Bool { options.allowCredentials.isEmpty }

  /// Signs in.
  ///
  /// After it threw it may be called again, until the node is sent.
  /// - Parameters:
  ///   - node: the node of this callback: then the outcome is written into its hidden field, for success and failure
  ///     alike. Without it, the app does that with `outcome`.
  ///   - window: what a passkey provider's dialog is attached to.
  ///   - preferImmediatelyAvailableCredentials: whether only credentials of this device count. Without one, the
  ///     ceremony ends at once as `keyNotFound` and nothing is shown.
  ///   - usePasskeysIfAvailable: whether the platform's passkeys are used when there are any; they may be on another
  ///     device.
  /// - Returns: the response in the standard's form, with the extensions' outputs, which the server does not see.
  /// - Throws: `AuthenticatorError`; its code decided the outcome. `keyNotFound` when there is no credential;
  ///   `notInteractive` when there are several and nobody to ask; `userCanceled` when none was chosen; `timedOut`.
  ///   `busy` while a ceremony of this callback runs and `invalidRequest` when it is answered: these change no answer.
  @discardableResult
  public func authenticate(
    node: ContinueNode? = nil, window: (any PresentationAnchor)? = nil,
    preferImmediatelyAvailableCredentials: Bool = false, usePasskeysIfAvailable: Bool = true
  ) async throws -> AuthenticationResponse {
    let mediation = preferImmediatelyAvailableCredentials ? WebAuthnMediation.immediate : mediation
    return try await run(in: node, keepsFieldWhenWithdrawn: mediation == .conditional) {
      let ceremony = try WebAuthnCeremony(
        configuration, self, challenge: options.challenge, timeout: options.timeout)
      let response: AuthenticationResponse
      if let provider = await ceremony.provider(usePasskeysIfAvailable) {
        let request = PasskeyRequest(
          window: window, preferImmediatelyAvailableCredentials: preferImmediatelyAvailableCredentials,
          mediation: mediation, deadline: ceremony.deadline)
        response = try await get(with: provider, request, ceremony)
      } else {
        let client = try await ceremony.configuration.makeClient()
        if let delegate { client.authenticator.selectionDelegate = DelegateSelection(delegate: delegate) }
        response = try await client.get(
          options, caller: ceremony.caller, mediation: mediation, credential: credential)
        used = (client.authenticator, response.id)
      }
      let outcome = try WebAuthnOutcome(response, asJSON: supportsJSONResponse)
      try ceremony.spendChallenge()
      return (response, outcome)
    }
  }

  /// `authenticate` with a configuration for this callback.
  @discardableResult
  public func authenticate(
    _ configuration: WebAuthnJourneyConfiguration, node: ContinueNode? = nil,
    window: (any PresentationAnchor)? = nil, preferImmediatelyAvailableCredentials: Bool = false,
    usePasskeysIfAvailable: Bool = true
  ) async throws -> AuthenticationResponse {
    self.configuration = configuration
    return try await authenticate(
      node: node, window: window, preferImmediatelyAvailableCredentials: preferImmediatelyAvailableCredentials,
      usePasskeysIfAvailable: usePasskeysIfAvailable)
  }

  // MARK: The server's verdict

  /// A credential of this device awaits it; the answer itself stands in the hidden field.
  public override var awaitsOutcome: Bool { used != nil }

  /// A node that asks for a sign-in again has not accepted this one.
  public override func isAskedAgain(by node: ContinueNode) -> Bool {
    node.callback(WebAuthnAuthenticationCallback.self) != nil
  }

  /// Once a credential has signed its user in, the one it replaced is no longer needed.
  ///
  /// Only a sign-in that ends here counts: a journey that goes on may be asking for a password because it refused the
  /// assertion.
  public override func stepEnded(_ outcome: StepOutcome) async throws {
    guard let (authenticator, id) = used else { return }
    used = nil
    guard case .accepted(.success) = outcome else { return }
    try await authenticator.confirm(id)
  }

  private func get(
    with provider: any PasskeyProvider, _ request: PasskeyRequest, _ ceremony: WebAuthnCeremony
  ) async throws -> AuthenticationResponse {
    var options = options
    options.relyingPartyID = try ceremony.relyingPartyID(options.relyingPartyID)
    // Suggestions have no time limit; they end when the task is cancelled.
    guard request.mediation != .conditional else { return try await provider.get(options, request) }
    return try await ceremony.race { [options] in try await provider.get(options, request) }
  }
}
