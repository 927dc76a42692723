/// A wall-clock instant: milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
public struct UnixTime: Hashable, Comparable, Sendable {
  /// Milliseconds since the epoch; negative before it.
  public var milliseconds: Int64

  /// Makes an instant from milliseconds since the epoch.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Whole seconds, rounded down, as JWS claims carry them (RFC 7519, section 2, NumericDate).
  public var seconds: Int64 {
    milliseconds >= 0 ? milliseconds / 1000 : (milliseconds + 1) / 1000 - 1
  }

  public static func < (left: UnixTime, right: UnixTime) -> Bool { left.milliseconds < right.milliseconds }

  /// `self + duration`, held at the ends of the range instead of trapping.
  public func advanced(by duration: Duration) -> UnixTime {
    let (seconds, attoseconds) = duration.components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    let delta = overflow ? (seconds < 0 ? Int64.min : Int64.max) : scaled
    let (withFraction, second) = delta.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    let (sum, third) = milliseconds.addingReportingOverflow(second ? delta : withFraction)
    return UnixTime(milliseconds: third ? (delta < 0 ? Int64.min : Int64.max) : sum)
  }
}
