// AuthenticatorJOSE
