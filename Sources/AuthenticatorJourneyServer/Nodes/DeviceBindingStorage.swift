internal import AuthenticatorCoding
internal import AuthenticatorCore

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
      let device = DeviceRecord(stateJSON: kept, realm: context.realm), device.userID == user.id
    else { return .done(.false) }
    switch try await context.services.registry.addDevice(device, limit: 0) {
    case .added, .alreadyPresent: return .done(.true)
    case .conflict, .limitReached: return .done(.false)
    }
  }
}

extension DeviceRecord {
  var stateJSON: JSONObject {
    [
      "id": .string(externalID), "user": .string(userID), "uuid": .string(uuid), "name": .string(name),
      "device": .string(deviceID), "key": .object(key), "created": .integer(createdAt.milliseconds),
    ]
  }

  init?(stateJSON object: JSONObject, realm: Realm) {
    guard let id = object["id"]?.stringValue, let user = object["user"]?.stringValue,
      let uuid = object["uuid"]?.stringValue, let name = object["name"]?.stringValue,
      let device = object["device"]?.stringValue, let key = object["key"]?.objectValue,
      let created = object["created"]?.intValue
    else { return nil }
    let time = UnixTime(milliseconds: Int64(created))
    self.init(
      family: .binding, realm: realm, externalID: id, userID: user, uuid: uuid, name: name, deviceID: device, key: key,
      createdAt: time, lastAccessAt: time)
  }
}
