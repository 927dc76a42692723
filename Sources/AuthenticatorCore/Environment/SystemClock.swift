#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The machine's clocks.
public enum SystemClock {
  /// Wall-clock time.
  @Sendable public static func now() -> UnixTime {
    let time = read(CLOCK_REALTIME)
    return UnixTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Time since boot. Counts sleep, so that a delay does not stretch over a suspended night.
  @Sendable public static func uptime() -> Duration {
    #if os(Linux)
      let time = read(CLOCK_BOOTTIME)
    #else
      let time = read(CLOCK_MONOTONIC)
    #endif
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }
}
