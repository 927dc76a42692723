import AuthenticatorCore

extension UAFOperationContext {
  /// One authenticator that a policy may mean, with the keys of the application.
  struct Candidate: Sendable {
    let authenticator: SealedAuthenticator
    let information: UAFAuthenticatorInformation
    /// Keys that their model opens as it is configured now.
    var keys: [RegisteredKey]
    /// Keys that were made when their model was configured otherwise; of registrations they are among the others.
    var outdated: [RegisteredKey] = []
    /// Keys that a changed enrolled set has ended; looked for only when no other answers.
    var gone: Set<UAFKeyID> = []

    func knows(_ keyID: UAFKeyID) -> Bool {
      keys.contains { $0.handle.keyID == keyID } || outdated.contains { $0.handle.keyID == keyID }
        || gone.contains(keyID)
    }
  }

  /// The authenticators that a policy may mean, and the choices among them.
  struct Candidates: Sendable {
    var all: [Candidate] = []
    /// The usable ways of serving the policy, in the order in which they are tried.
    var choices: [PolicyChoice] = []

    subscript(member: PolicyChoice.Member) -> Candidate { all[member.candidate] }

    /// The ways of serving a policy, by the keys that are known.
    /// - Parameter isUsable: what cannot answer takes no place among the ways that are looked at.
    func choices(
      for policy: UAFPolicy, where isUsable: (PolicyChoice.Member) -> Bool = { _ in true }
    ) -> [PolicyChoice] {
      choices(for: policy, together: { _ in true }, where: isUsable)
    }

    /// - Parameter areUsable: whether the members of a set could answer together; others take no place either.
    func choices(
      for policy: UAFPolicy, together areUsable: (PolicyChoice) -> Bool, where isUsable: (PolicyChoice.Member) -> Bool
    ) -> [PolicyChoice] {
      PolicyMatcher.choices(for: policy, among: all.indices, where: isUsable, together: areUsable) { criteria, index in
        PolicyMatcher.matches(criteria, all[index].information, hasKey: all[index].knows)
      }
    }

    // MARK: Signing

    /// The keys of a member, of which the named ones if the criterion names some. A key whose server has not answered
    /// yet is used when it is named, which is the answer, or when its user has no other.
    func keys(of member: PolicyChoice.Member) -> [RegisteredKey] {
      let keys = all[member.candidate].keys
      if let named = member.keyIDs { return keys.filter { named.contains($0.handle.keyID) } }
      if all[member.candidate].information.isSecondFactorOnly { return [] }
      if keys.count == 1 { return keys[0].isOffered ? keys : [] }
      return keys.filter { key in
        guard key.record.state != .active else { return key.isOffered }
        return key.isOffered && !keys.contains { $0.record.state == .active && $0.isOfUser(of: key) }
      }
    }

    /// Why a member could not sign; nil: it could. Known before anything is shown.
    /// - Parameter forms: what must be shown; nil: that is not known.
    func obstacle(to member: PolicyChoice.Member, _ forms: UAFTransactionForms?) -> AuthenticatorError? {
      let keys = all[member.candidate].keys
      let hasKeys =
        if let named = member.keyIDs {
          keys.contains { named.contains($0.handle.keyID) }
        } else {
          !all[member.candidate].information.isSecondFactorOnly && keys.contains(where: \.isOffered)
        }
      guard hasKeys else { return absence(of: member) }
      guard let forms, !forms.isEmpty else { return nil }
      let candidate = self[member]
      guard candidate.authenticator.model.behavior.level > .none, !candidate.information.tcDisplay.isEmpty else {
        return AuthenticatorError(
          .keyAccessDenied, stage: "uaf.transaction", reason: "this authenticator confirms no transactions")
      }
      return forms.form(for: [candidate.information]) == nil ? Self.unseen : nil
    }

    /// Why a choice could not answer; nil: it could.
    func obstacle(to choice: PolicyChoice, _ forms: UAFTransactionForms) -> AuthenticatorError? {
      for member in choice.members {
        if let obstacle = obstacle(to: member, forms) { return obstacle }
      }
      if signers(of: choice) == nil { return Self.divided }
      return forms.isEmpty || form(for: choice, forms) != nil ? nil : Self.unseen
    }

    /// The form of a transaction that every member of a choice shows.
    func form(for choice: PolicyChoice, _ forms: UAFTransactionForms) -> UAFTransactionForms.Form? {
      forms.isEmpty ? nil : forms.form(for: choice.members.map { self[$0].information })
    }

    static var unseen: AuthenticatorError {
      UAFTransaction.invalid("has no form that these authenticators show")
    }

    /// Why there is no key for a member: a changed enrolled set has ended it, its model was configured otherwise when
    /// it was made, or it never was there.
    func absence(of member: PolicyChoice.Member) -> AuthenticatorError {
      let candidate = self[member]
      if member.keyIDs?.contains(where: candidate.gone.contains) ?? !candidate.gone.isEmpty {
        return AuthenticatorError(.keyInvalidated, stage: "uaf.authenticate")
      }
      var reason = ""
      if member.keyIDs == nil, candidate.information.isSecondFactorOnly {
        reason = "a second factor signs only with a key that the server names"
      } else if candidate.outdated.contains(where: { member.keyIDs?.contains($0.handle.keyID) ?? true })
        || member.keyIDs == nil && candidate.keys.contains(where: \.handle.username.isEmpty)
      {
        reason =
          "the configuration of \(candidate.information.aaid) has changed since the key was made, and it fits the key no more; "
          + "change it back or register again"
      }
      return AuthenticatorError(.keyAccessDenied, stage: "uaf.authenticate", reason: reason)
    }
  }

  /// Finds the authenticators that a policy may mean and the keys of the application.
  /// - Throws: `unsupportedVersion` when no authenticator is used with the message's version.
  func candidates(_ policy: UAFPolicy, isRegistration: Bool) async throws -> Candidates {
    try check(policy)
    let keys = try await module.keys(tokens)
    var found = Candidates()
    var isAnyOfAnotherVersion = false
    for one in module.authenticators where policy.mayAdmit(one.model.aaid) {
      let displaysImages = isRegistration ? client.advertisesImages : module.displaysImages
      guard let information = await one.information(displaysImages: displaysImages) else { continue }
      guard information.supportedUAFVersions.contains(request.header.upv) else {
        isAnyOfAnotherVersion = true
        continue
      }
      var candidate = Candidate(
        authenticator: one, information: information, keys: keys.filter { $0.handle.aaid == one.model.aaid })
      if !isRegistration, !candidate.keys.isEmpty {
        let type = await one.keyType()
        if !candidate.keys.allSatisfy({ one.fits($0, type) }) {
          candidate.outdated = candidate.keys.filter { !one.fits($0, type) }
          candidate.keys.removeAll { !one.fits($0, type) }
        }
      }
      found.all.append(candidate)
    }
    if found.all.isEmpty, isAnyOfAnotherVersion {
      throw AuthenticatorError(.unsupportedVersion, stage: "uaf.policy", reason: "no authenticator has this version")
    }
    return found
  }

  private func check(_ policy: UAFPolicy) throws {
    guard client.configuration.isStrictAboutCriteria else { return }
    for criteria in policy.accepted.joined() where criteria.aaid == nil {
      guard criteria.authenticationAlgorithms != nil, criteria.assertionSchemes != nil else {
        throw MessageMembers.error("policy.accepted", "names neither models nor algorithms and schemes")
      }
    }
  }
}
