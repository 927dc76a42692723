import AuthenticatorCore

extension UAFOperationContext {
  /// Signs with a key of every authenticator of the chosen set (FIDO UAF Protocol, section "Authentication Request
  /// Processing Rules for FIDO UAF Client").
  func authenticate(_ request: UAFAuthenticationRequest) async throws -> UAFResponse {
    var found = try await candidates(request.policy, isRegistration: false)
    let transaction = try transaction(of: request)
    found.choices = usable(found, transaction)
    let challenge = finalChallenge(request.challenge)
    let texts = client.configuration.texts
    let command = command(
      challenge, prompt: prompt(transaction == nil ? texts.authentication : texts.transaction, offersFallback: true))
    let choices = try await ordered(found)
    try checkKeys(of: choices, in: found, isTransaction: transaction != nil)
    if let transaction { try await approve(transaction) }
    var failure: AuthenticatorError?
    for choice in choices {
      do {
        var assertions: [UAFResponse.Assertion] = []
        for member in choice.members {
          let assertion = try await sign(member, of: found, command, transaction?.content)
          assertions.append(UAFResponse.Assertion(assertion: assertion))
        }
        return UAFResponse(header: request.header, fcParams: challenge.text, assertions: assertions)
      } catch let error as AuthenticatorError where Self.leadsOn(error.code) {
        failure = failure ?? error
      }
    }
    throw failure ?? AuthenticatorError(.noSuitableAuthenticator, stage: "uaf.authenticate")
  }

  /// The choices that could answer: those with a key for every member, if there are any. Without one, the first choice
  /// stays and says why it cannot.
  private func usable(_ found: Candidates, _ transaction: UAFTransaction?) -> [PolicyChoice] {
    let usable = found.choices.filter { choice in
      hasKeys(choice, in: found)
        && choice.members.allSatisfy { transaction == nil || !found.information[$0.candidate].tcDisplay.isEmpty }
    }
    return usable.isEmpty ? Array(found.choices.prefix(1)) : usable
  }

  /// Whether there is a key for every member.
  func hasKeys(_ choice: PolicyChoice, in found: Candidates) -> Bool {
    choice.members.allSatisfy { !keys(of: $0, in: found).isEmpty }
  }

  /// The keys of a member, of which the named ones if the criterion names some. A key whose server has not answered yet
  /// is used when it is named, which is the answer, or when no other is there.
  private func keys(of member: PolicyChoice.Member, in found: Candidates) -> [RegisteredKey] {
    let keys = found.keys[member.candidate]
    if let named = member.keyIDs { return keys.filter { named.contains($0.handle.keyID) } }
    if found.information[member.candidate].isSecondFactorOnly { return [] }
    let active = keys.filter { $0.record.state == .active }
    return active.isEmpty ? keys.filter { !$0.record.details.isEmpty } : active
  }

  /// Refuses before anything is shown what could not be signed afterwards.
  private func checkKeys(of choices: [PolicyChoice], in found: Candidates, isTransaction: Bool) throws {
    for member in choices.first?.members ?? [] {
      guard !keys(of: member, in: found).isEmpty else { throw absence(of: member, in: found) }
      guard !isTransaction || !found.information[member.candidate].tcDisplay.isEmpty else {
        throw AuthenticatorError(
          .keyAccessDenied, stage: "uaf.transaction", reason: "this authenticator confirms no transactions")
      }
    }
  }

  /// Whether a key was there once and a changed enrolled set has ended it.
  private func absence(of member: PolicyChoice.Member, in found: Candidates) -> AuthenticatorError {
    let gone = found.gone[member.candidate]
    let isGone = member.keyIDs?.contains(where: gone.contains) ?? !gone.isEmpty
    return AuthenticatorError(isGone ? .keyInvalidated : .keyAccessDenied, stage: "uaf.authenticate")
  }

  // MARK: Signing

