// AuthenticatorCore
