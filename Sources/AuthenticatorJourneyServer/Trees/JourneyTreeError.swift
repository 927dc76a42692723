/// Why steps are no tree, or a file holds none.
public struct JourneyTreeError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Problem: Hashable, Sendable {
    /// No steps at all.
    case empty
    /// The name is empty or longer than 128 bytes.
    case invalidName
    case duplicateStep(String)
    case unknownDestination(step: String, destination: String)
    case outcomeNotWired(step: String, outcome: NodeOutcome)
    case outcomeWiredTwice(step: String, outcome: NodeOutcome)
    case unknownOutcome(step: String, outcome: NodeOutcome)
    /// A JSON file is not an export; says where and what was missed.
    case malformedExport(String)
    /// A node's settings in an export are missing or of the wrong kind.
    case invalidSetting(step: String, setting: String)
  }

  public let tree: String
  public let problem: Problem

  public init(tree: String, _ problem: Problem) {
    self.tree = tree
    self.problem = problem
  }

  public var description: String {
    let text =
      switch problem {
      case .empty: "has no steps"
      case .invalidName: "needs a name of 1 to 128 bytes"
      case .duplicateStep(let id): "has two steps named \(id)"
      case .unknownDestination(let step, let destination): "leads from \(step) to \(destination), which is no step"
      case .outcomeNotWired(let step, let outcome): "does not say where \(outcome) of \(step) leads"
      case .outcomeWiredTwice(let step, let outcome): "wires \(outcome) of \(step) twice"
      case .unknownOutcome(let step, let outcome): "wires \(outcome) of \(step), which never happens"
      case .malformedExport(let what): "is not an exported tree: \(what)"
      case .invalidSetting(let step, let setting): "has no usable \(setting) for \(step)"
      }
    return "the tree \(tree) \(text)"
  }
}
