import AuthenticatorCoding
import AuthenticatorJourneyServer

/// Trees that end by telling which outcome a WebAuthn node had.
enum WebAuthnTrees {
  /// The user's name, then the node. The end's text is the outcome, and what stands in the state under `state`.
  static func tree(_ node: any TreeNode, state: String? = nil, asksName: Bool = true) throws -> JourneyTree {
    let steps = node.outcomes.map { outcome in
      TreeStep("end-\(outcome)", OutcomeNode(outcome: outcome, state: state)).next(.failure)
    }
    let step = node.outcomes.reduce(TreeStep("node", node)) { $0.on($1, to: .step("end-\($1)")) }
    return try JourneyTree(
      name: "WebAuthn", entry: .step(asksName ? "name" : "node"),
      steps: [TreeStep("name", UsernameCollector()).next("node"), step] + steps)
  }
}

/// Tells an outcome, and what stands in the state.
private struct OutcomeNode: TreeNode {
  static let nodeType = "OutcomeNode"
  let outcomes: [NodeOutcome] = [.outcome]
  let outcome: NodeOutcome
  let state: String?

  func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard context.answers == nil else { return .done(.outcome) }
    var object: JSONObject = ["outcome": .string(outcome.rawValue)]
    if let state { object["state"] = context.state.shared[state] ?? context.state.transient[state] }
    return .ask([.metadata(object)])
  }
}

extension Answer {
  /// The outcome that the end of a `WebAuthnTrees` tree tells.
  var outcome: String? { webAuthn?["outcome"]?.stringValue }

  /// What it tells of the state.
  var state: JSONValue? { webAuthn?["state"] }
}

extension Harness {
  /// Posts this text to the node of a `WebAuthnTrees` tree.
  func end(_ user: String? = "mira", with outcome: (Answer) throws -> String) async throws -> Answer {
    let page = try await question("WebAuthn", user: user)
    return try await post(try page.answered(try outcome(page)))
  }
}
