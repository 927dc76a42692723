/// Asks for the user name and keeps it for the journey.
public struct UsernameCollector: TreeNode {
  public static let nodeType = "UsernameCollectorNode"
  public let outcomes: [NodeOutcome] = [.outcome]
  /// What is shown beside the field.
  public var prompt: String

  /// Makes the node.
  public init(prompt: String = "User Name") { self.prompt = prompt }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let name = context.answers?.first?.text(), !name.isEmpty,
      name.utf8.count <= PasswordAuthority.maximumUsernameBytes
    else { return .ask([.name(prompt: prompt)]) }
    context.state.username = name
    return .done(.outcome)
  }
}
