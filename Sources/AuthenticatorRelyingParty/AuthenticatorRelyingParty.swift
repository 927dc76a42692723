// AuthenticatorRelyingParty
