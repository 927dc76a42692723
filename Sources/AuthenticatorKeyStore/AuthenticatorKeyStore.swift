// AuthenticatorKeyStore
