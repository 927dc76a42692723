extension SQLiteRegistry {
  static func add(_ code: RecoveryCodeRecord, _ connection: SQLiteConnection) throws {
    try connection.run(
      "INSERT INTO recovery_code (realm, user_id, device_uuid, hash) VALUES (?1, ?2, ?3, ?4)", .text(code.realm.path),
      .text(code.userID), .text(code.deviceUUID), .text(code.hash.text))
  }

  static func removeRecoveryCodes(of device: DeviceRecord, _ connection: SQLiteConnection) throws {
    try connection.run(
      "DELETE FROM recovery_code WHERE realm = ?1 AND user_id = ?2 AND device_uuid = ?3", .text(device.realm.path),
      .text(device.userID), .text(device.uuid))
  }

  public func recoveryCodes(ofUser userID: String, realm: Realm) async throws -> [RecoveryCodeRecord] {
    try await reader.read { connection in
      try connection.rows(
        "SELECT device_uuid, hash FROM recovery_code WHERE realm = ?1 AND user_id = ?2 ORDER BY rowid",
        .text(realm.path), .text(userID)
      ) { row in
        guard let hash = PasswordHash(text: try row.text(1)) else {
          throw RegistryError(.damaged, "a recovery code is malformed")
        }
        return RecoveryCodeRecord(realm: realm, userID: userID, deviceUUID: try row.text(0), hash: hash)
      }
    }
  }

  public func useRecoveryCode(_ code: RecoveryCodeRecord) async throws -> Bool {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        "DELETE FROM recovery_code WHERE realm = ?1 AND user_id = ?2 AND device_uuid = ?3 AND hash = ?4",
        .text(code.realm.path), .text(code.userID), .text(code.deviceUUID), .text(code.hash.text)) == 1
    }
  }
}
