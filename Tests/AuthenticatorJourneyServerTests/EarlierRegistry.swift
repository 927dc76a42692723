import Foundation
import Testing

/// Registry files as earlier versions made them, in SQL.
enum EarlierRegistry {
  /// Version 1: no recovery codes.
  static let firstVersion = """
    CREATE TABLE token_key (
      id TEXT NOT NULL PRIMARY KEY, secret BLOB NOT NULL, created_at INTEGER NOT NULL);
    CREATE TABLE secret (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL);
    CREATE TABLE user (
      realm TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, name_key TEXT NOT NULL, password TEXT,
      is_active INTEGER NOT NULL, UNIQUE (realm, id), UNIQUE (realm, name_key));
    CREATE TABLE attempt (
      realm TEXT NOT NULL, subject TEXT NOT NULL, failures INTEGER NOT NULL, locked_until INTEGER,
      updated_at INTEGER NOT NULL, UNIQUE (realm, subject));
    CREATE TABLE step (journey INTEGER PRIMARY KEY, step INTEGER NOT NULL, expires_at INTEGER NOT NULL);
    CREATE TABLE parked (digest BLOB NOT NULL PRIMARY KEY, state TEXT NOT NULL, expires_at INTEGER NOT NULL);
    CREATE TABLE session (
      digest BLOB NOT NULL PRIMARY KEY, realm TEXT NOT NULL, user_id TEXT NOT NULL, username TEXT NOT NULL,
      journeys TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL);
    CREATE INDEX session_by_user ON session (realm, user_id);
    CREATE TABLE device (
      family TEXT NOT NULL, realm TEXT NOT NULL, external_id TEXT NOT NULL, user_id TEXT NOT NULL,
      uuid TEXT NOT NULL, name TEXT NOT NULL, device_id TEXT NOT NULL, key TEXT NOT NULL,
      counter INTEGER NOT NULL, attributes TEXT NOT NULL, created_at INTEGER NOT NULL,
      last_access_at INTEGER NOT NULL, UNIQUE (family, realm, external_id));
    CREATE INDEX device_by_user ON device (realm, user_id, family);
    PRAGMA application_id = 1095453266;
    PRAGMA user_version = 1;

    """

  /// What versions 2 and 3 added: recovery codes, trusted devices and the sessions of clients; with a trusted device.
  static let laterSteps = """
    CREATE TABLE recovery_code (
      realm TEXT NOT NULL, user_id TEXT NOT NULL, device_uuid TEXT NOT NULL, hash TEXT NOT NULL,
      UNIQUE (realm, user_id, device_uuid, hash));
    CREATE TABLE trusted_device (
      realm TEXT NOT NULL, id TEXT NOT NULL, user_id TEXT NOT NULL, client_id TEXT, installation TEXT,
      platform TEXT NOT NULL, app_identifier TEXT NOT NULL, name TEXT, public_key BLOB NOT NULL,
      created_at INTEGER NOT NULL, last_used_at INTEGER, revoked_at INTEGER, UNIQUE (realm, id));
    CREATE INDEX trusted_device_by_user ON trusted_device (realm, user_id);
    CREATE INDEX trusted_device_by_client ON trusted_device (client_id);
    CREATE TABLE client_session (
      id TEXT NOT NULL PRIMARY KEY, client_id TEXT NOT NULL, realm TEXT NOT NULL, user_id TEXT NOT NULL,
      strategy TEXT NOT NULL, tasks TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL, ending TEXT);
    CREATE INDEX client_session_by_client ON client_session (client_id);
    CREATE INDEX client_session_by_user ON client_session (realm, user_id);
    CREATE TABLE used_challenge (id BLOB NOT NULL PRIMARY KEY, expires_at INTEGER NOT NULL);
    INSERT INTO trusted_device VALUES (
      '/alpha', 'tdc_1', 'u1', NULL, NULL, 'linux', 'org.example', NULL, x'04', 5, NULL, NULL);
    PRAGMA user_version = 3;

    """

  /// A user with a bound device.
  static let rows = """
    INSERT INTO user VALUES ('/alpha', 'u1', 'Mira', 'mira', NULL, 1);
    INSERT INTO device VALUES ('binding', '/alpha', 'k1', 'u1', 'd0', 'Phone', 'device-1', '{}', 0, '{}', 5, 7);

    """
}

extension TemporaryDirectory {
  /// Runs SQL in the file with Debian's Python, as a stranger would.
  func tamper(_ path: String, _ sql: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c", "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.close()",
      path, sql,
    ]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
