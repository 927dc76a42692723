internal import AuthenticatorCoding

/// Shows what several nodes ask as one step, with a stage, a header and a description.
///
/// The page ends with the outcome of its last node that has more than one, else with `outcome`. When one of the nodes
/// asks again, the whole page is asked again.
public struct PageNode: TreeNode {
  public static let nodeType = "PageNode"
  /// The nodes whose questions share the page.
  public let nodes: [any TreeNode]
  /// The page's stage; nil: none is sent.
  public var stage: String?
  /// The page's title; nil: none is sent.
  public var header: String?
  /// The page's explanation; nil: none is sent.
  public var description: String?

  /// Makes a page of these nodes.
  public init(
    stage: String? = nil, header: String? = nil, description: String? = nil,
    @PageBuilder nodes: () -> [any TreeNode]
  ) {
    self.init(stage: stage, header: header, description: description, nodes: nodes())
  }

  /// Makes a page of these nodes.
  public init(stage: String? = nil, header: String? = nil, description: String? = nil, nodes: [any TreeNode]) {
    self.stage = stage
    self.header = header
    self.description = description
    self.nodes = nodes
  }

  /// The node whose outcome is the page's.
  private var decider: Int? { nodes.lastIndex { $0.outcomes.count > 1 } }

  public var unusableSetting: String? { nodes.lazy.compactMap(\.unusableSetting).first }

  public var outcomes: [NodeOutcome] { decider.map { nodes[$0].outcomes } ?? [.outcome] }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let answers = context.answers else { return try await ask(&context) }
    guard let counts = context.memory["counts"]?.arrayValue?.compactMap(\.intValue), counts.count == nodes.count else {
      throw RESTFailure.badRequest("The journey was changed meanwhile")
    }
    var outcome = context.memory["outcome"]?.stringValue.map(NodeOutcome.init(rawValue:))
    var rest = answers[...]
    for (index, node) in nodes.enumerated() where counts[index] > 0 {
      let own = Array(rest.prefix(counts[index]))
      rest = rest.dropFirst(counts[index])
      switch try await process(node, index, answers: own, &context) {
      case .done(let result): if index == decider { outcome = result }
      case .ask: return try await ask(&context)
      case .suspend: throw TreeFault(tree: context.journey, step: context.nodeID, "suspends inside a page")
      }
    }
    context.memory = [:]
    return .done(outcome ?? .outcome)
  }

  /// Collects what all nodes ask. One that asks nothing has decided already.
  private func ask(_ context: inout NodeContext) async throws -> NodeResult {
    var callbacks: [ServerCallback] = []
    var counts: [JSONValue] = []
    var memory: JSONObject = [:]
    for (index, node) in nodes.enumerated() {
      switch try await process(node, index, answers: nil, &context) {
      case .ask(let page):
        callbacks += page.callbacks
        counts.append(.integer(Int64(page.callbacks.count)))
      case .done(let result):
        if index == decider { memory["outcome"] = .string(result.rawValue) }
        counts.append(0)
      case .suspend: throw TreeFault(tree: context.journey, step: context.nodeID, "suspends inside a page")
      }
    }
    guard !callbacks.isEmpty else {
      context.memory = [:]
      return .done(memory["outcome"]?.stringValue.map(NodeOutcome.init(rawValue:)) ?? .outcome)
    }
    memory["counts"] = .array(counts)
    context.memory = memory
    return .ask(NodePage(callbacks: callbacks, stage: stage, header: header, description: description))
  }

  private func process(
    _ node: any TreeNode, _ index: Int, answers: [CallbackAnswer]?, _ context: inout NodeContext
  ) async throws -> NodeResult {
    let id = context.nodeID
    let all = context.answers
    context.nodeID = "\(id)/\(index)"
    context.answers = answers
    defer {
      context.nodeID = id
      context.answers = all
    }
    return try await node.process(&context)
  }
}

/// Collects the nodes of a page.
@resultBuilder
public enum PageBuilder {
  /// A node.
  public static func buildExpression(_ node: any TreeNode) -> [any TreeNode] { [node] }
  /// Nodes in order.
  public static func buildBlock(_ parts: [any TreeNode]...) -> [any TreeNode] { parts.flatMap { $0 } }
  /// Nodes under a condition.
  public static func buildOptional(_ part: [any TreeNode]?) -> [any TreeNode] { part ?? [] }
  /// Nodes of the first branch.
  public static func buildEither(first: [any TreeNode]) -> [any TreeNode] { first }
  /// Nodes of the second branch.
  public static func buildEither(second: [any TreeNode]) -> [any TreeNode] { second }
}
