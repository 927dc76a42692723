internal import AuthenticatorCoding
internal import AuthenticatorCore

/// A device that waits in the journey's state until a node of its own stores it. Realm and family are the journey's and
/// the node's.
extension DeviceRecord {
  var stateJSON: JSONObject {
    [
      "id": .string(externalID), "user": .string(userID), "uuid": .string(uuid), "name": .string(name),
      "device": .string(deviceID), "key": .object(key), "counter": .integer(counter),
      "attributes": .object(attributes), "created": .integer(createdAt.milliseconds),
    ]
  }

  init?(stateJSON object: JSONObject, family: Family, realm: Realm) {
    guard let id = object["id"]?.stringValue, let user = object["user"]?.stringValue,
      let uuid = object["uuid"]?.stringValue, let name = object["name"]?.stringValue,
      let device = object["device"]?.stringValue, let key = object["key"]?.objectValue,
      let counter = object["counter"]?.intValue, let attributes = object["attributes"]?.objectValue,
      let created = object["created"]?.intValue
    else { return nil }
    let time = UnixTime(milliseconds: Int64(created))
    self.init(
      family: family, realm: realm, externalID: id, userID: user, uuid: uuid, name: name, deviceID: device, key: key,
      counter: Int64(counter), attributes: attributes, createdAt: time, lastAccessAt: time)
  }
}
