// AuthenticatorCryptoTests
