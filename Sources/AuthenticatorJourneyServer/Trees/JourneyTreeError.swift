/// Why steps are no tree, or a file holds none.
public struct JourneyTreeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Problem: Hashable, Sendable {
    /// No steps at all.
    case empty
    /// The name is empty or longer than 128 bytes.
    case invalidName
    /// Two steps have one id.
    case duplicateStep(String)
    /// An outcome leads to a step that is not there.
    case unknownDestination(step: String, destination: String)
    /// An outcome leads nowhere.
    case outcomeNotWired(step: String, outcome: NodeOutcome)
    /// An outcome leads to two places.
    case outcomeWiredTwice(step: String, outcome: NodeOutcome)
    /// An outcome is wired that the node does not have.
    case unknownOutcome(step: String, outcome: NodeOutcome)
    /// A JSON file is not an export; says where and what was missed.
    case malformedExport(String)
    /// A node's settings are missing, of the wrong kind, or such that it cannot work.
    case invalidSetting(step: String, setting: String)
  }

  /// The tree's name.
  public let tree: String
  /// What is wrong with it.
  public let problem: Problem

  /// Makes an error.
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
