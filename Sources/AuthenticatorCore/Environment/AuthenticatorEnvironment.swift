import AuthenticatorCrypto

/// The outside world an authenticator may see: time, randomness, who the app is, and where audit events go.
///
/// Nothing in the package reads a clock or a random source by any other way, so a test that passes its own
/// environment controls both.
public struct AuthenticatorEnvironment: Sendable {
  /// Wall-clock time; used only for what leaves the process (claims, records).
  public var now: @Sendable () -> UnixTime
  /// Time since boot, including sleep; used for every deadline and delay. Never runs backwards.
  public var uptime: @Sendable () -> Duration
  /// Returns when `uptime` has reached the instant it is given, or throws `CancellationError` when its task is
  /// cancelled first. Every timer of the package waits here, so a test's clock ends it too.
  public var sleep: @Sendable (_ until: Duration) async throws -> Void
  /// Cryptographically secure random bytes.
  public var random: @Sendable (_ count: Int) throws -> [UInt8]
  /// The app's identity towards servers (`iss` of a device-binding proof); a bundle identifier on Apple platforms,
  /// configured on Linux. Nil when the app did not say; proofs that need it are then refused as `.unsupported`.
  public var appIdentifier: String?
  /// The name shown to the user for this device.
  public var deviceName: String
  /// Receives audit events; called synchronously, must not block.
  public var emit: @Sendable (AuthenticatorEvent) -> Void

  /// Makes an environment; time and randomness default to the system's, and events to nowhere.
  public init(
    appIdentifier: String?, deviceName: String,
    now: @escaping @Sendable () -> UnixTime = SystemClock.now,
    uptime: @escaping @Sendable () -> Duration = SystemClock.uptime,
    sleep: (@Sendable (Duration) async throws -> Void)? = nil,
    random: @escaping @Sendable (Int) throws -> [UInt8] = { try SystemRandom.bytes($0) },
    emit: @escaping @Sendable (AuthenticatorEvent) -> Void = { _ in }
  ) {
    self.appIdentifier = appIdentifier
    self.deviceName = deviceName
    self.now = now
    self.uptime = uptime
    self.sleep =
      sleep ?? { instant in
        // Looks again after each sleep: the timer may stop while the machine does, the uptime does not.
        while instant > uptime() { try await Task.sleep(for: min(instant - uptime(), .seconds(60))) }
        try Task.checkCancellation()
      }
    self.random = random
    self.emit = emit
  }
}
