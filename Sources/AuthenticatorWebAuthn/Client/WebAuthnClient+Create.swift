internal import AuthenticatorCoding
internal import AuthenticatorCore

extension WebAuthnClient {
  /// Makes a credential (WebAuthn Level 3 section 5.1.3).
  ///
  /// - Throws: `WebAuthnError`: TypeError for options out of range; SecurityError; NotSupportedError when no algorithm
  ///   or extension input is supported; ConstraintError when the authenticator cannot do what is required;
  ///   InvalidStateError, after the person agreed, when an excluded credential is here; AbortError; NotAllowedError for
  ///   everything else.
  public func create(
    _ options: PublicKeyCredentialCreationOptions, caller: WebAuthnCaller, mediation: WebAuthnMediation = .optional
  ) async throws -> RegistrationResponse {
    do {
      let (isConditional, deadline) = (mediation == .conditional, deadline(options.timeout))
      return try await gate.run(
        isConditional: isConditional, until: deadline, in: environment,
        late: { [authenticator] response in
          // Nobody will ever know it.
          do { try await authenticator.withdraw(response.id) } catch {}
        },
        { [self] _ in try await register(options, caller, isConditional: isConditional, until: deadline) })
    } catch { throw WebAuthnError(error, told: .create) }
  }

  private func register(
    _ options: PublicKeyCredentialCreationOptions, _ caller: WebAuthnCaller, isConditional: Bool,
    until deadline: Duration
  ) async throws -> RegistrationResponse {
    // 1. A frame of another origin needs the person's action, and never creates in the background.
    if caller.topOrigin != nil, isConditional || !caller.hasUserActivation {
      throw WebAuthnError(.notAllowed, "a frame of another origin may not create a credential like this")
    }
    // 2. The time limit runs already. 3. The user handle's length is checked by its type.
    try checkChallenge(options.challenge)
    // 4. to 6. Origin and relying party ID.
    let id = try await relyingPartyID(options.relyingParty.id, caller, until: deadline)
    // 7. Algorithms.
    let parameters = options.effectiveParameters
    guard !parameters.isEmpty else { throw WebAuthnError(.notSupported, "no entry of a supported type") }
    // 8. Extensions.
    let canVerify = await canVerify()
    let extensions = try RegistrationClientExtensions(options.extensions, canVerify: canVerify) {
      isAppIDAllowed($0, caller)
    }
    // 9. Client data.
    let clientData = try clientData(.create, options.challenge, caller)
    // 10. Withdrawn already?
    try authenticator.checkGoingOn(until: deadline, "create")

    // 11. Does the authenticator suit?
    let selection = options.authenticatorSelection
    if let attachment = selection.authenticatorAttachment?.ifKnown, attachment != .platform {
      throw WebAuthnError(.notAllowed, "no authenticator of the required attachment")
    }
    let requireResidentKey =
      switch selection.effectiveResidentKey {
      case .required: true
      case .preferred: authenticator.configuration.supportsDiscoverableCredentials
      default: false
      }
    var requireUserVerification =
      selection.effectiveUserVerification == .required
      || (selection.effectiveUserVerification == .preferred && canVerify)
    if isConditional {
      try checkRecentSignIn(id, caller)
      guard selection.effectiveUserVerification != .required else {
        throw WebAuthnError(.constraint, "the person cannot be verified in the background")
      }
      requireUserVerification = false
    } else if extensions.needsVerification {
      requireUserVerification = true
    }

    // 12. and 13. Ask the authenticator; without attestation, it is told not to attest.
    var request = MakeCredentialRequest(
      clientDataHash: clientData.hash, relyingPartyID: id, relyingPartyName: options.relyingParty.name,
      user: options.user, requireResidentKey: requireResidentKey, requireUserPresence: !isConditional,
      requireUserVerification: requireUserVerification, parameters: parameters,
      excludeCredentials: options.excludeCredentials.filter { $0.type.ifKnown != nil },
      attestationFormats: options.effectiveAttestation == .none ? [.none] : options.attestationFormats,
      extensions: extensions.inputs, deadline: deadline)
    request.excludedAppID = extensions.excludedAppID
    // 14. Errors are named where the request ends.
    let result = try await authenticator.makeCredential(request)

    // 15. Answer.
    return RegistrationResponse(
      id: result.credential.id, authenticatorAttachment: .platform,
      clientExtensionResults: extensions.outputs(result, requireResidentKey: requireResidentKey),
      clientDataJSON: clientData.rawBytes, attestationObject: result.attestationObject.rawBytes,
      transports: [.internal])
  }

  /// Conditional create is for the moment after signing in.
  private func checkRecentSignIn(_ id: String, _ caller: WebAuthnCaller) throws {
    guard let time = signIns[caller.origin + " " + id],
      environment.uptime() - time <= configuration.conditionalCreateWindow
    else { throw WebAuthnError(.notAllowed, "nobody has signed in here a moment ago") }
  }
}
