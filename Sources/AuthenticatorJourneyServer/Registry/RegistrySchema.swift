/// The tables of a registry's file, by the version that introduced them.
enum RegistrySchema {
  /// The version a file has when all steps were made; it stands in `user_version`.
  static var version: Int { steps.count }

  /// What each version added to the one before it. A step that has been shipped never changes: files that have it are
  /// compared with its text. A step may only add tables and indices, since a changed table would have another text.
  static let steps: [[String]] = [
    [
      """
      CREATE TABLE token_key (
        id TEXT NOT NULL PRIMARY KEY, secret BLOB NOT NULL, created_at INTEGER NOT NULL)
      """,
      "CREATE TABLE secret (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL)",
      """
      CREATE TABLE user (
        realm TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, name_key TEXT NOT NULL, password TEXT,
        is_active INTEGER NOT NULL, UNIQUE (realm, id), UNIQUE (realm, name_key))
      """,
      """
      CREATE TABLE attempt (
        realm TEXT NOT NULL, subject TEXT NOT NULL, failures INTEGER NOT NULL, locked_until INTEGER,
        updated_at INTEGER NOT NULL, UNIQUE (realm, subject))
      """,
      "CREATE TABLE step (journey INTEGER PRIMARY KEY, step INTEGER NOT NULL, expires_at INTEGER NOT NULL)",
      "CREATE TABLE parked (digest BLOB NOT NULL PRIMARY KEY, state TEXT NOT NULL, expires_at INTEGER NOT NULL)",
      """
      CREATE TABLE session (
        digest BLOB NOT NULL PRIMARY KEY, realm TEXT NOT NULL, user_id TEXT NOT NULL, username TEXT NOT NULL,
        journeys TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL)
      """,
      "CREATE INDEX session_by_user ON session (realm, user_id)",
      """
      CREATE TABLE device (
        family TEXT NOT NULL, realm TEXT NOT NULL, external_id TEXT NOT NULL, user_id TEXT NOT NULL,
        uuid TEXT NOT NULL, name TEXT NOT NULL, device_id TEXT NOT NULL, key TEXT NOT NULL,
        counter INTEGER NOT NULL, attributes TEXT NOT NULL, created_at INTEGER NOT NULL,
        last_access_at INTEGER NOT NULL, UNIQUE (family, realm, external_id))
      """,
      "CREATE INDEX device_by_user ON device (realm, user_id, family)",
    ],
    [
      """
      CREATE TABLE recovery_code (
        realm TEXT NOT NULL, user_id TEXT NOT NULL, device_uuid TEXT NOT NULL, hash TEXT NOT NULL,
        UNIQUE (realm, user_id, device_uuid, hash))
      """
    ],
    [
      """
      CREATE TABLE trusted_device (
        realm TEXT NOT NULL, id TEXT NOT NULL, user_id TEXT NOT NULL, client_id TEXT, installation TEXT,
        platform TEXT NOT NULL, app_identifier TEXT NOT NULL, name TEXT, public_key BLOB NOT NULL,
        created_at INTEGER NOT NULL, last_used_at INTEGER, revoked_at INTEGER, UNIQUE (realm, id))
      """,
      "CREATE INDEX trusted_device_by_user ON trusted_device (realm, user_id)",
      "CREATE INDEX trusted_device_by_client ON trusted_device (client_id)",
      """
      CREATE TABLE client_session (
        id TEXT NOT NULL PRIMARY KEY, client_id TEXT NOT NULL, realm TEXT NOT NULL, user_id TEXT NOT NULL,
        strategy TEXT NOT NULL, tasks TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL, ending TEXT)
      """,
      "CREATE INDEX client_session_by_client ON client_session (client_id)",
      "CREATE INDEX client_session_by_user ON client_session (realm, user_id)",
      "CREATE TABLE used_challenge (id BLOB NOT NULL PRIMARY KEY, expires_at INTEGER NOT NULL)",
    ],
    [
      """
      CREATE TABLE uaf_key (
        realm TEXT NOT NULL, aaid TEXT NOT NULL, key_id BLOB NOT NULL, user_id TEXT NOT NULL,
        public_key BLOB NOT NULL, key_form INTEGER NOT NULL, algorithm INTEGER NOT NULL,
        sign_counter INTEGER NOT NULL, reg_counter INTEGER NOT NULL, version INTEGER NOT NULL,
        attestation INTEGER NOT NULL, state BLOB, created_at INTEGER NOT NULL, last_used_at INTEGER,
        UNIQUE (realm, aaid, key_id))
      """,
      "CREATE INDEX uaf_key_by_user ON uaf_key (realm, user_id)",
    ],
  ]
}
