/// Shows a message with two buttons; `true` is the first of them.
public struct MessageNode: TreeNode {
  public static let nodeType = "MessageNode"
  public let outcomes: [NodeOutcome] = [.true, .false]
  /// The message.
  public var message: String
  /// The first button's title.
  public var yes: String
  /// The second button's title.
  public var no: String

  /// Makes the node.
  public init(_ message: String, yes: String = "Yes", no: String = "No") {
    self.message = message
    self.yes = yes
    self.no = no
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let answers = context.answers else {
      return .ask([.textOutput(message), .confirmation(options: [yes, no], defaultOption: 1)])
    }
    return .done(answers.last?.integer() == 0 ? .true : .false)
  }
}
