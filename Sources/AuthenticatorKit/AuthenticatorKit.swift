/// One import for an app that signs in: authenticators, key stores, journeys, device binding, WebAuthn, UAF, trusted
/// devices and the HTTP client.
///
/// What needs more C libraries stays out and is imported by its own name: `AuthenticatorLinux` (terminal prompts and
/// PAM), `AuthenticatorJourneyServer`, `AuthenticatorTestSupport`.
@_exported import AuthenticatorCoding
@_exported import AuthenticatorCore
@_exported import AuthenticatorCrypto
@_exported import AuthenticatorDeviceBinding
@_exported import AuthenticatorHTTP
@_exported import AuthenticatorJOSE
@_exported import AuthenticatorJourney
@_exported import AuthenticatorKeyStore
@_exported import AuthenticatorPublicSuffix
@_exported import AuthenticatorSQLite
@_exported import AuthenticatorTrustedDevice
@_exported import AuthenticatorTrustedDeviceJourney
@_exported import AuthenticatorUAF
@_exported import AuthenticatorUAFJourney
@_exported import AuthenticatorWebAuthn
@_exported import AuthenticatorWebAuthnJourney
@_exported import DeviceAuthenticators
