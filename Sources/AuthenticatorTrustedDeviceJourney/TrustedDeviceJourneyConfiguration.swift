import AuthenticatorCore
import AuthenticatorTrustedDevice

/// With what the trusted-device callbacks of a journey work. A value; pass it to `enroll` and `signIn`.
///
/// Needed: `context.environment.appIdentifier`, which must be among those the server admits. The credentials are those
/// of a `TrustedDeviceClient` of the same server, app and store: either enrolls, either signs in.
public struct TrustedDeviceJourneyConfiguration: Sendable {
  /// Key store, verifier and environment. Its `instance` must be the journey's server.
  public var context: AuthenticatorContext
  /// What makes and uses the keys.
  public var authenticators: TrustedDeviceAuthenticators
  /// The weakest policy the app makes keys under; the server may ask for a stricter one.
  public var policy: TrustedDevicePolicy
  /// The platform a credential is enrolled as: the same word as a `TrustedDeviceClient`'s, whose list it stands in. The
  /// vendor's vocabulary has none for Linux.
  public var platform: TrustedDevice.Platform
  /// What the server lists the device as; nil: the environment's device name; empty: none.
  public var deviceName: String?
  /// What the person reads; nil: the server's text.
  public var reason: String?
  /// The longest time for a prompt; the server's and the challenge's end it sooner.
  public var promptTimeLimit: Duration
  /// Whose credentials a new one replaces on this installation.
  public var replaceScope: TrustedDeviceConfiguration.ReplaceScope
  /// Whether the server's credential is to be revoked, in the next session of a `TrustedDeviceClient`, when its key
  /// here is lost or void.
  public var revokesOrphans: Bool
  /// Called for every event, must not block.
  public var onEvent: @Sendable (TrustedDeviceEvent) -> Void

  /// Makes a configuration.
  public init(
    context: AuthenticatorContext, authenticators: TrustedDeviceAuthenticators = TrustedDeviceAuthenticators(),
    policy: TrustedDevicePolicy = .biometryOrDevicePasscode, platform: TrustedDevice.Platform = .ios,
    deviceName: String? = nil, reason: String? = nil, promptTimeLimit: Duration = .seconds(60),
    replaceScope: TrustedDeviceConfiguration.ReplaceScope = .user, revokesOrphans: Bool = true,
    onEvent: @escaping @Sendable (TrustedDeviceEvent) -> Void = { _ in }
  ) {
    self.context = context
    self.authenticators = authenticators
    self.policy = policy
    self.platform = platform
    self.deviceName = deviceName
    self.reason = reason
    self.promptTimeLimit = promptTimeLimit
    self.replaceScope = replaceScope
    self.revokesOrphans = revokesOrphans
    self.onEvent = onEvent
  }
}
