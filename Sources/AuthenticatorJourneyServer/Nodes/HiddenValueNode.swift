/// Sends a hidden field and keeps what comes back under the field's id in the shared state.
public struct HiddenValueNode: TreeNode {
  public static let nodeType = "HiddenValueNode"
  public let outcomes: [NodeOutcome] = [.outcome]
  /// The field's name, by which the client finds it.
  public var id: String
  /// The value it is sent with.
  public var value: String

  /// Makes the node.
  public init(id: String, value: String = "") {
    self.id = id
    self.value = value
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let answer = context.answers?.first else { return .ask([.hiddenValue(id: id, value: value)]) }
    context.state.shared[id] = answer.text().map { .string($0) }
    return .done(.outcome)
  }
}
