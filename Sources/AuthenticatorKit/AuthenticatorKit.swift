// AuthenticatorKit
