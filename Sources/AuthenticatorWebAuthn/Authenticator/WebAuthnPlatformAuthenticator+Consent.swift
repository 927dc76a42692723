internal import AuthenticatorCore

/// Asking, within the ceremony's time.
extension WebAuthnPlatformAuthenticator {
  /// A gesture that a negative answer has to wait for: the delegate's dialog, or else a prompt for presence.
  func agree(
    to ceremony: CeremonyDescription, _ operation: OperationID, _ deadline: Duration, owner: KeyOwner
  ) async throws {
    guard consentDelegate == nil else { return try await askDelegate(ceremony, deadline) }
    _ = try await wrapped.verify(
      VerificationRequest(
        operation: operation, level: .presence, owner: owner, prompt: configuration.makePrompt(ceremony),
        deadline: deadline, keys: []))
  }

  /// Asks the app's dialog, if there is one.
  /// - Throws: `userCanceled` for a no.
  func askDelegate(_ ceremony: CeremonyDescription, _ deadline: Duration) async throws {
    guard let delegate = consentDelegate else { return }
    let agrees = try await IsolatedRace.run(until: deadline, in: environment, stage: "consent") {
      try await delegate.consent(to: ceremony, deadline: deadline)
    }
    guard agrees else { throw AuthenticatorError(.userCanceled, stage: "consent") }
  }

  /// Lets the person choose.
  /// - Throws: `notInteractive` without a delegate; `userCanceled` for an answer that is none of the candidates.
  func choose(among candidates: [Candidate], until deadline: Duration) async throws -> Candidate {
    guard let delegate = selectionDelegate else {
      throw AuthenticatorError(
        .notInteractive, stage: "select", reason: "there are several credentials and nothing that lets a person choose")
    }
    let sources = try candidates.map { try PublicKeyCredentialSource($0.record) }
    let answer = try await IsolatedRace.run(until: deadline, in: environment, stage: "select") {
      try await delegate.selectCredential(among: sources, deadline: deadline)
    }
    guard let index = sources.firstIndex(where: { $0.id == answer }) else {
      throw AuthenticatorError(.userCanceled, stage: "select")
    }
    return candidates[index]
  }

  /// The flags that evidence bears out.
  /// - Throws: `verificationInsufficient` when it does not reach what is required.
  func flags(
    _ evidence: UserVerification?, _ attributes: CredentialAttributes, requireUserPresence: Bool,
    requireUserVerification: Bool
  ) throws -> AuthenticatorDataFlags {
    var flags: AuthenticatorDataFlags = []
    let level = evidence?.level ?? .none
    if level >= .presence { flags.insert(.userPresent) }
    if level >= .verified { flags.insert(.userVerified) }
    if attributes.flags.contains(.backupEligible) {
      flags.insert(.backupEligible)
      if configuration.isBackedUp { flags.insert(.backedUp) }
    }
    guard !requireUserPresence || flags.contains(.userPresent),
      !requireUserVerification || flags.contains(.userVerified)
    else { throw AuthenticatorError(.verificationInsufficient, stage: "flags") }
    return flags
  }
}
