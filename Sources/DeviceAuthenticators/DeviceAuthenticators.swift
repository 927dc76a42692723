// DeviceAuthenticators
