internal import AuthenticatorCoding
public import AuthenticatorRelyingParty

/// Registers a UAF key for the user named so far.
///
/// Outcomes: `success`; `failure` for a response that does not verify, before anything is asked a user who has as many
/// keys as allowed (`quotaReached`), and one whose name has more than the 128 characters that a message may hold
/// (`userNameTooLong`); `unsupported` when the client knows nothing of UAF or the server knows no models; `cancelled`
/// and `clientError` as the client reports them. The check that refused stands in the shared state under `uafFailure`,
/// the client's `code::RESULT` under `uafClientError`.
public struct UAFRegistrationNode: TreeNode {
  public static let nodeType = "UAFRegistrationNode"
  /// There is no UAF on one of the sides.
  public static let unsupported: NodeOutcome = "unsupported"
  /// The person does not want to.
  public static let cancelled: NodeOutcome = "cancelled"
  /// The client could not do it.
  public static let clientError: NodeOutcome = "clientError"

  public let outcomes: [NodeOutcome] = [.success, .failure, unsupported, cancelled, clientError]
  /// Which authenticators may register; nil: those of the server's settings.
  public var policy: UAFAcceptancePolicy?
  /// The time the client has, in seconds.
  public var timeout: Int

  public var unusableSetting: String? { timeout < 1 ? "timeout" : nil }

  /// Makes the node.
  public init(policy: UAFAcceptancePolicy? = nil, timeout: Int = 120) {
    self.policy = policy
    self.timeout = timeout
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let user = try await context.user(), user.isActive else { return .done(.failure) }
    guard context.services.uaf.isConfigured else { return .done(Self.unsupported) }
    let party = context.uafParty(policy)
    guard context.answers != nil, let challenge = context.endUAF() else {
      let lifetime = Int64(timeout) * 1000
      let issued: UAFIssuedRequest
      do {
        issued = try await context.services.uaf.registrationRequest(
          for: user, context: context.uafContext, lifetime: lifetime, party)
      } catch is UAFQuotaReached {
        return context.refuseUAF("quotaReached")
      } catch let error as UAFRelyingParty.RequestError {
        return context.refuseUAF(error == .name ? "userNameTooLong" : "request.\(error.rawValue)")
      }
      context.rememberUAF(issued)
      return NodeContext.uafPage("uaf_registration", issued.message, milliseconds: lifetime)
    }
    switch context.uafAnswer {
    case .untouched: return .done(Self.unsupported)
    case .malformed: return context.refuseUAF(UAFVerificationError.Code.messageMalformed.rawValue)
    case .error(let code, let result):
      let outcome = context.uafClientError(code, result)
      // There is no other way to register, so a client that falls back has not registered.
      return .done(outcomes.contains(outcome) ? outcome : Self.clientError)
    case .message(let text):
      do {
        let (response, pending) = try await context.openUAF(text, challenge, party)
        let verdict = try await context.services.uaf.register(response, pending, for: user, party)
        context.state.shared[NodeContext.UAFState.facet] = .string(verdict.facetID)
        context.rememberUAF(Array(zip(verdict.registrations, verdict.reportedMethods)))
        return .done(.success)
      } catch let error as UAFVerificationError {
        return context.refuseUAF(error.code.rawValue)
      } catch is UAFQuotaReached {
        return context.refuseUAF("quotaReached")
      }
    }
  }
}
