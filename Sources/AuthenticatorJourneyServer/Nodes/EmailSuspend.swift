/// Parks the journey until the person follows the link that was sent to them.
public struct EmailSuspend: TreeNode {
  public static let nodeType = "EmailSuspendNode"
  public let outcomes: [NodeOutcome] = [.outcome]
  /// What is shown while the journey is parked.
  public var message: String

  /// Makes the node.
  public init(message: String = "An email has been sent to the address you entered.") { self.message = message }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    context.isResumed ? .done(.outcome) : .suspend(message: message)
  }
}
