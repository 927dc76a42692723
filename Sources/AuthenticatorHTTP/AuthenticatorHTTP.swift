// AuthenticatorHTTP
