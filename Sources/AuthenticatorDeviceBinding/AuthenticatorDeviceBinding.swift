// AuthenticatorDeviceBinding
