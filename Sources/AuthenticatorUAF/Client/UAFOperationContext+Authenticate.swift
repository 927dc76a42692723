import AuthenticatorCoding
import AuthenticatorCore

extension UAFOperationContext {
  /// Signs with a key of every authenticator of the chosen set (FIDO UAF Protocol, section "Authentication Request
  /// Processing Rules for FIDO UAF Client").
  func authenticate(
    _ request: UAFAuthenticationRequest, _ found: Candidates, _ forms: UAFTransactionForms
  ) async throws -> UAFResponse {
    let challenge = finalChallenge(request.challenge)
    let texts = client.configuration.texts
    let command = command(
      challenge, prompt: prompt(forms.isEmpty ? texts.authentication : texts.transaction, offersFallback: true))
    var found = found
    var failure: AuthenticatorError?
    var approved: UAFTransactionForms.Form?
    for choice in try await ordered(found.choices, of: found, isRegistration: false) {
      do {
        try await lookAhead(choice, in: &found, isShown: !forms.isEmpty)
      } catch let error as AuthenticatorError where error.code == .enrollmentStateUnreadable {
        // Nobody was asked yet.
        failure = failure ?? error
        continue
      }
      if let form = found.form(for: choice, forms), form != approved {
        try await approve(form)
        approved = form
      }
      do {
        let assertions = try await sign(choice, of: found, command, approved?.transaction.content)
        return UAFResponse(header: self.request.header, fcParams: challenge.text, assertions: assertions)
      } catch let error as AuthenticatorError where Self.leadsOn(error.code) {
        failure = failure ?? error
      }
    }
    throw failure ?? AuthenticatorError(.noSuitableAuthenticator, stage: "uaf.authenticate")
  }

  // MARK: Signing

  /// One assertion of every member; the same user's, who is asked for once.
  private func sign(
    _ choice: PolicyChoice, of found: Candidates, _ command: SealedAuthenticator.Command, _ transaction: [UInt8]?
  ) async throws -> [UAFResponse.Assertion] {
    guard let signers = found.signers(of: choice) else { throw Candidates.divided }
    var assertions: [UAFResponse.Assertion] = []
    var user: String?
    for (member, keys) in zip(choice.members, signers) {
      let authenticator = found.all[member.candidate].authenticator
      guard let first = keys.first else { throw found.absence(of: member) }
      var key = first
      var ticket: VerificationTicket?
      if keys.count > 1 {
        if let own = user.flatMap({ user in keys.first { $0.handle.username.isIdentical(to: user) } }) {
          key = own
        } else if !found.all[member.candidate].information.isSecondFactorOnly {
          // Names are shown to a verified person only; a PIN is one user's own, so there the name comes first.
          if !keys.contains(where: { $0.record.access.gate.isSecret }) {
            do {
              ticket = try await authenticator.verify(command, for: keys)
            } catch {
              throw try await module.judged(error, key, tokens)
            }
          }
          key = try await chooseUser(keys)
        }
      }
      if user == nil, !key.handle.username.isEmpty { user = key.handle.username }
      let assertion = try await module.sign(
        command, with: authenticator, key: key, ticket: ticket, transaction: transaction, tokens)
      try await settle(key, isNamed: member.keyIDs != nil)
      assertions.append(UAFResponse.Assertion(assertion: assertion))
    }
    return assertions
  }

  /// A key that its server names is accepted.
  private func settle(_ key: RegisteredKey, isNamed: Bool) async throws {
    guard isNamed, key.record.state == .staged else { return }
    try await module.confirm(key, tokens)
  }

  private func chooseUser(_ keys: [RegisteredKey]) async throws -> RegisteredKey {
    guard let responder = client.configuration.responder else {
      throw AuthenticatorError(.notInteractive, stage: "uaf.choice", reason: "several users, and nobody to ask")
    }
    let question = ChoiceQuestion(
      options: keys.map(\.handle.username), prompt: prompt(client.configuration.texts.chooseUser), deadline: deadline)
    let chosen = try await waiting { try await responder.choose(question) }
    guard let key = keys.first(where: { $0.handle.username.isIdentical(to: chosen) }) else {
      throw AuthenticatorError(.invalidRequest, stage: "uaf.choice", reason: "the answer is none of the options")
    }
    return key
  }

  // MARK: Transactions

  /// Shows the content; an earlier verification does not replace the answer.
  private func approve(_ form: UAFTransactionForms.Form) async throws {
    guard let display = client.display else {
      throw AuthenticatorError(.notInteractive, stage: "uaf.transaction")
    }
    let (prompt, deadline) = (prompt(client.configuration.texts.transaction), deadline)
    guard try await waiting({ try await display.approve(form.content, prompt: prompt, deadline: deadline) }) else {
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
