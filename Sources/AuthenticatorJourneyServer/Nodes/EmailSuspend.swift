/// Parks the journey until the person follows the link that was sent to them.
public struct EmailSuspend: TreeNode {
  public static let nodeType = "EmailSuspendNode"
  public let outcomes: [NodeOutcome] = [.outcome]
  public var message: String

  public init(message: String = "An email has been sent to the address you entered.") { self.message = message }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    context.isResumed ? .done(.outcome) : .suspend(message: message)
  }
}