  private func sign(
    _ member: PolicyChoice.Member, of found: Candidates, _ command: SealedAuthenticator.Command,
    _ transaction: [UInt8]?
  ) async throws -> [UInt8] {
    let authenticator = found.authenticators[member.candidate]
    let keys = newestByUser(keys(of: member, in: found))
    guard let first = keys.first else { throw absence(of: member, in: found) }
    var key = first
    var ticket: VerificationTicket?
    if keys.count > 1, !found.information[member.candidate].isSecondFactorOnly {
      // Names are shown to a verified person only; a PIN is one user's own, so there the name comes first.
      if !keys.contains(where: { $0.record.access.gate.isSecret }) {
        do {
          ticket = try await authenticator.verify(command, for: keys)
        } catch {
          throw try await module.judged(error, key)
        }
      }
      key = try await chooseUser(keys)
    }
    let assertion = try await module.sign(
      command, with: authenticator, key: key, ticket: ticket, transaction: transaction)
    try await settle(key, isNamed: member.keyIDs != nil)
    return assertion
  }

  /// A key that its server names is accepted.
  private func settle(_ key: RegisteredKey, isNamed: Bool) async throws {
    guard isNamed, key.record.state == .staged else { return }
    try await module.confirm(key)
  }

  /// One key for each user name, the most recently registered.
  private func newestByUser(_ keys: [RegisteredKey]) -> [RegisteredKey] {
    var newest: [RegisteredKey] = []
    for key in keys {
      if let index = newest.firstIndex(where: { $0.handle.username == key.handle.username }) {
        newest[index] = key
      } else {
        newest.append(key)
      }
    }
    return newest
  }

  private func chooseUser(_ keys: [RegisteredKey]) async throws -> RegisteredKey {
    guard let responder = client.configuration.responder else {
      throw AuthenticatorError(.notInteractive, stage: "uaf.choice", reason: "several users, and nobody to ask")
    }
    let texts = client.configuration.texts
    let question = ChoiceQuestion(
      options: keys.map(\.handle.username), prompt: Prompt(reason: texts.chooseUser, cancelTitle: texts.cancelTitle),
      deadline: deadline)
    let chosen = try await waiting { try await responder.choose(question) }
    guard let key = keys.first(where: { $0.handle.username == chosen }) else {
      throw AuthenticatorError(.invalidRequest, stage: "uaf.choice", reason: "the answer is none of the options")
    }
    return key
  }

  // MARK: Transactions

  /// The one form of the transaction that is shown; nil: there is none.
  /// - Throws: `invalidTransactionContent` when no form can be shown; `noSuitableAuthenticator` is left to the policy.
  private func transaction(of request: UAFAuthenticationRequest) throws -> UAFTransaction? {
    guard !request.transaction.isEmpty else { return nil }
    guard let display = client.display else {
      throw AuthenticatorError(.notInteractive, stage: "uaf.transaction", reason: "there is nothing to show it with")
    }
    var failure: (any Error)?
    for form in request.transaction {
      do {
        let content = try form.displayed()
        if case .png = content, !display.displaysImages {
          throw UAFTransaction.invalid("is a picture, and none can be shown")
        }
        return form
      } catch {
        failure = failure ?? error
      }
    }
    throw failure ?? UAFTransaction.invalid("has no form that can be shown")
  }

  /// Shows the content; an earlier verification does not replace the answer.
  private func approve(_ transaction: UAFTransaction) async throws {
    guard let display = client.display else {
      throw AuthenticatorError(.notInteractive, stage: "uaf.transaction")
    }
    let content = try transaction.displayed()
    let (prompt, deadline) = (prompt(client.configuration.texts.transaction), deadline)
    guard try await waiting({ try await display.approve(content, prompt: prompt, deadline: deadline) }) else {
      throw AuthenticatorError(.userCanceled, stage: "uaf.transaction", reason: "the person refused")
    }
  }
}

extension KeyAccess.Gate {
  /// Whether a PIN opens it.
  var isSecret: Bool {
    if case .secret = self { true } else { false }
  }
}
