import AuthenticatorCore

extension UAFOperationContext {
  /// Makes a key with every authenticator of the chosen set (FIDO UAF Protocol, section "Registration Request
  /// Processing Rules for FIDO UAF Client"). The keys stay staged until the server's status is known.
  func register(_ request: UAFRegistrationRequest, _ found: Candidates) async throws -> UAFResponse {
    let challenge = finalChallenge(request.challenge)
    let choices = try await ordered(found.choices, of: found, isRegistration: true)
    let tokens = try await module.makeTokens(of: application)
    let prompt = prompt(client.configuration.texts.registration)
    var failure: AuthenticatorError?
    for choice in choices {
      // A set of its own for each choice: what is left of one that failed says nothing about the keys of the next.
      let set = choice.members.count > 1 ? try client.environment.random(16) : []
      let command = command(challenge, prompt: prompt, set: set)
      do {
        for member in choice.members { try await found[member].authenticator.checkEnrollmentIsReadable() }
      } catch let error as AuthenticatorError where error.code == .enrollmentStateUnreadable {
        // Nobody was asked yet.
        failure = failure ?? error
        continue
      }
      do {
        return try await register(request, with: choice, of: found, command, tokens, challenge)
      } catch let error as AuthenticatorError where Self.leadsOn(error.code) {
        // Another authenticator that the policy admits may have room, or be there.
        failure = failure ?? error
      }
    }
    throw failure ?? AuthenticatorError(.noSuitableAuthenticator, stage: "uaf.register")
  }

  /// Whether the next choice is tried instead.
  static func leadsOn(_ code: AuthenticatorError.Code) -> Bool {
    [.insufficientAuthenticatorResources, .verifierUnavailable].contains(code)
  }

  private func register(
    _ request: UAFRegistrationRequest, with choice: PolicyChoice, of found: Candidates,
    _ command: SealedAuthenticator.Command, _ tokens: AccessTokens, _ challenge: FinalChallengeParameters
  ) async throws -> UAFResponse {
    var made: [RegisteredKey] = []
    var assertions: [UAFResponse.Assertion] = []
    do {
      for member in choice.members {
        let authenticator = found[member].authenticator
        let information = found[member].information
        let type =
          member.attestationTypes?.first { information.attestationTypes.contains($0) }
          ?? information.attestationTypes.first
        guard let type else {
          throw AuthenticatorError(.unsupported, stage: "uaf.register", reason: "the model has no attestation")
        }
        let (assertion, key) = try await module.register(
          command, with: authenticator, username: request.username, attestationType: type, tokens)
        made.append(key)
        assertions.append(
          UAFResponse.Assertion(
            assertion: assertion, tcDisplayPNGCharacteristics: information.tcDisplayPNGCharacteristics))
      }
      try await module.noteResponse(to: made)
    } catch {
      // All or none: the server would accept no part of a set.
      await module.discard(made)
      throw error
    }
    return UAFResponse(header: self.request.header, fcParams: challenge.text, assertions: assertions)
  }

  /// Takes keys into use that wait for their server's word and that the message wants no second time: it knows them.
  func confirmKeys(namedBy policy: UAFPolicy) async throws {
    guard policy.disallowed.contains(where: { $0.keyIDs != nil }) else { return }
    let named = try await module.keys(tokens).filter { key in
      key.record.state == .staged && !key.record.details.isEmpty
        && policy.disallowed.contains { criteria in
          criteria.keyIDs?.contains(key.handle.keyID) == true && criteria.aaid?.contains(key.handle.aaid) ?? true
        }
    }
    for key in named { try await module.confirm(key, tokens) }
  }

  /// Forgets keys; nothing is asked, and nothing tells whether they were there.
  func deregister(_ request: UAFDeregistrationRequest) async throws {
    for scope in request.authenticators { try await module.deregister(scope, tokens) }
  }
}
