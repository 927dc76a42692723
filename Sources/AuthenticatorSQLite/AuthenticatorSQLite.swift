// AuthenticatorSQLite
