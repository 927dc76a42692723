// AuthenticatorCodingTests
