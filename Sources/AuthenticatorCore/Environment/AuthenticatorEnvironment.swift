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
  /// Cryptographically secure random bytes.
  public var random: @Sendable (_ count: Int) throws -> [UInt8]
  /// The app's identity towards servers (`iss` of a device-binding proof); a bundle identifier on Apple platforms,
  /// configured on Linux. Nil when the app did not say; proofs that need it are then refused as `.unsupported`.
  public var appIdentifier: String?
  /// The name shown to the user for this device.
  public var deviceName: String
  /// Receives audit events; called synchronously, must not block.
  public var emit: @Sendable (AuthenticatorEvent) -> Void

  public init(
    appIdentifier: String?, deviceName: String,
    now: @escaping @Sendable () -> UnixTime = SystemClock.now,
    uptime: @escaping @Sendable () -> Duration = SystemClock.uptime,
    random: @escaping @Sendable (Int) throws -> [UInt8] = { try SystemRandom.bytes($0) },
    emit: @escaping @Sendable (AuthenticatorEvent) -> Void = { _ in }
  ) {
    self.appIdentifier = appIdentifier
    self.deviceName = deviceName
    self.now = now
    self.uptime = uptime
    self.random = random
    self.emit = emit
  }
}
