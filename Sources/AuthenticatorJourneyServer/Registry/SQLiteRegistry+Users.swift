extension SQLiteRegistry {
  private static let userColumns = "realm, id, name, password, is_active"

  private static func user(_ row: SQLRow) throws -> UserRecord {
    var password: PasswordHash?
    if let text = try row.optionalText(3) {
      guard let hash = PasswordHash(text: text) else { throw RegistryError(.damaged, "a password hash is malformed") }
      password = hash
    }
    return UserRecord(
      id: try row.text(1), realm: try realm(row.text(0)), name: try row.text(2), password: password,
      isActive: row.integer(4) != 0)
  }

  public func user(named name: String, in realm: Realm) async throws -> UserRecord? {
    try await reader.read { connection in
      try connection.row(
        "SELECT \(Self.userColumns) FROM user WHERE realm = ?1 AND name_key = ?2", .text(realm.path),
        .text(UserRecord.nameKey(name).text), read: Self.user)
    }
  }

  public func user(id: String, in realm: Realm) async throws -> UserRecord? {
    try await reader.read { connection in
      try connection.row(
        "SELECT \(Self.userColumns) FROM user WHERE realm = ?1 AND id = ?2", .text(realm.path), .text(id),
        read: Self.user)
    }
  }

  public func hasUsers() async throws -> Bool {
    try await reader.read { connection in
      try connection.row("SELECT EXISTS (SELECT 1 FROM user)") { $0.integer(0) } == 1
    }
  }

  public func addUser(_ user: UserRecord) async throws {
    try await writer.write(isDurable: true) { connection in try Self.add(user, connection) }
  }

  public func addUser(_ user: UserRecord, limit: Int) async throws -> Bool {
    try await writer.write(isDurable: true) { connection in
      let count = try connection.row("SELECT count(*) FROM user WHERE realm = ?1", .text(user.realm.path)) {
        Int($0.integer(0))
      }
      guard count ?? 0 < limit else { return false }
      try Self.add(user, connection)
      return true
    }
  }

  private static func add(_ user: UserRecord, _ connection: SQLiteConnection) throws {
    try connection.run(
      "INSERT INTO user (realm, id, name, name_key, password, is_active) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
      .text(user.realm.path), .text(user.id), .text(user.name), .text(UserRecord.nameKey(user.name).text),
      password(user), .integer(user.isActive ? 1 : 0))
  }

  public func updateUser(_ user: UserRecord) async throws -> Bool {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        "UPDATE user SET password = ?3, is_active = ?4 WHERE realm = ?1 AND id = ?2", .text(user.realm.path),
        .text(user.id), Self.password(user), .integer(user.isActive ? 1 : 0)) == 1
    }
  }

  private static func password(_ user: UserRecord) -> SQLValue { user.password.map { .text($0.text) } ?? .null }
}
