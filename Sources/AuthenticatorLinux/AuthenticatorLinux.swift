// AuthenticatorLinux
