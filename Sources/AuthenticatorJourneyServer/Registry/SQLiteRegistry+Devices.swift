internal import AuthenticatorCoding
public import AuthenticatorCore

extension SQLiteRegistry {
  private static let deviceColumns =
    "family, realm, external_id, user_id, uuid, name, device_id, key, counter, attributes, created_at, last_access_at"

  private static func device(_ row: SQLRow) throws -> DeviceRecord {
    guard let key = try? JSONValue.parse(try row.text(7)).objectValue,
      let attributes = try? JSONValue.parse(try row.text(9)).objectValue
    else { throw RegistryError(.damaged, "a device's key is malformed") }
    return DeviceRecord(
      family: DeviceRecord.Family(rawValue: try row.text(0)), realm: try realm(row.text(1)),
      externalID: try row.text(2), userID: try row.text(3), uuid: try row.text(4), name: try row.text(5),
      deviceID: try row.text(6), key: key, counter: row.integer(8), attributes: attributes,
      createdAt: UnixTime(milliseconds: row.integer(10)), lastAccessAt: UnixTime(milliseconds: row.integer(11)))
  }

  private static func find(
    _ externalID: String, _ family: DeviceRecord.Family, _ realm: Realm, _ connection: SQLiteConnection
  ) throws -> DeviceRecord? {
    try connection.row(
      "SELECT \(deviceColumns) FROM device WHERE family = ?1 AND realm = ?2 AND external_id = ?3",
      .text(family.rawValue), .text(realm.path), .text(externalID), read: device)
  }

  public func addDevice(
    _ device: DeviceRecord, recoveryCodes: [RecoveryCodeRecord], limit: Int
  ) async throws -> DeviceAddition {
    try await writer.write(isDurable: true) { connection in
      if let stored = try Self.find(device.externalID, device.family, device.realm, connection) {
        return stored.userID == device.userID && stored.key == device.key ? .alreadyPresent : .conflict
      }
      if limit > 0 {
        let count = try connection.row(
          "SELECT count(*) FROM device WHERE realm = ?1 AND user_id = ?2 AND family = ?3", .text(device.realm.path),
          .text(device.userID), .text(device.family.rawValue)
        ) { Int($0.integer(0)) }
        guard count ?? 0 < limit else { return .limitReached }
      }
      try connection.run(
        "INSERT INTO device (\(Self.deviceColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        .text(device.family.rawValue), .text(device.realm.path), .text(device.externalID), .text(device.userID),
        .text(device.uuid), .text(device.name), .text(device.deviceID), .text(device.key.serializedString()),
        .integer(device.counter), .text(device.attributes.serializedString()), .integer(device.createdAt.milliseconds),
        .integer(device.lastAccessAt.milliseconds))
      for code in recoveryCodes { try Self.add(code, connection) }
      return .added
    }
  }

  public func device(
    _ externalID: String, family: DeviceRecord.Family, realm: Realm
  ) async throws -> DeviceRecord? {
    try await reader.read { try Self.find(externalID, family, realm, $0) }
  }

  public func devices(
    ofUser userID: String, family: DeviceRecord.Family, realm: Realm
  ) async throws -> [DeviceRecord] {
    try await reader.read { connection in
      try connection.rows(
        """
        SELECT \(Self.deviceColumns) FROM device WHERE realm = ?1 AND user_id = ?2 AND family = ?3
        ORDER BY created_at, rowid
        """, .text(realm.path), .text(userID), .text(family.rawValue), read: Self.device)
    }
  }

  public func touchDevice(_ device: DeviceRecord, at time: UnixTime) async throws {
    try await writer.write(isDurable: false) { connection in
      try connection.run(
        "UPDATE device SET last_access_at = ?4 WHERE family = ?1 AND realm = ?2 AND external_id = ?3",
        .text(device.family.rawValue), .text(device.realm.path), .text(device.externalID),
        .integer(time.milliseconds))
    }
  }

  public func advanceDevice(_ device: DeviceRecord) async throws -> Bool {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        """
        UPDATE device SET counter = ?4, attributes = ?5, last_access_at = ?6
        WHERE family = ?1 AND realm = ?2 AND external_id = ?3 AND (counter < ?4 OR counter = 0 AND ?4 = 0)
        """, .text(device.family.rawValue), .text(device.realm.path), .text(device.externalID),
        .integer(device.counter), .text(device.attributes.serializedString()),
        .integer(device.lastAccessAt.milliseconds)) == 1
    }
  }

  public func removeDevice(
    _ externalID: String, ofUser userID: String, family: DeviceRecord.Family, realm: Realm
  ) async throws -> DeviceRecord? {
    try await writer.write(isDurable: true) { connection in
      guard let stored = try Self.find(externalID, family, realm, connection), stored.userID == userID else {
        return nil
      }
      try connection.run(
        "DELETE FROM device WHERE family = ?1 AND realm = ?2 AND external_id = ?3", .text(family.rawValue),
        .text(realm.path), .text(externalID))
      try Self.removeRecoveryCodes(of: stored, connection)
      return stored
    }
  }
}
