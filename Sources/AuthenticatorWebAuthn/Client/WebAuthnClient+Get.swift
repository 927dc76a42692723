internal import AuthenticatorCoding
internal import AuthenticatorCore

extension WebAuthnClient {
  /// Signs in (WebAuthn Level 3 section 5.1.4).
  ///
  /// - Parameter credential: the only credential to be used, when the person has chosen it already; nil: any that the
  ///   options allow.
  /// - Throws: `WebAuthnError`: TypeError for options out of range; SecurityError; NotSupportedError or SyntaxError for
  ///   extension inputs; AbortError; NotAllowedError for everything else.
  public func get(
    _ options: PublicKeyCredentialRequestOptions, caller: WebAuthnCaller, mediation: WebAuthnMediation = .optional,
    credential: CredentialID? = nil
  ) async throws -> AuthenticationResponse {
    do {
      let isConditional = mediation == .conditional
      let deadline = isConditional ? forever : deadline(options.timeout)
      let (response, id) = try await gate.run(isConditional: isConditional, until: deadline, in: environment) {
        [self] limit in try await authenticate(options, caller, mediation, credential, until: deadline, limit)
      }
      signIns[caller.origin + " " + id] = environment.uptime()
      return response
    } catch { throw WebAuthnError(error, told: .get) }
  }

  /// When a request without a time limit would end.
  private var forever: Duration { environment.uptime() + .seconds(1_000_000_000) }

  /// - Parameter limit: sets another end than `deadline`.
  /// - Returns: the answer, and the relying party ID that it is for.
  private func authenticate(
    _ options: PublicKeyCredentialRequestOptions, _ caller: WebAuthnCaller, _ mediation: WebAuthnMediation,
    _ credential: CredentialID?, until deadline: Duration, _ limit: (Duration) -> Void
  ) async throws -> (AuthenticationResponse, String) {
    // The time limit, which without one holds for looking the origin up alone; origin and relying party ID.
    let deadline = min(deadline, self.deadline(options.timeout))
    try checkChallenge(options.challenge)
    let id = try await relyingPartyID(options.relyingPartyID, caller, until: deadline)
    // A list of which nothing is understood is no empty list.
    let allowed = options.allowCredentials.filter { $0.type.ifKnown != nil }
    guard options.allowCredentials.isEmpty || !allowed.isEmpty else {
      throw WebAuthnError(.notAllowed, "no allowed credential of a supported type")
    }
    // Extensions and client data.
    let canVerify = await canVerify()
    let extensions = try AuthenticationClientExtensions(
      options.extensions, allowCredentials: allowed, canVerify: canVerify
    ) { isAppIDAllowed($0, caller) }
    let clientData = try clientData(.get, options.challenge, caller)
    try authenticator.checkGoingOn(until: deadline, "get")

    let verification = options.effectiveUserVerification
    var request = GetAssertionRequest(
      relyingPartyID: id, clientDataHash: clientData.hash, allowCredentials: allowed,
      chosenCredential: credential,
      requireUserVerification: verification == .required || (verification == .preferred && canVerify)
        || extensions.needsVerification,
      extensions: extensions.inputs, appID: extensions.appID, concealsAbsence: mediation != .immediate,
      deadline: deadline)
    if mediation == .conditional {
      let chosen = try await suggest(allowed, id, credential)
      request.allowCredentials = [PublicKeyCredentialDescriptor(id: chosen)]
      request.deadline = self.deadline(options.timeout)
      limit(request.deadline)
    }
    let result = try await authenticator.getAssertion(request)

    // Without a list the server learns from the user handle alone who signed in.
    guard !allowed.isEmpty || result.userHandle != nil else {
      throw WebAuthnError(.notAllowed, "the credential tells no user")
    }
    let response = AuthenticationResponse(
      id: result.credentialID, authenticatorAttachment: .platform,
      clientExtensionResults: extensions.outputs(result), clientDataJSON: clientData.rawBytes,
      authenticatorData: result.authenticatorData, signature: result.signature, userHandle: result.userHandle)
    return (response, id)
  }

  /// Conditional mediation: offers the discoverable credentials, narrowed down by the list, until one is chosen.
  /// Without any, waits all the same, so that nothing is learned from the answer.
  private func suggest(
    _ allowed: [PublicKeyCredentialDescriptor], _ id: String, _ credential: CredentialID?
  ) async throws -> CredentialID {
    guard let delegate = authenticator.selectionDelegate else {
      throw AuthenticatorError(.notInteractive, stage: "select", reason: "nothing suggests credentials")
    }
    let names = Set(allowed.map(\.id))
    let candidates = try await authenticator.credentials(of: id).filter {
      !$0.isHidden && (names.isEmpty || names.contains($0.id)) && (credential ?? $0.id) == $0.id
        && authenticator.canOpen($0.record)
    }
    let forever = forever
    let answer = try await IsolatedRace.run(until: forever, in: environment, stage: "select") { [environment] in
      if candidates.isEmpty { try await environment.sleep(forever) }
      return try await delegate.selectCredential(among: candidates, deadline: forever)
    }
    guard let chosen = candidates.first(where: { $0.id == answer }) else {
      throw AuthenticatorError(.userCanceled, stage: "select")
    }
    return chosen.id
  }
}
