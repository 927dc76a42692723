// AuthenticatorCoding
