internal import AuthenticatorCoding

/// Stores the device that a `DeviceBindingNode` has kept in the state; asks the client nothing.
public struct DeviceBindingStorage: TreeNode {
  public static let nodeType = "DeviceBindingStorageNode"
  public let outcomes: [NodeOutcome] = [.true, .false]

  /// Where the device stands in `NodeState.transient`.
  static let stateName = "DeviceBindingNode.DEVICE"

  /// Makes the node.
  public init() {}

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    let kept = context.state.transient[Self.stateName]?.objectValue
    context.state.transient[Self.stateName] = nil
    guard let kept, let user = try await context.user(), user.isActive,
      let device = DeviceRecord(stateJSON: kept, family: .binding, realm: context.realm), device.userID == user.id
    else { return .done(.false) }
    switch try await context.services.registry.addDevice(device, limit: 0) {
    case .added, .alreadyPresent: return .done(.true)
    case .conflict, .limitReached: return .done(.false)
    }
  }
}
