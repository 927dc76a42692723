// AuthenticatorCrypto
