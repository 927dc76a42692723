// AuthenticatorJOSETests
