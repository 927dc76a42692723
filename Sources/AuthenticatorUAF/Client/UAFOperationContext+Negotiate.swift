import AuthenticatorCore

/// What an operation will do, decided before anything is shown or made.
enum UAFOperationPlan: Sendable {
  case register(UAFRegistrationRequest, UAFOperationContext.Candidates)
  case authenticate(UAFAuthenticationRequest, UAFOperationContext.Candidates, UAFTransactionForms)
  case deregister(UAFDeregistrationRequest)
}

extension UAFOperationContext {
  /// Finds the version to answer in: the highest that the message, this client and authenticators that the message's
  /// policy admits have in common (FIDO UAF Protocol, section "Version Negotiation").
  /// - Parameters:
  ///   - kind: what the message must ask for; nil: it may be anything.
  ///   - settles: whether keys are taken into use that the message tells to be accepted.
  /// - Throws: why the message cannot be answered in its highest version, if it can be in none.
  static func negotiate(
    _ client: UAFClient, _ message: UAFMessage, of kind: UAFOperation? = nil, facetID: String,
    channelBinding: ChannelBinding = ChannelBinding(), extras: UAFExtras = UAFExtras(), settles: Bool = false
  ) async throws -> (operation: UAFOperationContext, plan: UAFOperationPlan) {
    guard !message.uafProtocolMessage.isEmpty else { throw MessageMembers.error("message", "is empty") }
    let entries = try UAFRequestEntries(message.uafProtocolMessage)
    var failure: AuthenticatorError?
    for read in entries.requests(client.lastPolicy) {
      do {
        let request = try read()
        guard request.header.op == kind ?? request.header.op else {
          throw AuthenticatorError(.invalidRequest, stage: "uaf.client", reason: "the message asks for something else")
        }
        let operation = try await UAFOperationContext(
          client, request, facetID: facetID, channelBinding: channelBinding, extras: extras)
        if settles, case .registration(let request) = request {
          try await operation.confirmKeys(namedBy: request.policy)
        }
        return (operation, try await operation.plan())
      } catch let error as AuthenticatorError where leadsToOtherVersions(error.code) {
        if failure == nil || failure?.code == .unsupportedVersion { failure = error }
      }
    }
    throw failure ?? AuthenticatorError(.unsupportedVersion, stage: "uaf.message")
  }

  private static func leadsToOtherVersions(_ code: AuthenticatorError.Code) -> Bool {
    [.unsupportedVersion, .noSuitableAuthenticator, .keyAccessDenied, .keyInvalidated].contains(code)
  }

  private func plan() async throws -> UAFOperationPlan {
    switch request {
    case .registration(let request):
      var found = try await candidates(request.policy, isRegistration: true)
      // Those that are full, or can verify nobody, take no place among the ways that are tried; when all are, the first
      // one's reason is the answer.
      found.choices = found.choices(for: request.policy) {
        found[$0].information.isReady && hasRoom($0, of: found, request.username)
      }
      if found.choices.isEmpty { found.choices = found.choices(for: request.policy) }
      guard !found.choices.isEmpty else { throw Self.nothingAdmitted }
      try client.configuration.context.keyStore.checkWritable()
      return .register(request, found)
    case .authentication(let request):
      return try await plan(request)
    case .deregistration(let request): return .deregister(request)
    }
  }

  private func plan(_ request: UAFAuthenticationRequest) async throws -> UAFOperationPlan {
    var found = try await candidates(request.policy, isRegistration: false)
    // That nothing can be shown is the answer only where an authenticator is admitted.
    let forms = Result { try UAFTransactionForms(request.transaction, display: client.display) }
    let known = try? forms.get()
    let canServe = { found.signers(of: $0) != nil }
    found.choices = found.choices(for: request.policy, together: canServe) {
      found[$0].information.isReady && found.obstacle(to: $0, known) == nil
    }
    if found.choices.isEmpty {
      // Where nobody can be verified at all, the first one says why.
      found.choices = found.choices(for: request.policy, together: canServe) { found.obstacle(to: $0, known) == nil }
    }
    if found.choices.isEmpty {
      // Keys that a changed enrolled set has ended still answer, by saying so.
      for index in found.all.indices {
        found.all[index].gone = try await module.goneKeys(found.all[index].authenticator.model.aaid, tokens)
      }
      // Without a choice that could answer, the first one says why it cannot: before anything is shown.
      guard let first = found.choices(for: request.policy).first else { throw Self.nothingAdmitted }
      throw found.obstacle(to: first, try forms.get()) ?? Self.nothingAdmitted
    }
    let shown = try forms.get()
    if !shown.isEmpty {
      // Each member shows some form; a choice needs one that all of them show.
      found.choices = found.choices.filter { found.form(for: $0, shown) != nil }
      guard !found.choices.isEmpty else { throw Candidates.unseen }
    }
    // Every key's counter must be written down before it signs.
    try client.configuration.context.keyStore.checkWritable()
    return .authenticate(request, found, shown)
  }

  private static var nothingAdmitted: AuthenticatorError {
    AuthenticatorError(.noSuitableAuthenticator, stage: "uaf.policy", reason: "the policy admits nothing here")
  }

  private func hasRoom(_ member: PolicyChoice.Member, of found: Candidates, _ username: String) -> Bool {
    module.hasRoom(found[member].keys, found[member].authenticator, username: username, tokens)
  }

  /// Whether a registration could find room in one of the choices; for `checkPolicy`.
  func checkRoom(_ request: UAFRegistrationRequest, _ found: Candidates) throws {
    let isRoom = found.choices.contains { choice in
      choice.members.allSatisfy { hasRoom($0, of: found, request.username) }
    }
    guard isRoom else { throw AuthenticatorError(.insufficientAuthenticatorResources, stage: "uaf.policy") }
  }
}
