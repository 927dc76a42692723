/// One import for an app that signs in: authenticators, key stores, journeys, device binding and the HTTP client.
///
/// What needs more C libraries stays out and is imported by its own name: `AuthenticatorLinux` (terminal prompts and
/// PAM), `AuthenticatorJourneyServer`, `AuthenticatorTestSupport`.
@_exported import AuthenticatorCore
@_exported import AuthenticatorCrypto
@_exported import AuthenticatorDeviceBinding
@_exported import AuthenticatorHTTP
@_exported import AuthenticatorJourney
@_exported import AuthenticatorKeyStore
@_exported import AuthenticatorSQLite
@_exported import DeviceAuthenticators
