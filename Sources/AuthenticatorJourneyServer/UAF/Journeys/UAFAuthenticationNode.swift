internal import AuthenticatorCoding
public import AuthenticatorRelyingParty

/// Has a UAF key sign a challenge, or confirm a transaction.
///
/// With a user name in the state only that user's keys count; without one the key says who the user is. Outcomes:
/// `success`; `failure` for a response that does not verify; `stepUp` for one that does, while the set of enrolled
/// fingers or faces has changed and the settings ask for more then; `secondFactor` for one that verifies and that only
/// keys signed which are of use beside another way to sign in (`isSecondFactorOnly` of their models): such a key alone
/// proves nobody, so the outcome must lead to a password or the like, or come after one; `fallback`, `cancelled` and
/// `clientError` as the client reports them; `unsupported` when the client knows nothing of UAF or the server knows no
/// models; `noRegistration` when the named user has no key. State as of `UAFRegistrationNode`; what was confirmed
/// stands under `uafConfirmedHash`.
public struct UAFAuthenticationNode: TreeNode {
  public static let nodeType = "UAFAuthenticationNode"
  /// The person chose the app's other way to sign in.
  public static let fallback: NodeOutcome = "fallback"
  /// The key signed, and more is needed.
  public static let stepUp: NodeOutcome = "stepUp"
  /// The key signed, and is no first factor.
  public static let secondFactor: NodeOutcome = "secondFactor"
  /// The named user has no key.
  public static let noRegistration: NodeOutcome = "noRegistration"

  public let outcomes: [NodeOutcome] = [
    .success, .failure, stepUp, secondFactor, fallback, UAFRegistrationNode.cancelled, UAFRegistrationNode.clientError,
    UAFRegistrationNode.unsupported, noRegistration,
  ]
  /// What has to be confirmed.
  public enum Transaction: Hashable, Sendable {
    /// This text: 1 to 200 characters of ASCII.
    case text(String)
    /// The text of the server's settings.
    case configured
    /// The text that stands under this name in the shared state.
    case state(String)
    /// This text, and the same as a PNG picture for displays that show pictures.
    case picture(text: String, png: [UInt8])
  }

  /// Which authenticators may sign; nil: those of the server's settings.
  public var policy: UAFAcceptancePolicy?
  /// What has to be confirmed; nil: nothing, it is a sign-in.
  public var transaction: Transaction?
  /// The time the client has, in seconds.
  public var timeout: Int
  /// Whether somebody without a key is asked for keys all the same, always the same ones that nobody has. Then a
  /// stranger does not learn who has keys or which names exist, and the outcome `noRegistration` never happens.
  public var concealsMissingKeys: Bool

  public var unusableSetting: String? {
    if timeout < 1 { return "timeout" }
    guard case .state("") = transaction else { return nil }
    return "transactionState"
  }

  /// Makes the node.
  public init(
    policy: UAFAcceptancePolicy? = nil, transaction: Transaction? = nil, timeout: Int = 120,
    concealsMissingKeys: Bool = false
  ) {
    self.policy = policy
    self.transaction = transaction
    self.timeout = timeout
    self.concealsMissingKeys = concealsMissingKeys
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard context.services.uaf.isConfigured else { return .done(UAFRegistrationNode.unsupported) }
    let party = context.uafParty(policy)
    guard context.answers != nil, let challenge = context.endUAF() else { return try await ask(party, &context) }
    switch context.uafAnswer {
    case .untouched: return .done(UAFRegistrationNode.unsupported)
    case .malformed: return context.refuseUAF(UAFVerificationError.Code.messageMalformed.rawValue)
    case .error(let code, let result): return .done(context.uafClientError(code, result))
    case .message(let text):
      do {
        return .done(try await verify(text, challenge, party, &context))
      } catch let error as UAFVerificationError {
        return context.refuseUAF(error.code.rawValue)
      }
    }
  }

