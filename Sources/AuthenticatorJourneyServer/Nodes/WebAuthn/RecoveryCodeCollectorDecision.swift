/// Asks for a recovery code of the user named so far and uses it up.
///
/// Failures are counted with wrong passwords. Ends the journey with its own answer when the account is locked, whether
/// it exists or not, and when the code was right and the account is switched off.
public struct RecoveryCodeCollectorDecision: TreeNode {
  public static let nodeType = "RecoveryCodeCollectorDecisionNode"
  public let outcomes: [NodeOutcome] = [.true, .false]
  /// What is shown beside the field.
  public var prompt: String

  /// Makes the node.
  public init(prompt: String = "Recovery Code") { self.prompt = prompt }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let answer = context.answers?.first else { return .ask([.name(prompt: prompt)]) }
    guard let username = context.state.username, let code = answer.text() else { return .done(.false) }
    let verdict = try await context.services.passwords.useRecoveryCode(
      code, username: username, realm: context.realm, peer: context.peer)
    return try context.result(of: verdict)
  }
}
