public import AuthenticatorCore

extension SQLiteRegistry {
  private static let columns =
    "realm, id, user_id, client_id, installation, platform, app_identifier, name, public_key, created_at, last_used_at, revoked_at"

  private static func device(_ row: SQLRow) throws -> TrustedDeviceRecord {
    func time(_ column: Int32) -> UnixTime? {
      row.isNull(column) ? nil : UnixTime(milliseconds: row.integer(column))
    }
    return TrustedDeviceRecord(
      id: try row.text(1), realm: try realm(row.text(0)), userID: try row.text(2), clientID: try row.optionalText(3),
      installation: try row.optionalText(4), platform: try row.text(5), appIdentifier: try row.text(6),
      name: try row.optionalText(7), publicKey: try row.bytes(8), createdAt: UnixTime(milliseconds: row.integer(9)),
      lastUsedAt: time(10), revokedAt: time(11))
  }

  private static func find(
    _ id: String, _ realm: Realm, _ connection: SQLiteConnection
  ) throws -> TrustedDeviceRecord? {
    try connection.row(
      "SELECT \(columns) FROM trusted_device WHERE realm = ?1 AND id = ?2", .text(realm.path), .text(id), read: device)
  }

  private static func all(
    ofUser userID: String, _ realm: Realm, _ connection: SQLiteConnection
  ) throws -> [TrustedDeviceRecord] {
    try connection.rows(
      """
      SELECT \(columns) FROM trusted_device WHERE realm = ?1 AND user_id = ?2 ORDER BY created_at DESC, rowid DESC
      """, .text(realm.path), .text(userID), read: device)
  }

  // MARK: Enrolling and revoking

  public func enrollTrustedDevice(
    _ device: TrustedDeviceRecord, challenge: ChallengeUse?, rules: EnrollmentRules
  ) async throws -> EnrollmentResult {
    try await writer.write(isDurable: true) { connection in
      let now = device.createdAt
      try self.sweepIfDue(connection, now: now)
      if let challenge, try Self.isUsed(challenge, connection) { return .challengeUsed }
      var candidates = try Self.all(ofUser: device.userID, device.realm, connection)
      if let refusal = rules.refusal(of: device, among: candidates) { return refusal }
      if rules.replacesOtherUsers, let client = device.clientID {
        candidates += try connection.rows(
          "SELECT \(Self.columns) FROM trusted_device WHERE client_id = ?1 AND realm = ?2 AND user_id <> ?3",
          .text(client), .text(device.realm.path), .text(device.userID), read: Self.device)
      }
      if let challenge { try Self.use(challenge, connection) }
      for stored in candidates where rules.replaces(stored, by: device) {
        try Self.revoke(stored, at: now, connection)
      }
      try Self.insert(device, connection)
      try Self.forgetRevoked(ofUser: device.userID, device.realm, connection)
      return .enrolled
    }
  }

  private static func insert(_ device: TrustedDeviceRecord, _ connection: SQLiteConnection) throws {
    func text(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }
    func time(_ time: UnixTime?) -> SQLValue { time.map { .integer($0.milliseconds) } ?? .null }
    try connection.run(
      "INSERT INTO trusted_device (\(columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
      .text(device.realm.path), .text(device.id), .text(device.userID), text(device.clientID),
      text(device.installation), .text(device.platform), .text(device.appIdentifier), text(device.name),
      .blob(device.publicKey), .integer(device.createdAt.milliseconds), time(device.lastUsedAt),
      time(device.revokedAt))
  }

  private static func revoke(
    _ device: TrustedDeviceRecord, at time: UnixTime, _ connection: SQLiteConnection
  ) throws {
    try connection.run(
      "UPDATE trusted_device SET revoked_at = ?3 WHERE realm = ?1 AND id = ?2 AND revoked_at IS NULL",
      .text(device.realm.path), .text(device.id), .integer(time.milliseconds))
  }

  private static func forgetRevoked(
    ofUser userID: String, _ realm: Realm, _ connection: SQLiteConnection
  ) throws {
    try connection.run(
      """
      DELETE FROM trusted_device WHERE rowid IN (SELECT rowid FROM trusted_device WHERE realm = ?1 AND user_id = ?2
        AND revoked_at IS NOT NULL ORDER BY revoked_at DESC, rowid DESC LIMIT -1 OFFSET ?3)
      """, .text(realm.path), .text(userID), .integer(Int64(TrustedDeviceBounds.revokedPerUser)))
  }

  public func revokeTrustedDevice(
    _ id: String, ofUser userID: String, realm: Realm, at time: UnixTime
  ) async throws -> TrustedDeviceRecord? {
    try await writer.write(isDurable: true) { connection in
      guard var device = try Self.find(id, realm, connection), device.userID == userID else { return nil }
      guard device.isActive else { return device }
      try Self.revoke(device, at: time, connection)
      try Self.forgetRevoked(ofUser: userID, realm, connection)
      device.revokedAt = time
      return device
    }
  }

  // MARK: Looking up and using

  public func trustedDevice(_ id: String, realm: Realm) async throws -> TrustedDeviceRecord? {
    try await reader.read { try Self.find(id, realm, $0) }
  }

  public func trustedDevices(ofUser userID: String, realm: Realm) async throws -> [TrustedDeviceRecord] {
    try await reader.read { try Self.all(ofUser: userID, realm, $0) }
  }

  public func noteTrustedDeviceUse(_ id: String, realm: Realm, at time: UnixTime) async throws -> Bool {
    try await writer.write(isDurable: false) { try Self.noteUse(id, realm, at: time, $0) }
  }

  static func noteUse(_ id: String, _ realm: Realm, at time: UnixTime, _ connection: SQLiteConnection) throws -> Bool {
    try connection.run(
      "UPDATE trusted_device SET last_used_at = ?3 WHERE realm = ?1 AND id = ?2 AND revoked_at IS NULL",
      .text(realm.path), .text(id), .integer(time.milliseconds)) == 1
  }

  // MARK: Challenges

  static func isUsed(_ challenge: ChallengeUse, _ connection: SQLiteConnection) throws -> Bool {
    try connection.row("SELECT 1 FROM used_challenge WHERE id = ?1", .blob(challenge.id)) { _ in true } ?? false
  }

  static func use(_ challenge: ChallengeUse, _ connection: SQLiteConnection) throws {
    try connection.run(
      "INSERT INTO used_challenge (id, expires_at) VALUES (?1, ?2)", .blob(challenge.id),
      .integer(challenge.forgottenAt.milliseconds))
  }
}