  private func ask(_ party: UAFRelyingParty, _ context: inout NodeContext) async throws -> NodeResult {
    let lifetime = Int64(timeout) * 1000
    do {
      let issued = try await context.services.uaf.authenticationRequest(
        forUserNamed: context.state.username, in: context.realm, transactions: try transactions(context),
        conceals: concealsMissingKeys, context: context.uafContext, lifetime: lifetime, party)
      context.rememberUAF(issued)
      return NodeContext.uafPage("uaf_authentication", issued.message, milliseconds: lifetime)
    } catch let error as UAFRelyingParty.RequestError where error == .noKeys {
      return .done(Self.noRegistration)
    } catch let error as UAFRelyingParty.RequestError {
      return context.refuseUAF("request.\(error.rawValue)")
    } catch let error as UAFTransactionContent.Refusal {
      return context.refuseUAF("transaction.\(error.rawValue)")
    }
  }

  private func transactions(_ context: NodeContext) throws -> [UAFTransactionContent] {
    switch transaction {
    case nil: []
    case .text(let text): [try UAFTransactionContent(text: text)]
    case .configured: [try UAFTransactionContent(text: context.services.uaf.settings.transactionText)]
    case .state(let name): [try UAFTransactionContent(text: context.state.shared[name]?.stringValue ?? "")]
    case .picture(let text, let png): [try UAFTransactionContent(text: text), try UAFTransactionContent(png: png)]
    }
  }

  private func verify(
    _ text: String, _ challenge: String, _ party: UAFRelyingParty, _ context: inout NodeContext
  ) async throws -> NodeOutcome {
    let (response, pending) = try await context.openUAF(text, challenge, party)
    let (user, verdict) = try await context.services.uaf.authenticate(response, pending, in: context.realm, party)
    if let name = context.state.username, UserRecord.nameKey(name) != UserRecord.nameKey(user.name) {
      throw UAFVerificationError(.keyNotAdmitted, "the key is another user's")
    }
    context.state.username = user.name
    context.state.shared[NodeContext.UAFState.facet] = .string(verdict.facetID)
    context.rememberUAF(verdict.signers.map { ($0.registration, $0.reportedMethods) })
    if let hash = verdict.confirmedHash {
      context.state.shared[NodeContext.UAFState.confirmed] = .string(Base64URL.encode(hash))
    }
    guard verdict.needsStepUp else { return verdict.isSecondFactorOnly ? Self.secondFactor : .success }
    context.state.shared[NodeContext.UAFState.changed] = .array(
      verdict.signers.filter(\.isEnrollmentChanged).map { signer in
        [
          "aaid": .string(signer.registration.aaid), "keyID": .string(signer.registration.keyIDText),
          "state": signer.reportedState.map { .string(Base64URL.encode($0)) } ?? .null,
        ]
      })
    return Self.stepUp
  }
}

/// Accepts the changed set of enrolled fingers or faces that an earlier `UAFAuthenticationNode` stepped up for: from
/// now on the key is compared with it. Belongs behind whatever proved that the user is the user.
///
/// Outcomes: `success`, also when nothing has changed; `failure` when the keys are not the user's.
public struct UAFEnrollmentUpdate: TreeNode {
  public static let nodeType = "UAFEnrollmentUpdateNode"
  public let outcomes: [NodeOutcome] = [.success, .failure]

  /// Makes the node.
  public init() {}

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let changed = context.state.shared[NodeContext.UAFState.changed]?.arrayValue else { return .done(.success) }
    context.state.shared[NodeContext.UAFState.changed] = nil
    guard let user = try await context.user() else { return .done(.failure) }
    for entry in changed {
      guard let name = UAFKeyName(json: entry),
        let state = entry["state"]?.stringValue.flatMap({ try? Base64URL.decode($0) }),
        try await context.services.registry.setUserVerificationState(
          state, ofKey: name, user: user.id, realm: context.realm)
      else { return .done(.failure) }
    }
    return .done(.success)
  }
}
