// AuthenticatorTestSupport
