public import AuthenticatorCoding

/// Sends an object to the app; the answer says nothing.
public struct MetadataNode: TreeNode {
  public static let nodeType = "MetadataNode"
  public let outcomes: [NodeOutcome] = [.outcome]
  /// What is sent.
  public var data: JSONObject

  /// Makes the node.
  public init(_ data: JSONObject) { self.data = data }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    context.answers == nil ? .ask([.metadata(data)]) : .done(.outcome)
  }
}
