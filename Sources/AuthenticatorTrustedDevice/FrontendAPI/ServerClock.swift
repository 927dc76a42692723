import AuthenticatorCore

/// The server's clock as one of its answers told it.
///
/// Challenges end by the server's clock. A device whose own clock is wrong would refuse every challenge, or ask the
/// person in vain; so the `Date` field of the answer that brought the challenge is what its end is compared with.
package struct ServerClock: Sendable {
  private let environment: AuthenticatorEnvironment
  /// What to add to this device's clock, in milliseconds.
  let offset: Int64

  /// `Date` has whole seconds: a difference that they explain is none.
  private static let tolerance: Int64 = 2000

  /// - Parameters:
  ///   - date: the `Date` field of an answer that arrived just now; nil when it had none. Nothing signs the field, and
  ///     nothing hangs on it: the server refuses a proof that comes too late by its own clock.
  init(_ environment: AuthenticatorEnvironment, date: UnixTime?) {
    self.environment = environment
    let now = environment.now()
    guard let date else {
      offset = 0
      return
    }
    let (difference, overflow) = date.milliseconds.subtractingReportingOverflow(now.milliseconds)
    offset = !overflow && difference.magnitude > Self.tolerance.magnitude ? difference : 0
  }

  /// - Parameter offset: what the server's clock is ahead of this device's, as somebody else measured it.
  package init(_ environment: AuthenticatorEnvironment, offset: Duration) {
    self.environment = environment
    self.offset = Int64(offset / .milliseconds(1))
  }

  /// Now, by the server's clock.
  package var now: UnixTime { environment.now().advanced(by: .milliseconds(offset)) }

  /// How long it is until a moment of the server's clock; zero when it has passed.
  package func span(until time: UnixTime) -> Duration {
    let (difference, overflow) = time.milliseconds.subtractingReportingOverflow(now.milliseconds)
    // No prompt runs for a day: longer spans only risk overflow in whoever adds them up.
    return overflow ? .zero : .milliseconds(min(max(difference, 0), 86_400_000))
  }
}
