/// Asks for a line of text and keeps it under a name in the shared state.
public struct TextInputNode: TreeNode {
  public static let nodeType = "TextInputNode"
  public let outcomes: [NodeOutcome] = [.outcome]
  /// The name under which the journey keeps the text.
  public var name: String
  /// What is shown beside the field.
  public var prompt: String
  /// What the field shows at first.
  public var defaultText: String

  /// Makes the node.
  public init(name: String, prompt: String, defaultText: String = "") {
    self.name = name
    self.prompt = prompt
    self.defaultText = defaultText
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let answer = context.answers?.first else {
      return .ask([.textInput(prompt: prompt, defaultText: defaultText)])
    }
    context.state.shared[name] = answer.text().map { .string($0) }
    return .done(.outcome)
  }
}
