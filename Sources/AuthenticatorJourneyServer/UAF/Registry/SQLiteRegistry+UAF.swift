public import AuthenticatorCore
public import AuthenticatorRelyingParty

extension SQLiteRegistry {
  private static let columns =
    "realm, aaid, key_id, user_id, public_key, key_form, algorithm, sign_counter, reg_counter, version, attestation, state, created_at, last_used_at"

  private static func key(_ row: SQLRow) throws -> UAFKeyRecord {
    func number<Number: FixedWidthInteger>(_ column: Int32) throws -> Number {
      guard let number = Number(exactly: row.integer(column)) else {
        throw RegistryError(.damaged, "a UAF key is malformed")
      }
      return number
    }
    let registration = UAFRegistrationRecord(
      aaid: try row.text(1), keyID: try row.bytes(2), publicKey: try row.bytes(4),
      keyForm: UAFKeyForm(rawValue: try number(5)), signatureForm: UAFSignatureForm(rawValue: try number(6)),
      signCounter: try number(7), registrationCounter: try number(8), authenticatorVersion: try number(9),
      userVerificationState: row.isNull(11) ? nil : try row.bytes(11), attestationType: try number(10))
    return UAFKeyRecord(
      realm: try realm(row.text(0)), userID: try row.text(3), registration: registration,
      createdAt: UnixTime(milliseconds: row.integer(12)),
      lastUsedAt: row.isNull(13) ? nil : UnixTime(milliseconds: row.integer(13)))
  }

  private static func find(
    _ name: UAFKeyName, _ realm: Realm, _ connection: SQLiteConnection
  ) throws -> UAFKeyRecord? {
    try connection.row(
      "SELECT \(columns) FROM uaf_key WHERE realm = ?1 AND aaid = ?2 AND key_id = ?3", .text(realm.path),
      .text(name.aaid), .blob(name.keyID), read: key)
  }

  private static func all(
    ofUser userID: String, _ realm: Realm, _ connection: SQLiteConnection
  ) throws -> [UAFKeyRecord] {
    try connection.rows(
      "SELECT \(columns) FROM uaf_key WHERE realm = ?1 AND user_id = ?2 ORDER BY rowid", .text(realm.path),
      .text(userID), read: key)
  }

  public func useChallenge(_ challenge: ChallengeUse, now: UnixTime) async throws -> Bool {
    let limit = limits.sessions
    return try await writer.write(isDurable: true) { connection in
      try self.sweepIfDue(connection, now: now)
      guard try !Self.isUsed(challenge, connection) else { return false }
      try self.takeRoom(\.usedChallenges, in: "used_challenge", limit: limit, connection)
      try Self.use(challenge, connection)
      return true
    }
  }

  public func addUAFKeys(_ keys: [UAFKeyRecord], limit: Int) async throws -> DeviceAddition {
    guard let first = keys.first else { return .added }
    return try await writer.write(isDurable: true) { connection in
      let names = keys.map(\.name)
      guard Set(names).count == names.count,
        try names.allSatisfy({ try Self.find($0, first.realm, connection) == nil })
      else { return .conflict }
      let count = try Self.all(ofUser: first.userID, first.realm, connection).count
      guard count + keys.count <= limit else { return .limitReached }
      for key in keys { try Self.insert(key, connection) }
      return .added
    }
  }

  private static func insert(_ key: UAFKeyRecord, _ connection: SQLiteConnection) throws {
    let registration = key.registration
    try connection.run(
      """
      INSERT INTO uaf_key (\(columns))
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
      """, .text(key.realm.path), .text(registration.aaid), .blob(registration.keyID), .text(key.userID),
      .blob(registration.publicKey), .integer(Int64(registration.keyForm.rawValue)),
      .integer(Int64(registration.signatureForm.rawValue)), .integer(Int64(registration.signCounter)),
      .integer(Int64(registration.registrationCounter)), .integer(Int64(registration.authenticatorVersion)),
      .integer(Int64(registration.attestationType)), blob(registration.userVerificationState),
      .integer(key.createdAt.milliseconds), key.lastUsedAt.map { .integer($0.milliseconds) } ?? .null)
  }

  private static func blob(_ bytes: [UInt8]?) -> SQLValue { bytes.map(SQLValue.blob) ?? .null }

  public func uafKey(_ name: UAFKeyName, realm: Realm) async throws -> UAFKeyRecord? {
    try await reader.read { try Self.find(name, realm, $0) }
  }

  public func uafKeys(ofUser userID: String, realm: Realm) async throws -> [UAFKeyRecord] {
    try await reader.read { try Self.all(ofUser: userID, realm, $0) }
  }

  public func advanceUAFKeys(_ uses: [UAFKeyUse]) async throws -> Bool {
    try await writer.write(isDurable: true) { connection in
      var counters: [UInt32] = []
      for use in uses {
        guard let key = try Self.find(use.name, use.realm, connection), key.userID == use.userID,
          let counter = use.counter(after: key.registration.signCounter)
        else { return false }
        counters.append(counter)
      }
      for (use, counter) in zip(uses, counters) {
        try connection.run(
          """
          UPDATE uaf_key SET sign_counter = ?4, version = ?5, state = ifnull(?6, state), last_used_at = ?7
          WHERE realm = ?1 AND aaid = ?2 AND key_id = ?3
          """, .text(use.realm.path), .text(use.name.aaid), .blob(use.name.keyID), .integer(Int64(counter)),
          .integer(Int64(use.authenticatorVersion)), Self.blob(use.userVerificationState),
          .integer(use.usedAt.milliseconds))
      }
      return true
    }
  }

  public func setUserVerificationState(
    _ state: [UInt8], ofKey name: UAFKeyName, user userID: String, realm: Realm
  ) async throws -> Bool {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        "UPDATE uaf_key SET state = ?5 WHERE realm = ?1 AND aaid = ?2 AND key_id = ?3 AND user_id = ?4",
        .text(realm.path), .text(name.aaid), .blob(name.keyID), .text(userID), .blob(state)) == 1
    }
  }

  public func removeUAFKeys(
    _ names: [UAFKeyName]?, ofUser userID: String, realm: Realm
  ) async throws -> [UAFKeyRecord] {
    try await writer.write(isDurable: true) { connection in
      let meant = try Self.all(ofUser: userID, realm, connection).filter { names?.contains($0.name) ?? true }
      for key in meant {
        try connection.run(
          "DELETE FROM uaf_key WHERE realm = ?1 AND aaid = ?2 AND key_id = ?3", .text(realm.path),
          .text(key.registration.aaid), .blob(key.registration.keyID))
      }
      return meant
    }
  }
}
