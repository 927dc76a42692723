public import AuthenticatorCore
public import AuthenticatorCrypto

extension SQLiteRegistry {
  public func tokenKeys() async throws -> [TokenKeyRecord] {
    try await reader.read { connection in
      try connection.rows("SELECT id, secret, created_at FROM token_key ORDER BY created_at DESC, id") { row in
        TokenKeyRecord(
          id: try row.text(0), secret: SecretBytes(try row.bytes(1)),
          createdAt: UnixTime(milliseconds: row.integer(2)))
      }
    }
  }

  public func addTokenKey(_ key: TokenKeyRecord, forgettingBefore oldest: UnixTime) async throws {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        "INSERT INTO token_key (id, secret, created_at) VALUES (?1, ?2, ?3)", .text(key.id),
        .blob(key.secret.withUnsafeBytes { Array($0) }), .integer(key.createdAt.milliseconds))
      try connection.run("DELETE FROM token_key WHERE created_at < ?1", .integer(oldest.milliseconds))
    }
  }

  public func secret(_ name: String, orElse candidate: SecretBytes) async throws -> SecretBytes {
    try await writer.write(isDurable: true) { connection in
      try connection.run(
        "INSERT OR IGNORE INTO secret (name, value) VALUES (?1, ?2)", .text(name),
        .blob(candidate.withUnsafeBytes { Array($0) }))
      let stored = try connection.row("SELECT value FROM secret WHERE name = ?1", .text(name)) { try $0.bytes(0) }
      return SecretBytes(stored ?? [])
    }
  }
}
