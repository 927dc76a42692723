/// Asks for the password. It is kept, encrypted, until `DataStoreDecision` has used it.
public struct PasswordCollector: TreeNode {
  public static let nodeType = "PasswordCollectorNode"
  public let outcomes: [NodeOutcome] = [.outcome]
  /// What is shown beside the field.
  public var prompt: String

  /// Where the password stands in `NodeState.transient`.
  static let stateName = "password"

  /// Makes the node.
  public init(prompt: String = "Password") { self.prompt = prompt }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let password = context.answers?.first?.text() else { return .ask([.password(prompt: prompt)]) }
    context.state.transient[Self.stateName] = .string(password)
    return .done(.outcome)
  }
}
