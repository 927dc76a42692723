import AuthenticatorCore

/// How many wrong PINs a domain bears, and how long the pauses between them are.
public struct AttemptPolicy: Hashable, Sendable {
  /// After this many failures in a row the domain is locked for good.
  public var limit: Int
  /// The pause after n failures stands at n - 1; after more failures than there are entries, the last one holds.
  public var delays: [Duration]

  /// - Parameters:
  ///   - limit: at least 1.
  ///   - delays: empty for no pauses at all.
  public init(limit: Int, delays: [Duration]) {
    self.limit = max(1, limit)
    self.delays = delays
  }

  /// Ten tries; no pause after the first two failures, then 5 s, 15 s, 1 min, 5 min, 15 min, and 1 h from the eighth.
  public static let standard = AttemptPolicy(
    limit: 10,
    delays: [
      .zero, .zero, .seconds(5), .seconds(15), .seconds(60), .seconds(300), .seconds(900), .seconds(3600),
    ])

  /// The pause that follows this many failures.
  public func delay(after failures: Int) -> Duration {
    guard failures > 0, let last = delays.last else { return .zero }
    return failures <= delays.count ? delays[failures - 1] : last
  }
}
