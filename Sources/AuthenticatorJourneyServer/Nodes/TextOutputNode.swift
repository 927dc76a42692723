/// Shows a line of text; on a page, beside other nodes.
public struct TextOutputNode: TreeNode {
  public static let nodeType = "TextOutputNode"
  public let outcomes: [NodeOutcome] = [.outcome]
  /// The text.
  public var message: String
  /// 0 information, 1 warning, 2 error, 4 script (which clients neither run nor send back).
  public var messageType: Int

  /// Makes the node.
  public init(_ message: String, messageType: Int = 0) {
    self.message = message
    self.messageType = messageType
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    context.answers == nil ? .ask([.textOutput(message, messageType: messageType)]) : .done(.outcome)
  }
}
