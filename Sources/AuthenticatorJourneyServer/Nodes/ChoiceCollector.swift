/// Lets the person choose; every choice is an outcome.
public struct ChoiceCollector: TreeNode {
  public static let nodeType = "ChoiceCollectorNode"
  /// The question.
  public var prompt: String
  /// The options; each is an outcome of its own.
  public var choices: [String]
  /// The index of the option that is offered first.
  public var defaultChoice: String

  /// Makes the node.
  public init(prompt: String, choices: [String], defaultChoice: String? = nil) {
    self.prompt = prompt
    self.choices = choices
    self.defaultChoice = defaultChoice ?? choices.first ?? ""
  }

  public var unusableSetting: String? { choices.isEmpty ? "choices" : nil }

  public var outcomes: [NodeOutcome] { choices.map(NodeOutcome.init(rawValue:)) }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let answer = context.answers?.first else {
      let index = choices.firstIndex(of: defaultChoice) ?? 0
      return .ask([.choice(prompt: prompt, choices: choices, defaultChoice: index)])
    }
    guard let index = answer.integer(), choices.indices.contains(index) else {
      throw RESTFailure.badRequest("The choice is not one of those offered")
    }
    return .done(NodeOutcome(rawValue: choices[index]))
  }
}
