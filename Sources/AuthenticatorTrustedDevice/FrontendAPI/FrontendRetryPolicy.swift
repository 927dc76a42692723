import AuthenticatorCore

/// How often and how soon a request that failed is sent again. Requests that use something up (an attempt, a password)
/// are never sent again, whatever this says.
public struct FrontendRetryPolicy: Hashable, Sendable {
  /// How often at most.
  public var retries: Int
  /// How long to wait when the server does not say.
  public var standardDelay: Duration
  /// The shortest wait, whatever the server says.
  public var minimumDelay: Duration
  /// The longest wait, whatever the server says.
  public var maximumDelay: Duration

  /// Once, after half a second unless the server says when, within 0.1 to 5 seconds.
  public init(
    retries: Int = 1, standardDelay: Duration = .milliseconds(500), minimumDelay: Duration = .milliseconds(100),
    maximumDelay: Duration = .seconds(5)
  ) {
    self.retries = retries
    self.standardDelay = standardDelay
    self.minimumDelay = minimumDelay
    self.maximumDelay = maximumDelay
  }

  /// Never.
  public static let none = FrontendRetryPolicy(retries: 0)

  static let statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

  static func isRetryable(_ error: AuthenticatorError) -> Bool {
    error.code == .transportFailed || error.code == .timedOut
  }

  /// `Retry-After`, then `X-RateLimit-Reset`, then the standard; held to the limits.
  func delay(after response: HTTPResponse?, at now: UnixTime) -> Duration {
    let asked = response.flatMap { Self.retryAfter($0, at: now) ?? Self.reset($0, at: now) }
    return min(max(asked ?? standardDelay, minimumDelay), maximumDelay)
  }

  /// How long the server asks to wait: seconds, or a date.
  static func retryAfter(_ response: HTTPResponse, at now: UnixTime) -> Duration? {
    guard let text = response.values("Retry-After").first?.trimmingBlanks() else { return nil }
    if let seconds = Int64(text) { return .seconds(min(max(seconds, 0), 86_400)) }
    return HTTPDate.parse(text).map { span(from: now, to: $0) }
  }

  /// A second since the epoch, in seconds or milliseconds, at which the server's budget is refilled.
  private static func reset(_ response: HTTPResponse, at now: UnixTime) -> Duration? {
    guard let text = response.values("X-RateLimit-Reset").first?.trimmingBlanks(), let number = Int64(text),
      (0..<9_007_199_254_740_992).contains(number)
    else { return nil }
    return span(from: now, to: UnixTime(milliseconds: number > 10_000_000_000 ? number : number * 1000))
  }

  private static func span(from now: UnixTime, to time: UnixTime) -> Duration {
    let (difference, overflow) = time.milliseconds.subtractingReportingOverflow(now.milliseconds)
    return overflow ? .zero : .milliseconds(min(max(difference, 0), 86_400_000))
  }
}
