import AuthenticatorCore
import Synchronization

/// An environment in a test's hands: a manual clock, seeded randomness, and every event kept.
public final class TestEnvironment: Sendable {
  /// The clock; moves only when told to.
  public let clock: ManualClock
  /// The source of randomness.
  public let random: SeededRandom
  /// The app's identity.
  public let appIdentifier: String
  /// The device's name.
  public let deviceName: String
  private let recorded = Mutex<[AuthenticatorEvent]>([])

  /// An environment of its own for each test.
  public init(
    clock: ManualClock = ManualClock(), seed: UInt64 = 1, appIdentifier: String = "com.example.app",
    deviceName: String = "Test device"
  ) {
    self.clock = clock
    random = SeededRandom(seed: seed)
    self.appIdentifier = appIdentifier
    self.deviceName = deviceName
  }

  /// What authenticators and stores are given.
  public var environment: AuthenticatorEnvironment {
    AuthenticatorEnvironment(
      appIdentifier: appIdentifier, deviceName: deviceName, now: { [clock] in clock.now },
      uptime: { [clock] in clock.uptime }, sleep: { [clock] in try await clock.sleep(until: $0) },
      random: { [random] in random.bytes($0) },
      emit: { [self] event in recorded.withLock { $0.append(event) } })
  }

  /// The events so far, in order.
  public var events: [AuthenticatorEvent] { recorded.withLock { $0 } }
}
