/// Lets the journey come by a limited number of times.
public struct RetryLimitDecision: TreeNode {
  public static let nodeType = "RetryLimitDecisionNode"
  /// It may be tried again.
  public static let retry: NodeOutcome = "Retry"
  /// It was tried again as often as the limit says.
  public static let reject: NodeOutcome = "Reject"
  public let outcomes: [NodeOutcome] = [retry, reject]
  /// How many times the journey may try again; the first try does not count.
  public var limit: Int

  /// Makes the node.
  public init(limit: Int = 3) { self.limit = limit }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    let count = context.memory["count"]?.intValue ?? 0
    guard count < limit else { return .done(Self.reject) }
    context.memory["count"] = .integer(Int64(count + 1))
    return .done(Self.retry)
  }
}
