import AuthenticatorCrypto

/// The outside world an authenticator may see: time, randomness, who the app is, and where audit events go.
///
/// Nothing that is signed, written down, timed or compared reads a clock or a random source by any other way, so a test
/// that passes its own environment controls both. A store in a file looks for that file by the machine's clock.
public struct AuthenticatorEnvironment: Sendable {
  /// Wall-clock time; used only for what leaves the process (claims, records).
  public var now: @Sendable () -> UnixTime {
    get { parts.now }
    set { change { $0.now = newValue } }
  }
  /// Time since boot, including sleep; used for every deadline and delay. Never runs backwards.
  public var uptime: @Sendable () -> Duration {
    get { parts.uptime }
    set { change { $0.uptime = newValue } }
  }
  /// Returns when `uptime` has reached the instant it is given, or throws `CancellationError` when its task is
  /// cancelled first. Every timer of the package waits here, so a test's clock ends it too.
  public var sleep: @Sendable (_ until: Duration) async throws -> Void {
    get { parts.sleep }
    set { change { $0.sleep = newValue } }
  }
  /// Cryptographically secure random bytes.
  public var random: @Sendable (_ count: Int) throws -> [UInt8] {
    get { parts.random }
    set { change { $0.random = newValue } }
  }
  /// The app's identity towards servers (`iss` of a device-binding proof); a bundle identifier on Apple platforms,
  /// configured on Linux. Nil when the app did not say; proofs that need it are then refused as `.unsupported`.
  public var appIdentifier: String? {
    get { parts.appIdentifier }
    set { change { $0.appIdentifier = newValue } }
  }
  /// The name shown to the user for this device.
  public var deviceName: String {
    get { parts.deviceName }
    set { change { $0.deviceName = newValue } }
  }
  /// Receives audit events; called synchronously, must not block.
  public var emit: @Sendable (AuthenticatorEvent) -> Void {
    get { parts.emit }
    set { change { $0.emit = newValue } }
  }

  private struct Parts: Sendable {
    var now: @Sendable () -> UnixTime
    var uptime: @Sendable () -> Duration
    var sleep: @Sendable (_ until: Duration) async throws -> Void
    var random: @Sendable (_ count: Int) throws -> [UInt8]
    var appIdentifier: String?
    var deviceName: String
    var emit: @Sendable (AuthenticatorEvent) -> Void
  }

  private final class Box: Sendable {
    let parts: Parts
    init(_ parts: Parts) { self.parts = parts }
  }

  // Behind one reference: every authenticator, store and client holds a copy.
  private var box: Box
  private var parts: Parts { box.parts }

  private mutating func change(_ body: (inout Parts) -> Void) {
    var parts = parts
    body(&parts)
    box = Box(parts)
  }

  /// Makes an environment; time and randomness default to the system's, and events to nowhere.
  public init(
    appIdentifier: String?, deviceName: String,
    now: @escaping @Sendable () -> UnixTime = SystemClock.now,
    uptime: @escaping @Sendable () -> Duration = SystemClock.uptime,
    sleep: (@Sendable (Duration) async throws -> Void)? = nil,
    random: @escaping @Sendable (Int) throws -> [UInt8] = { try SystemRandom.bytes($0) },
    emit: @escaping @Sendable (AuthenticatorEvent) -> Void = { _ in }
  ) {
    box = Box(
      Parts(
        now: now, uptime: uptime,
        sleep: sleep ?? { instant in
          // Looks again after each sleep: the timer may stop while the machine does, the uptime does not.
          while instant > uptime() { try await Task.sleep(for: min(instant - uptime(), .seconds(60))) }
          try Task.checkCancellation()
        }, random: random, appIdentifier: appIdentifier, deviceName: deviceName, emit: emit))
  }
}
