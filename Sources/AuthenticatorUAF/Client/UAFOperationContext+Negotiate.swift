import AuthenticatorCore

/// What an operation will do, decided before anything is shown or made.
enum UAFOperationPlan: Sendable {
  case register(UAFRegistrationRequest, UAFOperationContext.Candidates)
  case authenticate(UAFAuthenticationRequest, UAFOperationContext.Candidates, UAFTransactionForms)
  case deregister(UAFDeregistrationRequest)
}

extension UAFOperationContext {
  /// Finds the version to answer in: the highest that the message, this client and authenticators that the message's policy
  /// admits have in common (FIDO UAF Protocol, section "Version Negotiation").
  /// - Parameter kind: what the message must ask for; nil: it may be anything.
  /// - Throws: why the message cannot be answered in its highest version, if it can be in none.
  static func negotiate(
    _ client: UAFClient, _ message: UAFMessage, of kind: UAFOperation? = nil, facetID: String,
    channelBinding: ChannelBinding = ChannelBinding(), extras: UAFExtras = UAFExtras()
  ) async throws -> (operation: UAFOperationContext, plan: UAFOperationPlan) {
    let entries = try UAFRequestEntries(message.uafProtocolMessage)
    var failure: AuthenticatorError?
    for version in entries.versions {
      do {
        let request = try entries.request(in: version)
        guard request.header.op == kind ?? request.header.op else {
          throw AuthenticatorError(.invalidRequest, stage: "uaf.client", reason: "the message asks for something else")
        }
        let operation = try await UAFOperationContext(
          client, request, facetID: facetID, channelBinding: channelBinding, extras: extras)
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
      return .register(request, try await candidates(request.policy, isRegistration: true))
    case .authentication(let request):
      var found = try await candidates(request.policy, isRegistration: false)
      let forms = try UAFTransactionForms(request.transaction, display: client.display)
      let usable = found.choices.filter { obstacle(to: $0, of: found, forms) == nil }
      // Without a choice that could answer, the first one says why it cannot: before anything is shown.
      if usable.isEmpty, let first = found.choices.first, let obstacle = obstacle(to: first, of: found, forms) {
        throw obstacle
      }
      found.choices = usable
      return .authenticate(request, found, forms)
    case .deregistration(let request): return .deregister(request)
    }
  }

  /// Whether a registration could find room in one of the choices; for `checkPolicy`.
  func checkRoom(_ request: UAFRegistrationRequest, _ found: Candidates) throws {
    let hasRoom = found.choices.contains { choice in
      choice.members.allSatisfy { member in
        module.hasRoom(
          found.keys[member.candidate], found.authenticators[member.candidate], username: request.username, tokens)
      }
    }
    guard hasRoom else { throw AuthenticatorError(.insufficientAuthenticatorResources, stage: "uaf.policy") }
  }
}
