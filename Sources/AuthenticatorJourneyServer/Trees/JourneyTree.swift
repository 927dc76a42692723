/// A journey: named nodes, and where each of their outcomes leads.
///
/// ```swift
/// let login = try JourneyTree("Login") {
///   TreeStep("credentials", PageNode { UsernameCollector(); PasswordCollector() })
///     .next("check")
///   TreeStep("check", DataStoreDecision())
///     .on(.true, to: .success)
///     .on(.false, to: "again?")
///   TreeStep("again?", RetryLimitDecision(limit: 3))
///     .on("Retry", to: "credentials")
///     .on("Reject", to: .failure)
/// }
/// ```
///
/// The first step is where the journey begins.
public struct JourneyTree: Sendable {
  /// What a client starts it by.
  public let name: String
  let entry: TreeDestination
  let steps: [String: TreeStep]

  /// Throws `JourneyTreeError` when a step leads nowhere, an outcome is not wired or wired twice, a wired outcome does
  /// not exist, two steps have one name, or a node cannot work as it is set.
  public init(_ name: String, @TreeBuilder steps: () -> [TreeStep]) throws(JourneyTreeError) {
    let steps = steps()
    guard let first = steps.first else { throw JourneyTreeError(tree: name, .empty) }
    try self.init(name: name, entry: .step(first.id), steps: steps)
  }

  /// Makes a tree from steps in any order.
  public init(name: String, entry: TreeDestination, steps: [TreeStep]) throws(JourneyTreeError) {
    guard !name.isEmpty, name.utf8.count <= 128 else { throw JourneyTreeError(tree: name, .invalidName) }
    var byID: [String: TreeStep] = [:]
    for step in steps {
      guard byID.updateValue(step, forKey: step.id) == nil else {
        throw JourneyTreeError(tree: name, .duplicateStep(step.id))
      }
    }
    self.name = name
    self.entry = entry
    self.steps = byID
    try check(entry, of: "entry")
    for step in steps { try check(step) }
  }

  /// The step of this name; nil when there is none.
  package func step(_ id: String) -> TreeStep? { steps[id] }

  private func check(_ destination: TreeDestination, of step: String) throws(JourneyTreeError) {
    if case .step(let id) = destination, steps[id] == nil {
      throw JourneyTreeError(tree: name, .unknownDestination(step: step, destination: id))
    }
  }

  private func check(_ step: TreeStep) throws(JourneyTreeError) {
    if let setting = step.node.unusableSetting {
      throw JourneyTreeError(tree: name, .invalidSetting(step: step.id, setting: setting))
    }
    guard step.doubleWired.isEmpty else {
      throw JourneyTreeError(tree: name, .outcomeWiredTwice(step: step.id, outcome: step.doubleWired[0]))
    }
    let known = Set(step.node.outcomes)
    for (outcome, destination) in step.destinations {
      guard known.contains(outcome) else {
        throw JourneyTreeError(tree: name, .unknownOutcome(step: step.id, outcome: outcome))
      }
      try check(destination, of: step.id)
    }
    for outcome in step.node.outcomes where step.destinations[outcome] == nil {
      throw JourneyTreeError(tree: name, .outcomeNotWired(step: step.id, outcome: outcome))
    }
  }
}

/// Where an outcome leads.
public enum TreeDestination: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The step of this id.
  case step(String)
  /// The journey ends with a session.
  case success
  /// The journey ends without one.
  case failure

  public init(stringLiteral value: String) { self = .step(value) }
}

/// A node in its place in a tree.
public struct TreeStep: Sendable {
  /// Its name in the tree.
  public let id: String
  /// What it does.
  public let node: any TreeNode
  /// Where its outcomes lead.
  public private(set) var destinations: [NodeOutcome: TreeDestination] = [:]
  private(set) var doubleWired: [NodeOutcome] = []

  /// Makes a step that leads nowhere yet.
  public init(_ id: String, _ node: any TreeNode) {
    self.id = id
    self.node = node
  }

  /// Wires one outcome.
  public func on(_ outcome: NodeOutcome, to destination: TreeDestination) -> TreeStep {
    var copy = self
    if copy.destinations.updateValue(destination, forKey: outcome) != nil { copy.doubleWired.append(outcome) }
    return copy
  }

  /// Wires the only outcome of a node that has one called `outcome`.
  public func next(_ destination: TreeDestination) -> TreeStep { on(.outcome, to: destination) }

  /// Wires every outcome that is not wired yet.
  public func otherwise(_ destination: TreeDestination) -> TreeStep {
    node.outcomes.reduce(self) { $0.destinations[$1] == nil ? $0.on($1, to: destination) : $0 }
  }
}

/// Collects the steps of a tree.
@resultBuilder
public enum TreeBuilder {
  /// A step, or several.
  public static func buildExpression(_ step: TreeStep) -> [TreeStep] { [step] }
  /// A step, or several.
  public static func buildExpression(_ steps: [TreeStep]) -> [TreeStep] { steps }
  /// Steps in order.
  public static func buildBlock(_ parts: [TreeStep]...) -> [TreeStep] { parts.flatMap { $0 } }
  /// Steps under a condition.
  public static func buildOptional(_ part: [TreeStep]?) -> [TreeStep] { part ?? [] }
  /// Steps of the first branch.
  public static func buildEither(first: [TreeStep]) -> [TreeStep] { first }
  /// Steps of the second branch.
  public static func buildEither(second: [TreeStep]) -> [TreeStep] { second }
  /// Steps of a loop.
  public static func buildArray(_ parts: [[TreeStep]]) -> [TreeStep] { parts.flatMap { $0 } }
}
