/// Asks to wait, then to post the node unchanged (a push is being answered elsewhere).
public final class PollingWaitCallback: Callback {
  public override class var wireType: String { "PollingWaitCallback" }

  /// What to show while waiting; server text.
  public var message: String { payload.text("message") ?? "" }

  /// How long to wait; zero when the server's value is negative or no number.
  public var waitTime: Duration {
    .milliseconds(min(max(payload.wholeNumber("waitTime") ?? 0, 0), 86_400_000))
  }

  public override var awaitsAnswer: Bool { false }
}
