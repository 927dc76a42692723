/// Compares user name and password with the registry.
///
/// Ends the journey with its own answer when the account is locked, whether it exists or not, and when the password was
/// right and the account is switched off.
public struct DataStoreDecision: TreeNode {
  public static let nodeType = "DataStoreDecisionNode"
  public let outcomes: [NodeOutcome] = [.true, .false]

  /// Makes the node.
  public init() {}

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    let password = context.state.transient[PasswordCollector.stateName]?.stringValue
    context.state.transient[PasswordCollector.stateName] = nil
    guard let username = context.state.username, let password else { return .done(.false) }
    let verdict = try await context.services.passwords.check(
      username: username, password: password, realm: context.realm, peer: context.peer)
    return try context.result(of: verdict)
  }
}
