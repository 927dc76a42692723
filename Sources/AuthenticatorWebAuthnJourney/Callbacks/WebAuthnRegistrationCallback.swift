import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorWebAuthn

/// Asks the device to make a credential for the user.
///
/// Call `register`, then `ContinueNode.next()`, whether registering succeeded or threw: with the node given, the
/// outcome is in its place. A credential of the package's own authenticator can be used when `register` returns, and is
/// taken back inside `next()` when the server refuses it: the one it replaced, if any, works on.
public final class WebAuthnRegistrationCallback: WebAuthnCallback {
  /// What the server asks for, in the standard's form. The user handle is the text of `userID`.
  public let options: PublicKeyCredentialCreationOptions
  /// The server's identifier of the account, in base64url or Base64; never decoded.
  public let userID: String
  /// Whether the server reads outcomes in the JSON form.
  public let supportsJSONResponse: Bool
  /// Asked before a credential is made; nil: the configuration's `consent`, or else the prompt that verifies the
  /// person. Providers of passkeys ask by themselves.
  public var delegate: (any PlatformAuthenticatorRegistrationDelegate)?

  private var made: (authenticator: WebAuthnPlatformAuthenticator, id: CredentialID)?

  /// Reads the options of either server generation, or of a script.
  /// - Throws: `invalidMessage`, naming the first member that is missing or malformed.
  public required init(_ payload: CallbackPayload) throws {
    guard case (let form, .registration)? = StepForm.recognize(payload) else {
      throw AuthenticatorError(.invalidMessage, stage: "journey.callback", reason: "no WebAuthn registration")
    }
    let step = try RegistrationStep(form, label: "WebAuthnRegistrationCallback")
    (options, userID, supportsJSONResponse) = (step.options, step.userID, step.acceptsJSON)
    try super.init(payload)
  }

  /// The server's time limit for the ceremony with its prompts, held to 5 to 600 seconds.
  public var timeout: Duration { WebAuthnCeremony.timeLimit(options.timeout) }

  /// Makes a credential.
  ///
  /// After it threw it may be called again, until the node is sent.
  /// - Parameters:
  ///   - node: the node of this callback: then the outcome is written into its hidden field, for success and failure
  ///     alike. Without it, the app does that with `outcome`.
  ///   - window: what a passkey provider's dialog is attached to.
  ///   - deviceName: what the server lists the device as; nil: the configuration's, or the environment's device name.
  ///     Empty: the server names it.
  ///   - usePasskeysIfAvailable: whether the platform's passkeys are used when there are any.
  /// - Returns: the response in the standard's form, with the extensions' outputs, which the server does not see.
  /// - Throws: `AuthenticatorError`; its code decided the outcome. `credentialExcluded` when a credential that the
  ///   server excludes is here and the person agreed to tell; `busy` while a ceremony of this callback runs and
  ///   `invalidRequest` when it is answered: these change no answer.
  @discardableResult
  public func register(
    node: ContinueNode? = nil, window: (any PresentationAnchor)? = nil, deviceName: String? = nil,
    usePasskeysIfAvailable: Bool = true
  ) async throws -> RegistrationResponse {
    try await run(in: node) {
      let ceremony = try WebAuthnCeremony(
        configuration, self, challenge: options.challenge, timeout: options.timeout)
      let environment = ceremony.configuration.context.environment
      let name = deviceName ?? ceremony.configuration.deviceName ?? environment.deviceName
      if let provider = await ceremony.provider(usePasskeysIfAvailable) {
        let response = try await create(with: provider, window, ceremony)
        return (response, try answer(response, name, ceremony))
      }
      let client = try await ceremony.configuration.makeClient()
      if let delegate {
        client.authenticator.consentDelegate = DelegateConsent(delegate: delegate, environment: environment)
      }
      let response = try await client.create(options, caller: ceremony.caller)
      let outcome = try await client.authenticator.handingOver(response) { try answer(response, name, ceremony) }
      made = (client.authenticator, response.id)
      return (response, outcome)
    }
  }

  /// `register` with a configuration for this callback.
  @discardableResult
  public func register(
    _ configuration: WebAuthnJourneyConfiguration, node: ContinueNode? = nil,
    window: (any PresentationAnchor)? = nil, deviceName: String? = nil, usePasskeysIfAvailable: Bool = true
  ) async throws -> RegistrationResponse {
    self.configuration = configuration
    return try await register(
      node: node, window: window, deviceName: deviceName, usePasskeysIfAvailable: usePasskeysIfAvailable)
  }

  private func create(
    with provider: any PasskeyProvider, _ window: (any PresentationAnchor)?, _ ceremony: WebAuthnCeremony
  ) async throws -> RegistrationResponse {
    var options = options
    options.relyingParty.id = try ceremony.relyingPartyID(options.relyingParty.id)
    let request = PasskeyRequest(window: window, deadline: ceremony.deadline)
    return try await ceremony.race { [options] in try await provider.create(options, request) }
  }

  private func answer(
    _ response: RegistrationResponse, _ name: String, _ ceremony: WebAuthnCeremony
  ) throws -> WebAuthnOutcome {
    let outcome = try WebAuthnOutcome(response, deviceName: name, asJSON: supportsJSONResponse)
    try ceremony.spendChallenge()
    return outcome
  }

  // MARK: The server's verdict

  /// A new credential awaits it; the answer itself stands in the hidden field.
  public override var awaitsOutcome: Bool { made != nil }

  /// A node that asks for a credential of this account again, and does not exclude the new one, has not accepted it.
  public override func isAskedAgain(by node: ContinueNode) -> Bool {
    node.callbacks(WebAuthnRegistrationCallback.self).contains { next in
      next.userID == userID && next.options.relyingParty.id == options.relyingParty.id
        && !next.options.excludeCredentials.contains { $0.id == made?.id }
    }
  }

  /// Takes a refused credential back. One of unknown fate stays: it may be on the server's list.
  public override func stepEnded(_ outcome: StepOutcome) async throws {
    guard let (authenticator, id) = made else { return }
    made = nil
    if case .refused = outcome { try await authenticator.withdraw(id) }
  }
}
